"""``acey engine``: an engine at a seat of a daemon."""

from shutil import which
from typing import Annotated

import typer

from acey_arena.engine_player import play_engine
from acey_arena.plan import PlanError, Player, check_bei_rules, check_player
from acey_arena.roster import make_seat
from acey_arena.seat import Fault
from acey_daemon import cli
from acey_daemon.commands.connecting import ClientOption, CurveOption, curve_keys
from acey_daemon.commands.console import AddressOption, CommandError, note, out, rules_named
from acey_protocol.client import DEFAULT_ADDRESS, Client
from acey_protocol.client import Seat as TableSeat
from acey_protocol.errors import AceyError


def engine(
    command: Annotated[
        list[str] | None, typer.Argument(metavar="[-- CMD…]", help="A UBGI engine's command.")
    ] = None,
    bei: Annotated[
        str, typer.Option("--bei", metavar="HOST:PORT", help="A BEI engine instead of a command.")
    ] = "",
    table: Annotated[str, typer.Option("--table", metavar="TABLE", help="The table.")] = "",
    token: Annotated[
        str, typer.Option("--token", envvar="ACEY_TOKEN", metavar="TOKEN", help="Its seat's token.")
    ] = "",
    seek: Annotated[
        str, typer.Option("--seek", metavar="NAME", help="Look for an opponent under this name.")
    ] = "",
    rules: Annotated[
        str, typer.Option("--rules", metavar="RULES", help="With --seek: the rules.")
    ] = "american",
    match: Annotated[
        int, typer.Option("--match", min=0, metavar="POINTS", help="With --seek: points.")
    ] = 0,
    clock: Annotated[
        str, typer.Option("--clock", metavar="BANK+DELAY", help="With --seek: time, as 120+8.")
    ] = "",
    option: Annotated[
        list[str] | None,
        typer.Option("--option", metavar="NAME=VALUE", help="Set an option of the engine."),
    ] = None,
    deadline: Annotated[
        float,
        typer.Option(
            "--deadline", min=0.01, metavar="SECONDS", help="The longest a decision may take."
        ),
    ] = 60.0,
    address: AddressOption = DEFAULT_ADDRESS,
    curve: CurveOption = None,
    client: ClientOption = None,
) -> int:
    """Seat an engine at a daemon's table and let it play to the end of its match.

    An engine that crashes, hangs, babbles or plays illegally gives its seat up: the game is
    forfeited. What it last wrote to its standard error is shown. For example:

        acey engine --table 7 --token 0123456789abcdef0123456789abcdef -- ./mybot --level 3

        acey engine --seek mybot --match 7 --option engine.ply=2 -- ./mybot
    """
    if bool(command) == bool(bei):
        raise CommandError("name a command after --, or an address with --bei")
    if bool(table and token) == bool(seek) or (seek and table):
        raise CommandError("name a seat with --table and --token, or --seek an opponent")
    if command and which(command[0]) is None:  # before a seat is taken that nobody would play
        raise CommandError(f"there is no command {command[0]!r} that can be started")
    values = dict(map(_option, option or []))
    player = Player(
        name=seek or "engine",
        engine=tuple(command or ()),
        bei=bei,
        options=values,
        deadline=deadline,
    )
    try:
        check_player(player)
        if bei and seek:
            check_bei_rules(player, rules_named(rules))
    except PlanError as error:
        raise CommandError(str(error)) from error
    with Client(address, curve=curve_keys(curve, client), tell=note) as connected:
        try:
            if table:
                seat = connected.seat(table, token)
            else:
                seat = _sought(connected, seek, rules, match, clock)
            over = play_engine(make_seat(player), seat)
        except Fault as fault:
            for line in fault.last_lines:
                note(f"engine: {line}")
            raise CommandError(f"the engine has forfeited: {fault}", cli.BAD_INPUT) from fault
        except AceyError as error:
            raise CommandError(str(error)) from error
    out(over.text())
    return cli.GOOD


def _option(word: str) -> tuple[str, str]:
    """An option of the engine and its value. Raises CommandError."""
    name, equals, value = word.partition("=")
    if not (name and equals):
        raise CommandError(f"--option is NAME=VALUE, not {word!r}")
    return name, value


def _sought(client: Client, name: str, rules: str, match: int, clock: str) -> TableSeat:
    """A seat with an opponent; asked for again until there is one."""
    while True:
        seat = client.seek(name, rules=rules, match=match, clock=clock)
        if seat is not None:
            return seat
        note("acey: still looking for an opponent")
