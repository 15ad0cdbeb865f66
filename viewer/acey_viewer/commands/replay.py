"""``acey replay``: a recorded game as text boards, step by step."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer
from rich.console import Console

from acey_daemon import cli
from acey_daemon.archive.replaying import replayable
from acey_daemon.commands.archive_report import fault_text
from acey_daemon.commands.console import CommandError, cannot_read, counted, note, out
from acey_daemon.commands.files import whole_file
from acey_grammar import Fault, GameRecord, ReadGame, Replay, Step
from acey_grammar.printable import printable
from acey_grammar.tags import read_tags
from acey_rules import Name, State
from acey_viewer.commands.keys import Keyboard
from acey_viewer.commands.show import AsciiOption, View, ViewOption, board
from acey_viewer.replaypage import replay_page

NEXT: Final = frozenset({"\r", "\n", " ", "\x1b[C", "\x1bOC", "\x1b[B", "\x1bOB", "l", "j"})
"""Keys that step forward: Enter, space, right and down."""
BACK: Final = frozenset({"\x1b[D", "\x1bOD", "\x1b[A", "\x1bOA", "\x7f", "\b", "h", "k"})
"""Keys that step back: left, up and backspace."""
FIRST: Final = frozenset({"\x1b[H", "\x1bOH", "\x1b[1~", "g"})
LAST: Final = frozenset({"\x1b[F", "\x1bOF", "\x1b[4~", "G"})
QUIT: Final = frozenset({"q", "Q", "\x1b", "\x03", "\x04"})
TEXT_WIDTH: Final = 70
"""Columns of a name or a comment above a board."""
HELP: Final = "Enter or → on · ← back · Home first · End last · q quit"


class Frame(NamedTuple):
    """One board of a replay."""

    title: str
    """What was just done: ``2. X 21: off/24 off/23``."""
    state: State
    """The state after it."""


def replay(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A file of games of any format; - is standard input."),
    ],
    game: Annotated[
        int | None, typer.Option("--game", min=1, metavar="N", help="Only the game of that number.")
    ] = None,
    view: ViewOption = View.X,
    ascii_only: AsciiOption = False,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="PAGE", help="Write a page for browsers instead."),
    ] = None,
) -> int:
    """Step through recorded games as boards of text, or write them as a page.

    The page that --html writes is one file that needs no network: every checker moves, with a
    list of the turns, the clocks and a graph of the pips.

    On a terminal Enter and the arrow keys step, q quits; elsewhere every board is written, one
    after the other. Games that hold faults are shown as far as they can be replayed, the first
    fault is told, and the exit status is 1.

    For example:

        acey replay demo.acey

        acey replay demo.acey --game 2 --view x | less

        acey replay demo.acey --html demo.html
    """
    if html is not None:
        return _write_page(file, game, html)
    stepping = sys.stdin.isatty() and sys.stdout.isatty()
    shown = 0
    wrong: list[Fault] = []
    for number, (read, faults) in enumerate(_games(file), 1):
        if game not in (None, number):
            continue
        wrong += faults
        if not read.record.tags:
            continue
        shown += 1
        frames = list(frames_of(read, number))
        names = (read.record.tag("X") or "", read.record.tag("O") or "")
        pages = [_page(frame, view, ascii_only, names) for frame in frames]
        if stepping and not _step_through(pages):
            break
        if not stepping:
            for page in pages:
                out(f"{page}\n")
    return _judged(file, game, shown, wrong)


def _games(file: str) -> Iterator[tuple[ReadGame, tuple[Fault, ...]]]:
    """The games of a file with their faults. Raises CommandError when it cannot be read."""
    try:
        yield from replayable(file)
    except OSError as error:
        cannot_read(Path(file), error)
    except UnicodeDecodeError as error:
        raise CommandError(f"{file}: byte {error.start} is no UTF-8 text", cli.BAD_INPUT) from error


def _no_game(file: str, game: int | None) -> CommandError:
    which = "no game in it" if game is None else f"no game of number {game} in it"
    return CommandError(f"{file}: there is {which}", cli.BAD_INPUT)


def _judged(file: str, game: int | None, shown: int, faults: list[Fault]) -> int:
    """The exit status, with the first fault if there are any."""
    if not shown and not faults:
        raise _no_game(file, game)
    if faults:
        note(fault_text(faults[0], file))
    if len(faults) > 1:
        more = counted(len(faults) - 1, "more fault")
        note(f"{file}: {more}; acey validate {file} lists all")
    return cli.BAD_INPUT if faults else cli.GOOD


def _write_page(file: str, game: int | None, html: Path) -> int:
    """Write the games as one page; the exit status."""
    found = [one for number, one in enumerate(_games(file), 1) if game in (None, number)]
    faults = [fault for _, some in found for fault in some]
    reads = [read for read, _ in found if read.record.tags]
    if not reads:
        return _judged(file, game, 0, faults)
    page = replay_page(reads).encode()
    with whole_file(html) as written:
        written.write(page)
    count = "one game" if len(reads) == 1 else f"{len(reads)} games"
    note(f"{html}: {count} to replay in a browser")
    return _judged(file, game, len(reads), faults)


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
    x, o = (printable(record.tag(side) or side, TEXT_WIDTH) for side in "XO")
    names = f"{x} (X) and {o} (O)"
    parts = [names, record.tag("Rules") or "unknown rules"]
    match, score = record.tag("Match"), record.tag("Score")
    parts += [f"match to {match}"] * (match not in (None, "0")) + [f"at {score}"] * bool(score)
    return printable(", ".join(parts), 3 * TEXT_WIDTH)


def _turn(record: GameRecord, step: Step) -> str:
    return f"{record.numbers()[step.turn]}. {record.turns[step.turn].side}"


def _title(record: GameRecord, step: Step) -> str:
    """The roll and its play as the record writes them, with the turn's remarks at its end."""
    turn = record.turns[step.turn]
    roll = turn.rolls[step.roll]
    mark = {"rolled": "", "named": "=", "complement": "~"}[roll.kind]
    text = f"{_turn(record, step)} {mark}{roll.dice}: {roll.play}"
    if step.action is None:
        text += "  (not legal)"
    if step.roll == len(turn.rolls) - 1:
        remarks = [
            f"{{{printable(comment, TEXT_WIDTH)}}}"
            for comment in turn.comments
            if not comment.startswith("%")
        ]
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
