"""The rules: counting, legal plays and random games, beside GNU Backgammon's and OpenSpiel's."""

from array import array
from collections.abc import Iterator, Mapping
from random import Random

from acey_rules import (
    AMERICAN,
    BACKGAMMON,
    NAME,
    ROLL,
    Name,
    Position,
    Roll,
    RuleSet,
    Side,
    State,
    generator,
    plays,
)
from acey_rules.perft import perft
from acey_rules.playout import playout
from bench import peers
from bench.figures import Figure
from bench.positions import Sample, rolled, samples
from bench.timing import Rate, Work, rates

GNUBG = "gnubg_nn.moves()"
SPIEL = "OpenSpiel"
REFERENCE_CALLS = 60
"""The reference is asked for so many of the 10,500 rolls a round: it takes milliseconds each."""


def tables() -> Iterator[tuple[str, list[Figure]]]:
    if generator.NAME != "kernel":
        raise SystemExit("bench: the kernel was not compiled, so there is nothing to compare")
    sampled = samples()
    yield "Positions counted and made (backgammon from the start)", _trees(sampled)
    yield "Legal plays of 500 backgammon positions x 21 rolls, called from Python", _calls(sampled)
    yield "Random games", _games()


def start(rules: RuleSet) -> State:
    return State(rules, Position.start(rules.setup), Side.X, (ROLL,))


# --- perft ------------------------------------------------------------------------------------


def _trees(sampled: list[Sample]) -> list[Figure]:
    state = start(BACKGAMMON)
    works: dict[str, Work] = {
        "perft, depth 3": lambda: perft(state, 3),
        "perft, depth 3, every position made": lambda: perft(state, 3, made=True),
    }
    gnubg = peers.gnubg_moves(sampled)
    if not isinstance(gnubg, str):
        works[GNUBG] = gnubg[1]
    timed = rates(works)
    return [
        _figure(timed, "perft, depth 3", "nodes/s", GNUBG, 8),
        _figure(timed, "perft, depth 3, every position made", "nodes/s", GNUBG, 2.5),
        _peer(timed, GNUBG, "moves/s", gnubg),
    ]


# --- calls ------------------------------------------------------------------------------------


def _calls(sampled: list[Sample]) -> list[Figure]:
    from acey_rules import kernel  # noqa: PLC0415 - there only when compiled

    states = [state for sample in sampled for state in rolled(sample)]
    asked = [
        (state.position, state.turn, *dice, state.rules.overshoot)
        for state in states
        if (dice := state.dice) is not None
    ]
    packed = [(position.packed, *rest) for position, *rest in asked]
    positions = b"".join(state.position.packed for state in states)
    numbers = bytes(n for _, side, high, low, _ in asked for n in (side, high, low))
    room = sum(kernel.count(*each) for each in packed)
    out, ends = bytearray(28 * room), array("q", bytes(8 * len(states)))
    few = Random(1).sample(asked, REFERENCE_CALLS)

    def reference() -> int:
        for each in few:
            plays.legal_plays(*each)
        return len(few)

    def counts() -> int:
        for each in packed:
            kernel.count(*each)
        return len(packed)

    def results() -> int:
        for each in packed:
            kernel.results(*each)
        return len(packed)

    def batch() -> int:
        return kernel.results_into(positions, numbers, "highest", out, ends)

    def lazy() -> int:
        for each in asked:
            kernel.legal_plays(*each)
        return len(asked)

    def objects() -> int:
        for each in asked:
            list(kernel.legal_plays(*each))
        return len(asked)

    def texts() -> int:
        for each in asked:
            for play in kernel.legal_plays(*each):
                play.text  # noqa: B018 - made when it is asked for
        return len(asked)

    works: dict[str, Work] = {
        "reference": reference,
        "kernel, counts": counts,
        "kernel, packed": results,
        "kernel, packed, all positions in one call": batch,
        "kernel, Play list": lazy,
        "kernel, Play objects": objects,
        "kernel, Play objects with text": texts,
    }
    gnubg, spiel = peers.gnubg_moves(sampled), peers.spiel_calls(sampled)
    if not isinstance(gnubg, str):
        works[GNUBG] = gnubg[0]
    if not isinstance(spiel, str):
        works[f"{SPIEL} legal_actions()"] = spiel
    timed = rates(works)
    unit = "calls/s"
    legal_actions = f"{SPIEL} legal_actions()"
    return [
        _figure(timed, "reference", unit, ""),
        _figure(timed, "kernel, counts", unit, GNUBG),
        _figure(timed, "kernel, packed", unit, GNUBG, 1.5),
        _figure(timed, "kernel, packed, all positions in one call", unit, GNUBG),
        _figure(timed, "kernel, Play list", unit, legal_actions),
        _figure(timed, "kernel, Play objects", unit, legal_actions, 1),
        _figure(timed, "kernel, Play objects with text", unit, legal_actions),
        _peer(timed, GNUBG, unit, gnubg),
        _peer(timed, legal_actions, unit, spiel),
    ]


# --- games ------------------------------------------------------------------------------------


def _games() -> list[Figure]:
    works: dict[str, Work] = {}
    for rules in (AMERICAN, BACKGAMMON):
        works[f"kernel.playout, {rules.name}"] = _playouts(rules)
        works[f"State.legal_plays and State.apply, {rules.name}"] = _loop(rules)
    spiel = peers.spiel_games()
    peer = f"{SPIEL}, random backgammon"
    if not isinstance(spiel, str):
        works[peer] = spiel
    timed = rates(works)
    unit = "games/s"
    return [
        _figure(timed, "kernel.playout, american", unit, peer, 20),
        _figure(timed, "kernel.playout, backgammon", unit, peer),
        _figure(timed, "State.legal_plays and State.apply, american", unit, peer, 1),
        _figure(timed, "State.legal_plays and State.apply, backgammon", unit, peer),
        _peer(timed, peer, unit, spiel),
    ]


def _playouts(rules: RuleSet) -> Work:
    state = start(rules)
    seeds = iter(range(1 << 62))

    def games() -> int:
        playout(state, next(seeds))
        return 1

    return games


def _loop(rules: RuleSet) -> Work:
    beginning = start(rules)
    rng = Random(3)
    choice, die = rng.choice, range(1, 7)

    def games() -> int:
        state = beginning
        while state.outcome is None:
            if state.agenda[0] is ROLL:
                state = state.apply(Roll(choice(die), choice(die)))
            elif state.agenda[0] is NAME:
                state = state.apply(Name(choice(die)))
            else:
                state = state.apply(choice(state.legal_plays()))
        return 1

    return games


# --- lines ------------------------------------------------------------------------------------


def _figure(
    timed: Mapping[str, Rate], name: str, unit: str, beside: str, aim: float | None = None
) -> Figure:
    rate = timed[name]
    spread = (rate.slowest, rate.fastest)
    if beside not in timed:
        return Figure(name, rate.median, unit, spread=spread)
    return Figure(
        name, rate.median, unit, beside, rate.median / timed[beside].median, aim, spread=spread
    )


def _peer(timed: Mapping[str, Rate], name: str, unit: str, found: object) -> Figure:
    if isinstance(found, str):
        return Figure(name, None, unit, note=found)
    rate = timed[name]
    return Figure(name, rate.median, unit, spread=(rate.slowest, rate.fastest))
