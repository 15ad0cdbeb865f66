"""JSON that may stand inside an HTML page."""

import json
from collections.abc import Mapping, Sequence

Json = str | int | float | bool | None | Sequence["Json"] | Mapping[str, "Json"]
"""Anything JSON can say."""

_SPECIAL = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026"}


def script_json(value: Json) -> str:
    """The value as JSON without a character that HTML or JavaScript could take for markup.

    Everything beyond ASCII, the line separators of JavaScript included, is escaped too.
    """
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).translate(_SPECIAL)
