"""What a run is to play: the players, the format, the dice. docs/tournaments.md §2.

A plan is read from a TOML file or made by ``acey duel``, and is written into the run's folder, so
that a resumed run plays what was planned whatever became of the file.
"""

import tomllib
from pathlib import Path
from typing import Annotated, Any, Final, Literal, cast, get_args

import msgspec
from msgspec import Meta, Struct

from acey_arena.clock import TimeControl
from acey_arena.plan_words import plan_fault
from acey_arena.sprt import Sprt
from acey_protocol.bei import BeiError, variant_of
from acey_rules import RuleSet, RuleSetError, rule_set

Format = Literal["round-robin", "gauntlet", "swiss", "knockout"]
Referee = Literal["local", "daemon"]
FORMAT_VERSION: Final = 1
"""Version of the run folder's files; a run of another version is not resumed."""
Name = Annotated[str, Meta(min_length=1, max_length=80, pattern=r"\A[^\x00-\x1f\x7f{}]*\Z")]
Seconds = Annotated[float, Meta(gt=0, le=86_400)]


class PlanError(ValueError):
    """A plan that cannot be carried out: says which field is wrong and how."""


class Player(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """One entry: a bot of ours, an engine process, or an engine that listens on TCP."""

    name: Name
    bot: str = ""
    """Name of a bot of ours; empty for an engine."""
    engine: tuple[str, ...] = ()
    """Command of a UBGI engine; empty for a bot."""
    bei: str = ""
    """``host:port`` of a BEI engine."""
    options: dict[str, str] = {}
    """Options set before the first game."""
    deadline: Seconds = 10.0
    """The longest a decision may take, seconds, whatever the clock says."""
    start: Seconds = 30.0
    """The longest starting and getting ready may take, seconds."""


class Plan(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """Everything that decides what is played and with which dice."""

    players: Annotated[tuple[Player, ...], Meta(min_length=2)]
    seed: Annotated[int, Meta(ge=0, le=2**62)]
    name: Name = "acey arena"
    format: Format = "round-robin"
    rules: str = "american"
    match: Annotated[int, Meta(ge=0, le=1000)] = 0
    """Points a match goes to; 0 plays single games for their points."""
    pairs: Annotated[int, Meta(ge=1, le=10_000_000)] = 100
    """Pairs of games, or of matches, that two players meet for; at most, with an SPRT."""
    rounds: Annotated[int, Meta(ge=1, le=1000)] = 1
    """How often everybody meets everybody; of a Swiss system: its rounds."""
    clock: str = ""
    """Time control of each seat, ``120+8``; empty is none."""
    sprt: Sprt | None = None
    """Stop a duel early."""
    times: bool = False
    """Whether records say how long each turn took."""
    concurrency: Annotated[int, Meta(ge=1, le=1024)] = 1
    """Games played at a time. Changes nothing in what is played."""
    referee: Referee = "local"
    """Who applies the rules: this process, or a daemon. Changes nothing in what is played."""
    version: int = FORMAT_VERSION

    @property
    def rule_set(self) -> RuleSet:
        """The rule set that ``rules`` spells. Raises RuleSetError."""
        return rule_set(self.rules)

    @property
    def time_control(self) -> TimeControl | None:
        """The time control that ``clock`` spells, or None. Raises ValueError."""
        return TimeControl.parse(self.clock) if self.clock else None


def read_plan(path: Path) -> Plan:
    """Read a plan's TOML file. Raises PlanError on what it says, OSError on the file."""
    try:
        with path.open("rb") as file:
            table = tomllib.load(file)
    except tomllib.TOMLDecodeError as error:
        raise PlanError(f"{path}: {error}") from error
    except UnicodeDecodeError as error:
        raise PlanError(f"{path}: byte {error.start} is no UTF-8 text") from error
    return plan_of(table, str(path))


def plan_of(table: dict[str, Any], where: str = "plan") -> Plan:
    """The plan a table says. Raises PlanError naming the field at fault."""
    table = dict(table)
    players = table.pop("player", table.get("players"))
    table["players"] = list(map(_named, players or ())) if _is_list(players) else players
    try:
        plan = _plan(table)
        check_plan(plan)
    except ValueError as error:
        raise PlanError(f"{where}: {error}") from error
    return plan


def _is_list(value: object) -> bool:
    return value is None or isinstance(value, list | tuple)


def _plan(table: dict[str, Any]) -> Plan:
    """A table as a plan. Raises PlanError."""
    try:
        return msgspec.convert(table, Plan, strict=True)
    except msgspec.ValidationError as error:
        of_plan = ["player" if name == "players" else name for name in Plan.__struct_fields__]
        fields = {
            "": tuple(of_plan),
            "player": Player.__struct_fields__,
            "sprt": Sprt.__struct_fields__,
        }
        choices = {"format": get_args(Format), "referee": get_args(Referee)}
        raise PlanError(plan_fault(error, fields, choices)) from error


def _named(entry: Any) -> Any:
    """Give a player that has no name the name of its bot, and options their text."""
    if not isinstance(entry, dict):
        return entry
    player = dict(cast("dict[str, Any]", entry))
    if isinstance(player.get("options"), dict):
        options = cast("dict[str, object]", player["options"])
        player["options"] = {key: _option_text(value) for key, value in options.items()}
    player.setdefault("name", player.get("bot", ""))
    return player


def _option_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def check_plan(plan: Plan) -> None:
    """Raise PlanError for a value that cannot be and for parts that contradict each other."""
    _plan(msgspec.to_builtins(plan))  # a plan that was made, and not read, is held to the same
    try:
        rules = plan.rule_set
    except RuleSetError as error:
        raise PlanError(f"rules: {error}") from error
    try:
        _ = plan.time_control
    except ValueError as error:
        raise PlanError(f"clock: {error}; this is {plan.clock!r}") from error
    if plan.version != FORMAT_VERSION:
        raise PlanError(f"version: this is {plan.version}; {FORMAT_VERSION} can be played")
    names = [player.name for player in plan.players]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise PlanError(f"player: two are named {twice!r}; give one another name")
    for player in plan.players:
        check_player(player)
        if player.bei:
            check_bei_rules(player, rules)
    if plan.sprt is not None and len(plan.players) != 2:
        raise PlanError("sprt: stops a duel of two players, not a tournament of more")
    if plan.format == "swiss" and plan.rounds >= len(plan.players) + len(plan.players) % 2:
        raise PlanError(
            f"rounds: {len(plan.players)} players can meet new opponents in "
            f"{len(plan.players) + len(plan.players) % 2 - 1} rounds, not {plan.rounds}"
        )


def check_player(player: Player) -> None:
    """Raise PlanError for a player that nobody could be."""
    from acey_arena.roster import check_bot  # noqa: PLC0415 - the bots are needed only here

    who = f"player {player.name!r}"
    kinds = [kind for kind in ("bot", "engine", "bei") if getattr(player, kind)]
    if len(kinds) != 1:
        raise PlanError(
            f"{who}: has one of bot, engine, bei; this one has {' and '.join(kinds) or 'none'}"
        )
    if player.bot:
        check_bot(player.bot, player.options, who)
    host, _, port = player.bei.rpartition(":")
    if player.bei and not (host and port.isdecimal() and 0 < int(port) < 65536):
        raise PlanError(f"{who}: {player.bei!r} is no HOST:PORT")


def check_bei_rules(player: Player, rules: RuleSet) -> None:
    """Raise PlanError for a BEI engine under rules that it cannot be told of.

    It would lose every game, and that is known before the first.
    """
    try:
        variant_of(rules)
    except BeiError as error:
        raise PlanError(f"player {player.name!r}: {error}") from error
