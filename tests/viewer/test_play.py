"""``acey play``: a person at the terminal, at a daemon's table."""

import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.support.acey import Terminal, acey, refused
from tests.support.daemon import Daemon

from acey_arena.bots import BOTS, PipBot
from acey_daemon.server import Server
from acey_daemon.settings import Settings
from acey_grammar import parse_play, validate
from acey_grammar.board import text_board
from acey_protocol.client import Client
from acey_protocol.replies import LegalPlays, OpenedTable
from acey_rules import AMERICAN, NAME, PRESETS, Name, Roll, Side, State
from acey_viewer.botseats import BotSeats
from acey_viewer.steps import follow, partway
from acey_viewer.terminal import LeftError, Looks, Player

Answer = Callable[[str], str]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """A client of a daemon whose scripted dice begin with a 2-1 for X."""
    (tmp_path / "acey.txt").write_text("31 21 52 66 43 65\n" + "21 31 " * 40, "utf-8")
    free = "tcp://127.0.0.1:0"
    settings = Settings(
        bind=(free,), events=(), store=str(tmp_path / "play.sqlite"), dice_dir=str(tmp_path)
    )
    with Server(settings) as server:
        thread = threading.Thread(target=server.run)
        thread.start()
        with Client(server.bound.requests[0]) as running:
            yield running
        server.stop()
        thread.join()


def scripted(client: Client) -> OpenedTable:
    table = client.open(x="alpha", o="beta", dice="file:acey.txt")
    client.seat(table.table, table.o).wait(0)
    return table


class Person:
    """Answers prompts and keeps everything that was said, prompts and answers included."""

    def __init__(self, client: Client, table: OpenedTable, answers: list[str]) -> None:
        self.said: list[str] = []
        self._answers = iter(answers)
        seat = client.seat(table.table, table.x)
        self.player = Player(client, seat, PipBot(), self.said.append, self.answer, Looks(True))

    def answer(self, prompt: str) -> str:
        self.said.append(prompt)
        answer = next(self._answers, None)
        if answer is None:
            raise EOFError
        return answer

    def play(self) -> None:
        """Play until the answers end."""
        with pytest.raises(LeftError):
            self.player.play()

    @property
    def prompts(self) -> list[str]:
        return [text for text in self.said if text.endswith("> ")]


def test_a_whole_game_against_a_bot_is_played_with_the_board_of_each_decision(
    client: Client,
) -> None:
    table = client.open(x="alpha", o="random", dice="seed:5")
    bots = BotSeats(client.address)
    bots.seat(table.table, table.o, PipBot())
    said: list[str] = []
    asked = 0

    def answer(prompt: str) -> str:
        nonlocal asked
        if "confirms" in prompt:
            return ""
        state = State.parse(client.state(table.table).position or "", AMERICAN)
        board = text_board(state, Side.X, names=("alpha", "random"), ascii_only=True)
        assert f"\n{board}" in said[-3:]
        asked += 1
        if state.dice is None:
            return "6"
        return state.legal_plays()[0].text

    seat = client.seat(table.table, table.x)
    end = Player(client, seat, PipBot(), said.append, answer, Looks(True)).play()
    assert asked > 20
    record = client.record(table.table)
    assert validate(record.games[0]).valid
    result = record.games[0].result
    assert result is not None
    assert end.startswith(f"over {result.winner.lower()} {result.points}")
    assert any(text.startswith("O plays ") for text in said)
    bots.stop()


def test_a_play_is_typed_at_once_confirmed_and_taken_back(client: Client) -> None:
    table = scripted(client)
    person = Person(client, table, ["off/24 off/23", "undo", "off/22", ""])
    person.play()
    assert person.prompts[:4] == [
        "2-1> ",
        "off/23 off/24: Enter confirms, undo takes it back> ",
        "2-1> ",
        "off/22: Enter confirms, undo takes it back> ",
    ]
    assert client.state(table.table).position == "----------------------A---:14:15:x:N.R"


def test_a_play_is_typed_move_by_move_and_undone_move_by_move(client: Client) -> None:
    table = scripted(client)
    person = Person(client, table, ["off/24", "undo", "off/23", "23/22", ""])
    person.play()
    assert person.prompts[:5] == [
        "2-1> ",
        "2> ",
        "2-1> ",
        "1> ",
        "off/22: Enter confirms, undo takes it back> ",
    ]
    partly = [text for text in person.said if "has 2 still to play" in text]
    assert len(partly) == 1
    assert "unentered 14" in partly[0]
    assert "[2]" in partly[0]
    assert "[1]" not in partly[0]


def test_what_is_wrong_is_said_and_asked_for_again(client: Client) -> None:
    table = scripted(client)
    person = Person(client, table, ["off/20", "of/20", "-", "13/7"])
    person.play()
    assert person.prompts[:4] == ["2-1> "] * 4
    told = [text for text in person.said if text.startswith(("Not legal", "This cannot"))]
    assert told[0] == (
        "Not legal: 'off/20' is 5 pips, not to be had from the 2 and 1 left of 2-1 "
        "(spec/rules.md §4)"
    )
    assert told[1].startswith("This cannot be read: ")
    assert "'-' plays nothing of 2-1; two can be played" in told[2]
    assert len(told) == 4
    assert client.state(table.table).position == "--------------------------:15:15:x:21.N.R"


def test_legal_plays_hints_and_help_are_given(client: Client) -> None:
    table = scripted(client)
    person = Person(client, table, ["?", "hint", "help"])
    person.play()
    after = person.said[person.said.index("2-1> ") + 1 :]
    state = State.parse("--------------------------:15:15:x:21.N.R", AMERICAN)
    assert after[:2] == [f"  {play.text}" for play in state.legal_plays()]
    hint = PipBot().choose_play(state, state.legal_plays())
    assert f"A bot would play {hint}." in after
    assert after[-2].startswith("Type a play as notation writes it")


def test_a_double_is_named_knowing_what_each_allows(client: Client) -> None:
    table = scripted(client)
    person = Person(client, table, ["off/24 off/23", "", "?", "hint", "7", "=66"])
    person.play()
    naming = person.said.index("name a double 1-6> ")
    state = State.parse("-----------------------AA-:13:15:x:N.R", AMERICAN)
    counts = [len(state.apply(Name(number)).legal_plays()) for number in range(1, 7)]
    assert person.said[naming - 1] == "Plays of each double: " + ", ".join(
        f"{number}-{number} {count}" for number, count in enumerate(counts, 1)
    )
    assert f"6-6: {counts[5]} plays, such as off/19(4)" in person.said[naming:]
    assert f"A bot would name {PipBot().choose_double(state)}." in person.said[naming:]
    assert "A double is named by its number, 1 to 6." in person.said[naming:]
    assert client.state(table.table).position == "-----------------------AA-:13:15:x:66.R"


def test_dice_rolled_by_hand_are_asked_for(client: Client) -> None:
    table = client.open(x="alpha", o="beta", dice="manual")
    client.seat(table.table, table.o).wait(0)
    person = Person(client, table, ["?", "hint", "71", "31", "6-4"])
    person.play()
    assert person.prompts == ["dice> "] * 5 + ["6-4> "]
    assert "Dice are two numbers from 1 to 6, as 63." in person.said
    assert "No bot knows what you will roll." in person.said
    assert client.state(table.table).position == "--------------------------:15:15:x:64"


def test_a_game_is_resigned_only_when_that_is_meant(client: Client) -> None:
    table = scripted(client)
    person = Person(client, table, ["resign", "no", "resign", "yes"])
    assert person.player.play() == "over o 15 by resignation"
    assert person.prompts[1] == "Give the game up? yes or no> "


def test_leaving_keeps_the_seat(client: Client) -> None:
    table = scripted(client)
    Person(client, table, ["quit"]).play()
    again = Person(client, table, ["off/24 off/23", ""])
    again.play()
    assert client.state(table.table).position == "-----------------------AA-:13:15:x:N.R"


@pytest.mark.parametrize("rules", PRESETS)
def test_every_play_is_followed_move_by_move_along_the_daemon_s_graph(
    client: Client, rules: str
) -> None:
    followed = 0
    for state, legal in decisions(client, rules):
        dice = state.dice or (0, 0)
        numbers = dice * 2 if dice[0] == dice[1] else dice
        for play in legal.plays:
            words = " ".join(f"{move.source}/{move.target}" for move in play.moves) or "-"
            moves = follow(legal, parse_play(words))
            assert moves is not None, f"{state.line} {words}"
            found = partway(state.position, state.turn, numbers, moves)
            assert str(found.position) == ":".join(play.position.split(":")[:3])
            assert len(found.dice) == len(numbers) - len(play.moves)
            followed += 1
    assert followed > 100


def decisions(client: Client, rules: str) -> Iterator[tuple[State, LegalPlays]]:
    """The plays to choose of a game, with what the daemon says of each."""
    state = State.start(PRESETS[rules], (6, 3))
    rolls = [Roll(first, second) for first in (2, 6, 4) for second in (1, 5, 4, 6)] * 4
    for roll in rolls:
        if state.outcome is not None:
            return
        if state.agenda[0] is NAME:
            state = state.apply(Name(3))
        elif state.dice is None:
            state = state.apply(roll)
        legal = client.legal(state.line, rules)
        assert isinstance(legal, LegalPlays)
        yield state, legal
        state = state.apply(state.legal_plays()[-1])


def test_the_command_plays_on_a_terminal() -> None:
    with Terminal("play", "--seed", "3", "--ascii") as terminal:
        terminal.read_until("2-2-2-2> ")
        terminal.press("off/23(4)\n")
        terminal.read_until("Enter confirms, undo takes it back> ")
        terminal.press("\n")
        assert "X plays off/23(4)" in terminal.read_until("O rolls ")
        terminal.press("quit\n")
        assert "You left table" in terminal.read_until("You left table")
        assert terminal.finish() == 0


def interrupt(terminal: Terminal, number: int) -> None:
    """Send a signal once the command waits for its person.

    One that comes between the prompt and the reading is only seen when a line has been read.
    """
    stat = Path(f"/proc/{terminal.process.pid}/stat")
    asleep = 0
    while asleep < 10:
        asleep = asleep + 1 if stat.read_text().rpartition(")")[2].split()[0] == "S" else 0
        time.sleep(0.02)
    os.kill(terminal.process.pid, number)


ENDINGS: dict[str, tuple[Callable[[Terminal], None], int]] = {
    "quit": (lambda terminal: terminal.press("quit\n"), 0),
    "end of input": (lambda terminal: terminal.press("\x04"), 0),
    "SIGINT": (lambda terminal: interrupt(terminal, signal.SIGINT), 130),
    "SIGTERM": (lambda terminal: interrupt(terminal, signal.SIGTERM), 130),
    "SIGHUP": (lambda terminal: interrupt(terminal, signal.SIGHUP), 130),
}
"""Every way in which a person ends it before the end of the match, and the exit status."""


@pytest.fixture(params=ENDINGS)
def ending(request: pytest.FixtureRequest) -> Callable[[Terminal], str]:
    """Ends a command one way; what it said of it on a line of its own."""
    end, status = ENDINGS[request.param]

    def ended(terminal: Terminal) -> str:
        end(terminal)
        assert terminal.finish() == status
        assert "Traceback" not in terminal.shown
        said = re.search(r"^You left table .*", terminal.shown.replace("\r", ""), re.MULTILINE)
        assert said, terminal.shown
        return said[0]

    return ended


def test_a_game_of_its_own_is_not_kept(ending: Callable[[Terminal], str]) -> None:
    with Terminal("play", "--seed", "3", "--ascii") as terminal:
        terminal.read_until("2-2-2-2> ")
        assert re.fullmatch(r"You left table \w+; the game is not kept\.", ending(terminal))


def test_a_table_that_the_command_opened_is_over_when_it_is_left(
    client: Client, ending: Callable[[Terminal], str]
) -> None:
    words = ("play", "--connect", client.address, "--seed", "3", "--ascii")
    with Terminal(*words) as terminal:
        terminal.read_until("2-2-2-2> ")
        (table,) = client.tables("open").tables
        assert ending(terminal) == (
            f"You left table {table.table}; the bot has left with you, so your seat is given up: "
            "over o 15 by forfeit."
        )
    assert client.tables("open").tables == ()
    over = client.state(table.table).over
    assert over is not None
    assert over.text() == "over o 15 by forfeit"


def test_a_seat_that_was_taken_stays_and_the_same_command_takes_it_again(
    client: Client, ending: Callable[[Terminal], str]
) -> None:
    table = scripted(client)
    words = ("play", "--connect", client.address, "--table", table.table, "--ascii")
    for _ in range(2):
        with Terminal(*words, ACEY_TOKEN=table.x) as terminal:
            terminal.read_until("2-1> ")
            assert ending(terminal) == (
                f"You left table {table.table}; the seat stays yours, and the same command takes "
                "it again."
            )
    assert client.state(table.table).over is None


def test_who_is_interrupted_while_the_opponent_is_awaited_is_told_the_same(client: Client) -> None:
    table = client.open()
    words = ("play", "--connect", client.address, "--table", table.table, "--ascii")
    with Terminal(*words, ACEY_TOKEN=table.x) as terminal:
        terminal.read_until("Type help for what you can type.")
        interrupt(terminal, signal.SIGINT)
        assert terminal.finish() == 130
        assert f"You left table {table.table}; the seat stays yours" in terminal.shown


def test_a_seat_that_cannot_be_given_up_is_said(tmp_path: Path) -> None:
    with Daemon(tmp_path) as daemon:
        with Terminal("play", "--connect", daemon.requests, "--seed", "3", "--ascii") as terminal:
            terminal.read_until("2-2-2-2> ")
            daemon.kill()
            terminal.press("quit\n")
            assert terminal.finish() == 2
            shown = re.sub(r"\s+", " ", terminal.shown)
        daemon.start()
    assert re.search(r"acey: table \w+: your seat is not given up: tcp://\S+ no reply", shown)


def test_a_wrong_table_or_token_has_the_status_that_help_says(client: Client) -> None:
    table = client.open()
    at = ("--table", table.table)
    for words in (
        ("play", "--connect", client.address),
        ("bot", "--address", client.address),
    ):
        for place in (at, ("--table", "nowhere")):
            result = acey(*words, *place, ACEY_TOKEN="0" * 32)
            assert (result.returncode, result.stdout) == (2, "")
            assert re.search("bad-token|no-such-table", result.stderr.splitlines()[-1])
        help_text = " ".join(acey(words[0], "--help").stdout.split())
        assert "exit status is 0 when the match is over" in help_text
        assert "2 when the seat cannot be played, also because the daemon refuses" in help_text


def test_what_cannot_be_played_is_refused() -> None:
    assert refused("play", "--bot", "nobody", status=2) == (
        f"acey: there is no bot 'nobody'; there are {', '.join(BOTS)}"
    )
    assert refused("play", "--table", "7", status=2) == (
        "acey: a --table is at a daemon; say where it is with --connect"
    )
