"""The pages' styles, scripts and templates, read from the package's ``assets`` folder.

There is no build step. The live page serves the modules as they are; a page that must stand alone
takes them in one piece (``bundle``).
"""

import re
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from string import Template

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const)\b)", re.MULTILINE)


def asset(name: str) -> str:
    """The text of one file."""
    return files("acey_viewer").joinpath("assets", name).read_text("utf-8")


def bundle(name: str) -> str:
    """A module together with those it imports, as one script without imports.

    Names must differ between the modules; they import by name (``import { a } from "./b.js"``) and
    export where they declare.
    """
    order: list[str] = []
    _gather(name, order)
    parts = [_EXPORT.sub("", _IMPORT.sub("", asset(each))) for each in order]
    return "\n".join(parts)


def _gather(name: str, order: list[str]) -> None:
    """Put a module's imports before it, each once."""
    for imported in _IMPORT.findall(asset(name)):
        if imported not in order:
            _gather(imported, order)
    order.append(name)


def fill(name: str, **parts: str) -> str:
    """A template with its ``$parts``; they are put in as they are, so escape what is text."""
    return Template(asset(name)).substitute(parts)


def source_hash(text: str) -> str:
    """What a content security policy calls an inline script or style by."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
