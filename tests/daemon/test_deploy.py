"""What deploy/ has for systemd and containers fits the program. docs/operating.md."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.support.acey import ACEY, acey

DEPLOY = Path(__file__).parents[2] / "deploy"
MANUAL = (DEPLOY.parent / "docs" / "operating.md").read_text("utf-8")


def unit() -> dict[str, str]:
    """The settings of the unit, each by its name."""
    lines = (DEPLOY / "acey.service").read_text("utf-8").splitlines()
    pairs = [line.partition("=") for line in lines if "=" in line and not line.startswith("#")]
    return {name: value for name, _, value in pairs}


def test_the_unit_starts_the_program_that_the_manual_installs() -> None:
    service = unit()
    program, verb, *options = service["ExecStart"].split()
    assert program == "/opt/acey/bin/acey"
    assert "python3 -m venv /opt/acey && /opt/acey/bin/pip install ." in MANUAL
    assert [verb, *options] == ["serve", "--config", "/etc/acey/acey.toml"]
    assert f"useradd --system {service['User']}\n" in MANUAL
    assert service["WorkingDirectory"] == f"/var/lib/{service['StateDirectory']}"
    assert "SIGHUP" in MANUAL
    assert "kill -s HUP $MAINPID" in service["ExecReload"]
    # Without netlink ZeroMQ ends the process as soon as it binds.
    assert "AF_NETLINK" in service["RestrictAddressFamilies"].split()
    # The process that judges records may run out of memory; the daemon is to outlive it.
    assert service["OOMPolicy"] == "continue"


def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        (pytest.fail if "CI" in os.environ else pytest.skip)("systemd-analyze is not there")
    text = (DEPLOY / "acey.service").read_text("utf-8")
    path = tmp_path / "acey.service"
    path.write_text(text.replace("/opt/acey/bin/acey", str(ACEY)))
    result = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(path)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert (result.returncode, result.stderr) == (0, "")


def instructions() -> dict[str, list[str]]:
    """The instructions of the Dockerfile, with continued lines joined."""
    text = (DEPLOY / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, _, rest = line.partition(" ")
            found.setdefault(name, []).append(rest)
    return found


def test_the_image_runs_options_that_there_are() -> None:
    image = instructions()
    (entry,), (command,) = image["ENTRYPOINT"], image["CMD"]
    words = [*json.loads(entry), *json.loads(command)]
    assert words[:2] == ["/opt/acey/bin/acey", "serve"]
    assert set(words[2::2]) <= set(re.findall(r"--[a-z-]+", acey("serve", "--help").stdout))
    values = dict(zip(words[2::2], words[3::2], strict=True))
    volumes = image["VOLUME"][0].split()
    assert [str(Path(values["--store"]).parent), values["--curve"]] == volumes
    assert image["EXPOSE"][0].split() == re.findall(r":(\d+)", " ".join(words))
    assert image["USER"] == ["acey"]
    # The daemon writes into its volumes, which take their owner from the image.
    assert any(f"install -d -o acey -m 700 {' '.join(volumes)}" in run for run in image["RUN"])


def test_what_the_image_is_built_from_is_sent_to_the_builder() -> None:
    """All packages and what the build reads; no environment, history or compiled kernel."""
    lines = (DEPLOY / "Dockerfile.dockerignore").read_text("utf-8").splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    sent = {line.removeprefix("!") for line in rules if line.startswith("!")}
    assert rules[0] == "*"
    folders = {path.parent.parent.name for path in DEPLOY.parent.glob("*/acey_*/__init__.py")}
    assert sent == {*folders, "LICENSE", "README.md", "pyproject.toml", "setup.py"}
    assert "**/*.so" in rules
