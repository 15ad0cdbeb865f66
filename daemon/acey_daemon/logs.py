"""The daemon's log: one line an event, as logfmt or JSON, on standard error.

A message names what happened; what it is about is in ``extra={"fields": {…}}``. No token, secret or
key of a table is ever among the fields: nothing that logs is given one.
"""

import logging
import re
import sys
from datetime import UTC, datetime

import msgspec

_PLAIN = re.compile(r"[^\s\"=]+\Z")


class LineFormatter(logging.Formatter):
    """Writes a record as one line."""

    def __init__(self, form: str) -> None:
        """``form`` is ``logfmt`` or ``json``."""
        super().__init__()
        self._json = form == "json"

    def format(self, record: logging.LogRecord) -> str:
        """``time=… level=… event=… …``, or the same as a JSON object."""
        when = datetime.fromtimestamp(record.created, UTC)
        pairs: dict[str, object] = {
            "time": when.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            pairs["trace"] = self.formatException(record.exc_info)
        if self._json:
            return msgspec.json.encode(pairs).decode()
        return " ".join(f"{name}={_word(value)}" for name, value in pairs.items())


def _word(value: object) -> str:
    text = str(value)
    return text if _PLAIN.match(text) else msgspec.json.encode(text).decode()


def start_logging(form: str, level: str) -> None:
    """Send the log of the program to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LineFormatter(form))
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
