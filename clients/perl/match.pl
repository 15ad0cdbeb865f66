#!/usr/bin/env perl
# Two random players and the dice, in a language without ZeroMQ: the rules come from `acey stdio`,
# one request a line. Plays a match and writes its games in notation to standard output.
#
#     perl match.pl [POINTS [SEED [RULES]]] > match.acey

use strict;
use warnings;
use IPC::Open2;

my ($points, $seed, $rules) = (shift // 15, shift // 1, shift // 'american');
if (@ARGV or $points !~ /\A[1-9][0-9]{0,2}\z/ or $seed !~ /\A[0-9]{1,9}\z/) {
    print STDERR "usage: perl match.pl [POINTS [SEED [RULES]]], 1 to 999 points, a seed of digits\n";
    exit 2;
}
srand $seed;
my $acey = $ENV{ACEY} // 'acey';
my $pid = open2(my $from, my $to, $acey, 'stdio');
$to->autoflush;

# One request, and the lines of its reply, which ends with an empty line.
sub ask {
    my $request = shift;
    print {$to} "$request\n";
    my @lines;
    while (defined(my $line = <$from>)) {
        chomp $line;
        last if $line eq '';
        push @lines, $line;
    }
    die "no reply to '$request'\n" unless @lines;
    die "$request: $lines[0]\n" unless $lines[0] =~ s/^= ?//;
    return @lines;
}

sub die_of { return 1 + int rand 6 }

# The position after an action; the winner and the points too, when that ends the game.
sub apply {
    my ($position, $action) = @_;
    my ($after, undef, $winner, $won) = split / /, (ask("apply $position rules=$rules $action"))[0];
    return ($after, $winner, $won);
}

# The opening dice, X's first, ties rolled again.
sub opening {
    my @rolls;
    do { push @rolls, [die_of(), die_of()] } while $rolls[-1][0] == $rolls[-1][1];
    return @rolls;
}

# Plays one game and writes it; returns the winner and the points.
sub play_game {
    my $score = shift;
    my @opening = opening();
    my $starter = $opening[-1][0] > $opening[-1][1] ? 'x' : 'o';
    my $opened = join ' ', map { "$_->[0]-$_->[1]" } @opening;
    print qq([X "perl one"]\n[O "perl two"]\n[Rules "$rules"]\n[Match "$points"]\n);
    print qq([Score "$score->{x}-$score->{o}"]\n[Opening "$opened"]\n\n);
    my $position = '-' x 26 . ":15:15:$starter:R";
    my ($turns, $side, @rolls, $mark, $winner, $won) = (0, $starter);
    until ($winner) {
        my ($turn, $agenda) = (split /:/, $position)[3, 4];
        if ($turn ne $side) {
            write_turn($turns++, $side, \@rolls);
            ($side, @rolls) = ($turn);
        }
        my ($stage) = split /\./, $agenda;
        if ($stage eq 'R') {
            my $dice = join '', sort { $b <=> $a } die_of(), die_of();
            ($position, $mark) = ((apply($position, "roll $dice"))[0], '');
        } elsif ($stage eq 'N') {
            ($position, $mark) = ((apply($position, 'name ' . die_of()))[0], '=');
        } else {
            my (undef, @legal) = ask("legal $position rules=$rules");
            my ($play) = split /\t/, $legal[rand @legal];
            push @rolls, "$mark$stage: $play";
            ($position, $winner, $won) = apply($position, "play $play");
            $mark = '~';    # dice that are neither rolled nor named are a complement
        }
    }
    write_turn($turns, $side, \@rolls);
    printf "%s wins %d\n\n", uc $winner, $won;
    return ($winner, $won);
}

sub write_turn {
    my ($number, $side, $rolls) = @_;
    printf "%d. %s %s\n", 1 + int($number / 2), uc $side, join(', ', @$rolls);
    return;
}

my %score = (x => 0, o => 0);
while ($score{x} < $points && $score{o} < $points) {
    my ($winner, $won) = play_game(\%score);
    $score{$winner} += $won;
}
close $to;
waitpid $pid, 0;
