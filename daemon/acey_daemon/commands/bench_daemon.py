"""``acey bench daemon``: the daemon beside a bare echo and beside bare SQLite."""

from typing import Annotated

import typer

from acey_daemon import cli
from acey_daemon.bench import CLIENTS, IN_FLIGHT, measure_legal, measure_play
from acey_daemon.commands.console import JsonOption, out, out_json


def daemon(
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.1, metavar="S", help="For each figure.")
    ] = 3.0,
    tables: Annotated[
        int, typer.Option("--tables", min=1, metavar="N", help="Busy tables for play.")
    ] = 256,
    pause: Annotated[
        float,
        typer.Option(
            "--pause", min=0.0, metavar="MS", help="How much longer a slower disk takes; 0: none."
        ),
    ] = 4.0,
    json: JsonOption = False,
) -> int:
    """Measure the daemon on this machine, each figure beside something outside it.

    Stateless `legal` beside a bare ZeroMQ loop that answers as many bytes; durable `play` beside
    the same rows written to SQLite in groups of the same size, and a bare loop that stores a row
    before it answers. The store lies in the current folder, whose disk counts: what `play` is of
    SQLite alone depends on it above all. So it is measured again with commits that take longer.

    For example:

        acey bench daemon --seconds 5
    """
    legal = measure_legal(seconds)
    plays = [measure_play(seconds, tables, "disk")]
    if pause:
        plays.append(measure_play(seconds, tables, "disk", pause / 1e3))
    plays.append(measure_play(seconds, tables, "process"))
    if json:
        out_json({"legal": legal._asdict(), "play": [each._asdict() for each in plays]})
        return cli.GOOD
    out(f"legal, {legal.request_bytes:.0f} bytes asked, {legal.reply_bytes:.0f} answered")
    for name, each in (("echo", legal.echo), ("legal", legal.legal)):
        out(f"  {name:6} {each.per_second:9.0f}/s, {each.server_us:6.1f} us of the server")
    rate = legal.legal.per_second / legal.echo.per_second
    out(f"  ratio  {rate:.2f} of the echo at {CLIENTS} clients with {IN_FLIGHT} in flight each")
    for name, lone in (("echo", legal.lone_echo), ("legal", legal.lone_legal)):
        out(f"  {name:6} alone: p50 {lone.p50:.0f} us, p99 {lone.p99:.0f} us")
    p50 = legal.lone_legal.p50 / legal.lone_echo.p50
    p99 = legal.lone_legal.p99 / legal.lone_echo.p99
    out(f"  ratio  alone: p50 {p50:.2f}, p99 {p99:.2f}")
    for figures in plays:
        slower = f", a disk that takes {figures.pause_ms:g} ms longer" if figures.pause_ms else ""
        out(f"play at {tables} tables, durability={figures.durability}{slower}")
        out(f"  play   {figures.plays_per_second:9.0f}/s, {figures.server_us:.1f} us of the server")
        out(f"  commit {figures.rows_per_commit:9.1f} rows each")
        raw = f"  SQLite {figures.raw_rows_per_second:9.0f} rows/s in groups of that size"
        out(f"{raw}, {figures.raw_commit_ms:.2f} ms each")
        out(f"  ratio  {figures.plays_per_second / figures.raw_rows_per_second:.2f}")
        out(f"  bare   {figures.bare_per_second:9.0f}/s of a loop that stores a row, then answers")
        out(f"  ratio  {figures.plays_per_second / figures.bare_per_second:.2f}")
    return cli.GOOD
