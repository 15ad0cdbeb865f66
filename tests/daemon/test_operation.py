"""Running a daemon: settings, signals, log, counters. docs/operating.md."""

import json
import re
import socket
import tomllib
import urllib.request
from pathlib import Path
from typing import Literal, get_args, get_origin

import msgspec
import pytest
from msgspec import structs
from tests.support.acey import acey, refused
from tests.support.daemon import Daemon

from acey_daemon.settings import Settings, SettingsError, settings_of, toml

ROOT = Path(__file__).parents[2]


def test_the_printed_settings_are_read_back_as_they_are(tmp_path: Path) -> None:
    printed = acey("serve", "--print-config", "--rate", "7", "--store", 'a "b".sqlite').stdout
    path = tmp_path / "acey.toml"
    path.write_text(printed)
    settings = settings_of(path, {})
    assert (settings.requests_per_second, settings.store) == (7, 'a "b".sqlite')
    assert toml(settings) == printed.rstrip("\n")
    assert set(tomllib.loads(printed)) == set(Settings.__struct_fields__)
    assert toml(Settings()) == acey("serve", "--print-config").stdout.rstrip("\n")


def test_options_go_before_the_file(tmp_path: Path) -> None:
    path = tmp_path / "acey.toml"
    path.write_text('bind = ["tcp://127.0.0.1:7"]\nstore = "file.sqlite"\n')
    printed = acey("serve", "--config", str(path), "--store", "x", "--print-config").stdout
    found = tomllib.loads(printed)
    assert (found["bind"], found["store"]) == (["tcp://127.0.0.1:7"], "x")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("colour = 3", 'there is no setting "colour"'),
        ("bind = []", "bind: at least one address is needed"),
        ("max_tables = 0", "max_tables"),
        ('durability = "none"', "durability"),
        ("store = ", "Invalid value"),
        ('store = "/"', 'store: "/" names no file'),
        (r'store = "a\u0000"', r'store: "a\u0000" names no file'),
        ('metrics = "here"', "metrics: 'here' is no <host>:<port>"),
        ('metrics = "127.0.0.1:65536"', "metrics: '127.0.0.1:65536' is no <host>:<port>"),
        ('bind = ["here"]', "bind: 'here' is no address such as tcp://"),
        ('bind = ["tcp://127.0.0.1:99999"]', "bind: 'tcp://127.0.0.1:99999' is no address"),
        ('events = ["inproc://x"]', "events: 'inproc://x' is no address"),
    ],
)
def test_a_setting_that_cannot_be_is_named(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "acey.toml"
    path.write_text(text)
    with pytest.raises(SettingsError, match=re.escape(says)):
        settings_of(path, {})
    assert says in refused("serve", "--config", str(path), status=2)


def test_a_file_of_settings_that_is_not_there(tmp_path: Path) -> None:
    line = refused("serve", "--config", str(tmp_path / "none.toml"), status=2)
    assert line.endswith("none.toml: No such file or directory")


def test_an_address_in_use_is_told(tmp_path: Path) -> None:
    with Daemon(tmp_path) as daemon:
        line = refused(
            "serve", "--bind", daemon.requests, "--events", "tcp://127.0.0.1:0",
            "--store", str(tmp_path / "other.sqlite"), status=2,
        )  # fmt: skip
        assert line == f"acey: cannot listen: {daemon.requests}: Address already in use"


@pytest.mark.parametrize(
    ("host", "why"),
    [("127.0.0.1", "Address already in use"), ("192.0.2.1", "Cannot assign requested address")],
)
def test_an_address_for_counters_that_cannot_be_had_is_told(
    tmp_path: Path, host: str, why: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        address = f"{host}:{other.getsockname()[1]}"
        line = refused(
            "serve", "--bind", "tcp://127.0.0.1:0", "--events", "tcp://127.0.0.1:0",
            "--store", str(tmp_path / "other.sqlite"), "--metrics", address, status=2,
        )  # fmt: skip
    assert line == f"acey: cannot listen: metrics {address}: {why}"


@pytest.mark.parametrize("form", ["logfmt", "json"])
def test_the_log_is_lines_that_a_program_can_read_and_has_no_token(
    tmp_path: Path, form: str
) -> None:
    with Daemon(tmp_path, "--log-format", form) as daemon:
        with daemon.client() as client:
            table = client.open(x="alpha")
            seat = client.seat(table.table, table.x)
            seat.wait(0)
            with pytest.raises(Exception, match="bad-token"):
                client.seat(table.table, table.x[::-1]).wait(0)
            client.request("history", table.table)
        assert daemon.stop() == 0
        lines = daemon.log.read_text().splitlines()
    if form == "json":
        documents = [json.loads(line) for line in lines]
        assert [each["event"] for each in documents] == ["serving", "stopped"]
        assert documents[1]["tables"] == 1
    else:
        assert re.fullmatch(
            r"time=\S+Z level=info event=serving requests=\S+ events=\S+ store=\S+ "
            r"durability=disk tables=0 curve=off",
            lines[0],
        )
        assert lines[1].endswith("level=info event=stopped tables=1")
    text = "\n".join(lines)
    assert table.x not in text
    assert table.o not in text


def test_counters_for_people_and_for_prometheus(tmp_path: Path) -> None:
    with Daemon(tmp_path, "--metrics", "127.0.0.1:0") as daemon, daemon.client() as client:
        client.open()
        stats = client.stats()
        assert stats["tables_open"] == 1
        assert stats["commits"] == 1
        found = re.search(r"metrics=127\.0\.0\.1:(\d+)", daemon.log.read_text())
        assert found is not None
        url = f"http://127.0.0.1:{found[1]}/metrics"
        with urllib.request.urlopen(url, timeout=30) as answer:
            text = answer.read().decode()
        assert "# TYPE acey_tables_open gauge\nacey_tables_open 1\n" in text
        assert "# TYPE acey_requests counter\n" in text
        names = {
            line.split()[0].removeprefix("acey_") for line in text.splitlines() if line[0] != "#"
        }
        assert names == set(stats)


def test_the_manual_names_every_setting_and_its_default() -> None:
    manual = (ROOT / "docs" / "operating.md").read_text("utf-8")
    for name in Settings.__struct_fields__:
        default = msgspec.json.encode(getattr(Settings(), name)).decode()
        assert f"| `{name}` | `{default}` |" in manual, name
    for field in structs.fields(Settings):
        if get_origin(field.type) is Literal:
            (row,) = re.findall(rf"^\| `{field.name}` \|.*", manual, re.MULTILINE)
            says = row.split("|")[4]
            assert set(get_args(field.type)) <= set(re.findall("`(.+?)`", says)), field.name
    for option in re.findall(r"(--[a-z-]+)", acey("serve", "--help").stdout):
        if option != "--help":
            assert f"`{option}" in manual, option
