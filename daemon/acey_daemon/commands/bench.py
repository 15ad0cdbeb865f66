"""``acey bench perft``: count positions, and see how fast."""

from time import process_time
from typing import Annotated

import typer

from acey_daemon.commands.console import JsonOption, RulesOption, out, out_json, rules_named
from acey_rules import ROLL, Position, Side, State, generator
from acey_rules.perft import perft as count


def perft(
    depth: Annotated[int, typer.Option("--depth", metavar="N", help="How many rolls deep, 1-12.")],
    rules: RulesOption = "american",
    position: Annotated[
        str | None,
        typer.Option(
            "--position",
            metavar="LINE",
            help="The position line to start from; without it, the start with X to roll.",
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Count the positions that every roll and play leads to (spec/perft.md §1).

    Prints a line for each depth: the count, the seconds of processor time, and counts a second.

    For example:

        acey bench perft --rules backgammon --depth 3
    """
    chosen = rules_named(rules)
    if position is None:
        state = State(chosen, Position.start(chosen.setup), Side.X, (ROLL,))
    else:
        state = State.parse(position, chosen)
    rows: list[dict[str, object]] = []
    for plies in range(1, depth + 1) if depth > 0 else [depth]:
        begun = process_time()
        nodes = count(state, plies)
        seconds = process_time() - begun
        rate = round(nodes / seconds) if seconds else None
        rows.append({"depth": plies, "nodes": nodes, "seconds": seconds, "nodes_per_second": rate})
        if not json:
            speed = "" if rate is None else f"\t{rate} nodes/s"
            out(f"{plies}\t{nodes} nodes\t{seconds:.3f} s{speed}")
    if json:
        out_json(
            {
                "rules": chosen.name,
                "position": state.line,
                "generator": generator.NAME,
                "counts": rows,
            }
        )
