"""What a result says of the machine and the software it was measured with."""

import os
import platform
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from acey_rules import generator


def facts() -> dict[str, object]:
    return {
        "measured": datetime.now(UTC).isoformat(timespec="seconds"),
        "aceydeucey": version("aceydeucey"),
        "generator": generator.NAME,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "compiler": platform.python_compiler(),
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "processors": os.cpu_count(),
        "load": os.getloadavg() if hasattr(os, "getloadavg") else None,
        "byte order": sys.byteorder,
        "peers": {name: _version(name) for name in ("gnubg-nn", "open-spiel", "chess")},
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = {line.partition(":")[2].strip() for line in lines if line.startswith("model name")}
    return ", ".join(sorted(names)) or platform.processor()
