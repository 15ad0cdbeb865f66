"""Run the benchmarks: ``python -m bench [SECTION…]``, all sections without arguments."""

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

from bench.figures import Figure, table
from bench.machine import facts

SECTIONS = ("rules", "startup", "memory")
"""Modules of this folder with a function ``tables``, in the order they run."""
RESULTS = Path(__file__).parent / "results"


def main(wanted: list[str]) -> None:
    unknown = [name for name in wanted if name not in SECTIONS]
    if unknown:
        sys.exit(f"bench: there is no section {unknown[0]!r}; there are {', '.join(SECTIONS)}")
    machine = facts()
    for name, fact in machine.items():
        print(f"{name}: {fact}")
    told: list[dict[str, object]] = []
    for name in wanted or SECTIONS:
        tables: Callable[[], Iterator[tuple[str, list[Figure]]]]
        tables = import_module(f"bench.{name}").tables
        for title, figures in tables():
            print(f"\n{table(title, figures)}", flush=True)
            told.append(
                {"section": name, "title": title, "figures": [asdict(each) for each in figures]}
            )
    RESULTS.mkdir(exist_ok=True)
    stamp = str(machine["measured"]).replace(":", "").replace("+0000", "Z")
    file = RESULTS / f"{stamp}.json"
    file.write_text(json.dumps({"machine": machine, "tables": told}, indent=1) + "\n", "utf-8")
    print(
        f"\nwritten to {file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file}"
    )


main(sys.argv[1:])
