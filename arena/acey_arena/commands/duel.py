"""``acey duel``: two players, pairs of games with the same dice."""

import re
import shlex
from pathlib import Path
from secrets import randbelow
from typing import Annotated

import typer
from msgspec.structs import replace

from acey_arena.commands.running import (
    RUNS,
    ClusterOption,
    ConcurrencyOption,
    OutOption,
    RefereeOption,
    open_folder,
    run_and_report,
    with_options,
)
from acey_arena.folder import RunFolder
from acey_arena.plan import Plan, PlanError, Player, check_plan
from acey_arena.roster import ROSTER
from acey_arena.sprt import Sprt
from acey_daemon import cli
from acey_daemon.commands.console import CommandError, JsonOption, RulesOption

PLAYER_HELP = (
    f"A bot ({', '.join(ROSTER)}), with options as expectimax-1,candidates=3; an engine as "
    "'ubgi:COMMAND'; or bei:HOST:PORT. NAME= in front gives it a name."
)


def duel(
    a: Annotated[str, typer.Argument(metavar="A", help=PLAYER_HELP)],
    b: Annotated[str, typer.Argument(metavar="B", help="The other player.")],
    games: Annotated[
        int,
        typer.Option(
            "--games", "-n", min=2, metavar="N", help="Games, or matches, an even number."
        ),
    ] = 100,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed", min=0, max=2**62, metavar="N", help="Decides the dice; drawn if not given."
        ),
    ] = None,
    rules: RulesOption = "american",
    match: Annotated[
        int,
        typer.Option(
            "--match", min=0, max=1000, metavar="POINTS", help="Play matches to so many points."
        ),
    ] = 0,
    clock: Annotated[
        str,
        typer.Option("--clock", metavar="BANK+DELAY", help="Time control of a seat: 120+8."),
    ] = "",
    deadline: Annotated[
        float,
        typer.Option(
            "--deadline", min=0.01, metavar="SECONDS", help="The longest a decision may take."
        ),
    ] = 10.0,
    sprt: Annotated[
        str,
        typer.Option("--sprt", metavar="ELO0,ELO1", help="Stop early when one is accepted."),
    ] = "",
    alpha: Annotated[
        float, typer.Option(metavar="P", help="SPRT: chance of accepting ELO1 wrongly.")
    ] = 0.05,
    beta: Annotated[
        float, typer.Option(metavar="P", help="SPRT: chance of accepting ELO0 wrongly.")
    ] = 0.05,
    out: OutOption = None,
    json: JsonOption = False,
    concurrency: ConcurrencyOption = None,
    referee: RefereeOption = None,
    cluster: ClusterOption = None,
) -> int:
    """Let two players meet in pairs of games with the same dice and swapped seats.

    The run is kept in a folder: the report as text, HTML and JSON, all games as notation, a log.
    For example:

        acey duel blockade pip --games 400 --seed 7 --concurrency 2

        acey duel pip random --games 2000 --sprt 0,100

        acey duel blockade 'mine=ubgi:./mybot --level 3' --games 200
    """
    if games % 2:
        raise CommandError(f"games come in pairs with the same dice: {games} is odd")
    first, second = player_of(a, deadline), player_of(b, deadline)
    if first.name == second.name and a == b:
        second = replace(second, name=f"{second.name} (2)")
    try:
        plan = Plan(
            name=f"{first.name} – {second.name}",
            players=(first, second),
            seed=randbelow(2**32) if seed is None else seed,
            rules=rules,
            match=match,
            pairs=games // 2,
            clock=clock,
            times=bool(clock),
            sprt=_sprt(sprt, alpha, beta) if sprt else None,
        )
        check_plan(plan)
    except (PlanError, ValueError) as error:
        raise CommandError(str(error), cli.USAGE) from error
    plan = with_options(plan, concurrency, referee)
    where = out or RUNS / _folder_name(plan)
    folder = open_folder(lambda: RunFolder.create(Path(where), plan))
    return run_and_report(folder, plan, cluster, as_json=json)


def _sprt(text: str, alpha: float, beta: float) -> Sprt:
    words = text.split(",")
    try:
        elo0, elo1 = (float(word) for word in words)
    except ValueError as error:
        raise CommandError(f"--sprt is two Elo differences, as 0,50, not {text!r}") from error
    return Sprt(elo0, elo1, alpha, beta)


def player_of(text: str, deadline: float) -> Player:
    """The player that a word of the command line names. Raises CommandError."""
    named = re.fullmatch(r"([^=,:]+)=(.+)", text)
    name, spec = (named[1], named[2]) if named else ("", text)
    kind, colon, rest = spec.partition(":")
    if colon and kind == "ubgi":
        try:
            command = shlex.split(rest)
        except ValueError as error:
            raise CommandError(f"{text!r}: {str(error).lower()}") from error
        if not command:
            raise CommandError(f"{text!r} names no command; an engine is 'ubgi:COMMAND'")
        return Player(name=name or Path(command[0]).name, engine=tuple(command), deadline=deadline)
    if colon and kind == "bei":
        if not rest:
            raise CommandError(f"{text!r} names no address; an engine is bei:HOST:PORT")
        return Player(name=name or rest, bei=rest, deadline=deadline)
    bot, *options = spec.split(",")
    values = {key: value for key, _, value in (option.partition("=") for option in options)}
    return Player(name=name or spec, bot=bot, options=values, deadline=deadline)


def _folder_name(plan: Plan) -> str:
    names = "-".join(re.sub(r"[^A-Za-z0-9]+", "", player.name)[:24] for player in plan.players)
    return f"duel-{names}-{plan.seed}"
