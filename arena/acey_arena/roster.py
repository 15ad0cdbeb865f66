"""The bots with their options, and the seat for each kind of player."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from acey_arena.bei_seat import BeiSeat
from acey_arena.bots import BOTS, Bot
from acey_arena.expectimax import CANDIDATES, REPLIES, ExpectimaxBot
from acey_arena.plan import PlanError, Player
from acey_arena.seat import BotSeat, Seat
from acey_arena.ubgi_seat import UbgiSeat


class Entry(NamedTuple):
    """A bot: how it is made, and the whole numbers it can be told."""

    make: Callable[[int, dict[str, int]], Bot]
    options: Mapping[str, tuple[int, int, int]] = MappingProxyType({})
    """Name to least, most and default."""


def _without_options(make: Callable[[int], Bot]) -> Entry:
    def from_seed(seed: int, _options: dict[str, int]) -> Bot:
        return make(seed)

    return Entry(from_seed)


def _expectimax(_seed: int, options: dict[str, int]) -> Bot:
    return ExpectimaxBot(options["candidates"], options["replies"])


ROSTER: Final[dict[str, Entry]] = {
    **{name: _without_options(make) for name, make in BOTS.items()},
    "expectimax-1": Entry(
        _expectimax, {"candidates": (1, 1000, CANDIDATES), "replies": (1, 1000, REPLIES)}
    ),
}
"""Every bot of ours, weakest first."""


def check_bot(name: str, options: dict[str, str], who: str) -> dict[str, int]:
    """The options of a bot as numbers, defaults filled in. Raises PlanError."""
    entry = ROSTER.get(name)
    if entry is None:
        raise PlanError(f"{who}: there is no bot {name!r}; there are {', '.join(ROSTER)}")
    values = {option: default for option, (_, _, default) in entry.options.items()}
    for option, text in options.items():
        if option not in entry.options:
            known = ", ".join(entry.options) or "none"
            raise PlanError(f"{who}: {name} has no option {option!r}; it has {known}")
        least, most, _ = entry.options[option]
        if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
            raise PlanError(f"{who}: {option} is a number from {least} to {most}, not {text!r}")
        values[option] = int(text)
    return values


def make_bot(name: str, options: dict[str, str], seed: int) -> Bot:
    """A bot of ours for one game. Raises PlanError when there is none of that name."""
    return ROSTER[name].make(seed, check_bot(name, options, "bot"))


def make_seat(player: Player) -> Seat:
    """The seat a player sits in; an engine's process starts with its first game."""
    if player.bot:
        values = check_bot(player.bot, player.options, f"player {player.name!r}")
        entry = ROSTER[player.bot]
        return BotSeat(lambda seed: entry.make(seed, values))
    return UbgiSeat(player) if player.engine else BeiSeat(player)
