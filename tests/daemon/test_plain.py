"""The short way for plain requests says byte for byte what the general way says."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.positions import boards, turns
from tests.support.world import ALPHA, BETA, World

from acey_daemon import plain
from acey_daemon.answering import respond
from acey_daemon.oracle import oracle
from acey_protocol.lines import Limits
from acey_rules import NAME, PRESETS, State
from acey_rules.stage import possible_agendas

HANDLERS = oracle()
HEADS = (b"", b"7 ", b"007 ", b"123456789012345678 ")
ODD_HEADS = (
    b" ",
    b"7",
    b"1234567890123456789 ",
    b"x ",
    b"7  ",
    b"7\t",
    "7é ".encode(),
    b"\xff ",
    b"# ",
)


def generally(data: bytes) -> bytes | None:
    """What the general way answers to a stateless request."""
    return respond(HANDLERS, data, Limits(), ALPHA, 0.0)


@st.composite
def position_lines(draw: st.DrawFn) -> tuple[str, str]:
    """Draw a preset and a line of a position in which something can be done under it."""
    rules = PRESETS[draw(st.sampled_from(sorted(PRESETS)))]
    agenda = draw(st.sampled_from(sorted(possible_agendas(rules))))
    return rules.name, f"{draw(boards())}:{draw(turns)}:{agenda}"


@given(position_lines(), st.sampled_from(HEADS))
def test_legal_is_answered_alike(drawn: tuple[str, str], head: bytes) -> None:
    name, line = drawn
    for words in (f"legal {line} rules={name}", f"legal {line}"):
        data = head + words.encode()
        found = plain.legal(data)
        rules = PRESETS[name if "rules=" in words else "american"]
        agenda = possible_agendas(rules).get(line.rpartition(":")[2])
        assert (found is not None) == (agenda is not None and agenda[0].dice is not None)
        assert found is None or found == generally(data)


@given(position_lines(), st.randoms(use_true_random=False))
def test_what_is_damaged_is_left_or_answered_alike(drawn: tuple[str, str], random: Random) -> None:
    name, line = drawn
    data = bytearray(f"12 legal {line} rules={name}".encode())
    for _ in range(random.randint(1, 3)):
        place = random.randrange(len(data))
        match random.randrange(3):
            case 0:
                data[place] = random.choice(b' \t\r\n"=:-Aa0159RNxo.\x00\xff#')
            case 1:
                data.insert(place, random.choice(b' "=:Aa01R.'))
            case _:
                del data[place]
    found = plain.legal(bytes(data))
    assert found is None or found == generally(bytes(data))


@pytest.mark.parametrize("head", ODD_HEADS)
def test_another_beginning_is_left_to_the_general_way(head: bytes) -> None:
    line = b"--------------------------:15:15:x:63"
    assert plain.legal(b"legal " + line) is not None
    assert plain.legal(head + b"legal " + line) is None


# --- play at a table ---------------------------------------------------------------------------


class Pair:
    """Two daemons alike in everything but that one of them knows no short way."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in "short", "long":
            (folder / name).mkdir()
        self.short = World(folder / "short")
        self.long = World(folder / "long")
        self.taken = 0
        self._monkeypatch = monkeypatch
        self._act = plain.act

    def ask(self, request: bytes) -> str:
        """Ask both; the reply, the same of both."""
        monkeypatch = self._monkeypatch
        monkeypatch.setattr(plain, "act", self._counted)
        short = self.short.ask(request)
        monkeypatch.setattr(plain, "act", _nothing)
        monkeypatch.setattr(plain, "legal", _nothing)
        long = self.long.ask(request)
        assert short == long, request
        assert self.short.events == self.long.events
        return short

    def _counted(self, *arguments: object) -> object:
        done = self._act(*arguments)  # pyright: ignore[reportArgumentType]
        self.taken += done is not None
        return done


def _nothing(*arguments: object) -> None:
    del arguments


def variants(random: Random, seat: str, other: str, state: State, ply: int) -> list[bytes]:
    """Requests around one decision, most of them wrong; the last is right and plain."""
    plays = state.legal_plays()
    text = random.choice(plays).text
    table, token = seat.split(" ")
    right = f"play {seat} {text}"
    made: list[Callable[[], str]] = [
        lambda: f"play {other} {text}",
        lambda: f"play {table} {'0' * 32} {text}",
        lambda: f"play nowhere0 {token} {text}",
        lambda: f"play {seat} {text} ply={ply + random.choice((-1, 1, 50))}",
        lambda: f"play {seat} 1/2",
        lambda: f"play {seat} {text} {text}",
        lambda: f"play {seat}",
        lambda: f"play {seat} {text} ply=",
        lambda: f"play {seat} {text} ply=x",
        lambda: f"play {seat} {text} ply={ply} ply={ply}",
        lambda: f"play {seat} {text} other={ply}",
        lambda: f'play {seat} "{text}',
        lambda: f"play {seat} é",
        lambda: f"play {seat} {text}\nmore",
        lambda: f"name {seat} 6",
    ]
    wrong = [f"{random.randrange(99)} {make()}".encode() for make in random.sample(made, 4)]
    ways = [
        right,
        f"{right} ply={ply}",
        f"5 {right} ply={ply}",
        f"5 {right} ply=0{ply}",
        f"5 {right}  ply={ply}",
        f"5 {right}\tply={ply} ",
        f"5 {right} ply={ply} format=json",
        f'5 play {seat} "{text}" ply={ply}',
        f"5 play {seat} {' '.join(reversed(text.split(' ')))} ply={ply}",
        f"5 {right}\r",
    ]
    return [*wrong, random.choice(ways).encode()]


def names(random: Random, seat: str, ply: int) -> list[bytes]:
    """Requests around the naming of a double; the last is right."""
    number = random.randint(1, 6)
    wrong = [
        f"3 name {seat} 7",
        f"name {seat}",
        f"3 name {seat} {number} ply={ply + 1}",
        f"3 name {seat} {number} {number}",
        f"3 play {seat} off/19",
        f"3 play {seat} {number}",
    ]
    ways = [
        f"name {seat} {number}",
        f"44 name {seat} {number} ply={ply}",
        f"44 name {seat} 0{number}",
        f"44 name {seat} {number} format=json",
    ]
    return [each.encode() for each in (*random.sample(wrong, 3), random.choice(ways))]


@pytest.mark.parametrize("seed", range(6))
def test_whole_matches_are_played_alike(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair, random = Pair(tmp_path, monkeypatch), Random(seed)
    rules = PRESETS[list(PRESETS)[seed % len(PRESETS)]]
    opened = pair.ask(f"open match=2 rules={rules.name} dice=seed:{seed}".encode()).split()
    seats = [f"{opened[1]} {opened[number][2:]}" for number in (2, 3)]
    begun = [pair.ask(f"play {seats[0]} off/19".encode())]
    begun += [pair.ask(f"await {seat} timeout=0".encode()) for seat in seats]
    assert begun[0].startswith("? not-your-turn")
    right = plainly = 0
    while True:
        for number, seat in enumerate(seats):
            words = pair.ask(f"await {seat} timeout=0".encode()).split(" ")
            if words[1] == "over":
                for each in (pair.short, pair.long):
                    each.store.close()
                assert pair.taken == plainly
                assert 0 < plainly < right
                return
            if words[1] == "wait":
                continue
            state = State.parse(words[3], rules)
            if state.agenda[0] is NAME:
                requests = names(random, seat, int(words[2]))
            else:
                requests = variants(random, seat, seats[1 - number], state, int(words[2]))
            for request in requests:
                taken = pair.taken
                reply = pair.ask(request)
                if taken < pair.taken:
                    plainly += 1
                    assert request is requests[-1]
                if reply.startswith("="):
                    right += 1
                    break


def test_a_play_that_cannot_be_stored_is_busy_and_not_done(tmp_path: Path) -> None:
    world = World(tmp_path)
    table, x, o = world.open("dice=seed:4")
    world.send(f"await {table} {x} timeout=0", f"await {table} {o} timeout=0")
    awaited = [world.ask(f"await {table} {token} timeout=0").split() for token in (x, o)]
    number = next(number for number, words in enumerate(awaited) if words[1] == "play")
    line = world.ask(f"state {table}")
    state = State.parse(awaited[number][3], PRESETS["american"])
    request = f"9 play {table} {(x, o)[number]} {state.legal_plays()[0].text}".encode()
    other = sqlite3.connect(world.settings.store, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert world.send(request, connection=BETA) == [
        "?9 busy the store cannot be written now; nothing was changed"
    ]
    other.close()
    assert world.ask(f"state {table}") == line
    assert world.ask(request).startswith("=9 ")
    world.store.close()
