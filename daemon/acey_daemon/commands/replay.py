"""``acey replay``: a recorded game as text boards, step by step."""

import sys
from collections.abc import Iterator, Sequence
from typing import Annotated, Final, NamedTuple

import typer
from rich.console import Console

from acey_daemon import cli
from acey_daemon.commands.console import CommandError, note, out
from acey_daemon.commands.files import games_of
from acey_daemon.commands.keys import Keyboard
from acey_daemon.commands.show import AsciiOption, View, ViewOption, board
from acey_grammar import GameRecord, ReadGame, Replay, Step, validate
from acey_grammar.tags import read_tags
from acey_rules import Name, State

NEXT: Final = frozenset({"\r", "\n", " ", "\x1b[C", "\x1bOC", "\x1b[B", "\x1bOB", "l", "j"})
"""Keys that step forward: Enter, space, right and down."""
BACK: Final = frozenset({"\x1b[D", "\x1bOD", "\x1b[A", "\x1bOA", "\x7f", "\b", "h", "k"})
"""Keys that step back: left, up and backspace."""
FIRST: Final = frozenset({"\x1b[H", "\x1bOH", "\x1b[1~", "g"})
LAST: Final = frozenset({"\x1b[F", "\x1bOF", "\x1b[4~", "G"})
QUIT: Final = frozenset({"q", "Q", "\x1b", "\x03", "\x04"})
HELP: Final = "Enter or → on · ← back · Home first · End last · q quit"


class Frame(NamedTuple):
    """One board of a replay."""

    title: str
    """What was just done: ``2. X 21: off/24 off/23``."""
    state: State
    """The state after it."""


def replay(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A file of games; - is standard input.")
    ],
    game: Annotated[
        int | None, typer.Option("--game", min=1, metavar="N", help="Only the game of that number.")
    ] = None,
    view: ViewOption = View.X,
    ascii_only: AsciiOption = False,
) -> int:
    """Step through recorded games as boards of text.

    On a terminal Enter and the arrow keys step, q quits; elsewhere every board is written, one
    after the other. Games that hold faults are shown as far as they can be replayed, and the exit
    status is 1.

    For example:

        acey replay demo.acey

        acey replay demo.acey --game 2 --view x | less
    """
    stepping = sys.stdin.isatty() and sys.stdout.isatty()
    shown = faults = 0
    for number, read in enumerate(games_of(file), 1):
        if game not in (None, number):
            continue
        shown += 1
        faults += len(validate(read).faults)
        frames = list(frames_of(read, number))
        names = (read.record.tag("X") or "", read.record.tag("O") or "")
        pages = [_page(frame, view, ascii_only, names) for frame in frames]
        if stepping and not _step_through(pages):
            break
        if not stepping:
            for page in pages:
                out(f"{page}\n")
    if not shown:
        raise CommandError(
            f"{file}: there is no game in it"
            if game is None
            else f"{file}: there is no game of number {game} in it",
            cli.BAD_INPUT,
        )
    if faults:
        note(f"{file}: not all of it is right; acey validate {file} says what")
    return cli.BAD_INPUT if faults else cli.GOOD


def frames_of(read: ReadGame, number: int) -> Iterator[Frame]:
    """The boards of a game: the start, one for each roll played, and the result."""
    record = read.record
    start = read_tags(record, read.places).start
    if start is None:
        return
    yield Frame(f"game {number}: {_players(record)}", start)
    replayed = Replay(record, read.places, start)
    for step in replayed.steps():
        if step.before.dice is not None:
            yield Frame(_title(record, step), step.after)
        elif isinstance(step.action, Name):
            yield Frame(f"{_turn(record, step)} names {step.action.number}", step.after)
    state = replayed.state
    if record.result is not None and state.outcome is None:
        result = record.result
        how = {"play": "", "time": "on time"}.get(result.how, f"by {result.how}")
        yield Frame(f"{result.winner} wins {result.points} {how}".rstrip(), state)


def _players(record: GameRecord) -> str:
    names = f"{record.tag('X') or 'X'} (X) and {record.tag('O') or 'O'} (O)"
    parts = [names, record.tag("Rules") or "unknown rules"]
    match, score = record.tag("Match"), record.tag("Score")
    parts += [f"match to {match}"] * (match not in (None, "0")) + [f"at {score}"] * bool(score)
    return ", ".join(parts)


def _turn(record: GameRecord, step: Step) -> str:
    return f"{step.turn // 2 + 1}. {record.turns[step.turn].side}"


def _title(record: GameRecord, step: Step) -> str:
    """The roll and its play as the record writes them, with the turn's remarks at its end."""
    turn = record.turns[step.turn]
    roll = turn.rolls[step.roll]
    mark = {"rolled": "", "named": "=", "complement": "~"}[roll.kind]
    text = f"{_turn(record, step)} {mark}{roll.dice}: {roll.play}"
    if step.action is None:
        text += "  (not legal)"
    if step.roll == len(turn.rolls) - 1:
        remarks = [f"{{{comment}}}" for comment in turn.comments if not comment.startswith("%")]
        text = " ".join([text, *filter(None, [turn.glyph]), *remarks])
    return text


def _page(frame: Frame, view: View | None, ascii_only: bool, names: tuple[str, str]) -> str:
    return f"{frame.title}\n{board(frame.state, view, ascii_only, names)}"


def _step_through(pages: Sequence[str]) -> bool:
    """Show the pages one by one as the keys say; whether to go on with the next game."""
    place = 0
    with Console().screen(), Keyboard() as keyboard:
        while True:
            sys.stdout.write(f"\x1b[H\x1b[2J{pages[place]}\n\n{place + 1}/{len(pages)}  {HELP}")
            sys.stdout.flush()
            key = keyboard.key()
            if key in QUIT:
                return False
            if key in NEXT:
                if place == len(pages) - 1:
                    return True
                place += 1
            elif key in BACK:
                place = max(place - 1, 0)
            elif key in FIRST:
                place = 0
            elif key in LAST:
                place = len(pages) - 1
