"""Records that come with a request: read, judged and written. spec/protocol.md §5.3.

``_READERS`` and ``_WRITERS`` are the one registry of formats the verbs know.
"""

import io
from collections.abc import Callable, Iterator, Mapping

from acey_grammar import ReadGame, read_acey, write_games
from acey_grammar.validate import validate as validate_game
from acey_protocol.errors import Code, ProtocolError, refused
from acey_protocol.records import (
    GameRecord,
    MatchRecord,
    RecordDecodeError,
    decode_json,
    encode_json,
)
from acey_protocol.replies import Converted, Validated
from acey_rules import RuleSet


def _read_acey(text: str) -> Iterator[ReadGame]:
    return read_acey(io.StringIO(text))


def _read_json(text: str) -> Iterator[ReadGame]:
    try:
        record = decode_json(text)
    except RecordDecodeError as error:
        raise refused(Code.BAD_RECORD, f"1:1 {error}") from None
    for game in record.games if isinstance(record, MatchRecord) else (record,):
        yield ReadGame(game, format="json")


def _write_acey(games: list[GameRecord]) -> str:
    return write_games(games).rstrip("\n")


def _write_json(games: list[GameRecord]) -> str:
    """One game is a document; several are a document a line."""
    return "\n".join(encode_json(game).decode() for game in games)


_READERS: Mapping[str, Callable[[str], Iterator[ReadGame]]] = {
    "acey": _read_acey,
    "json": _read_json,
}
_WRITERS: Mapping[str, Callable[[list[GameRecord]], str]] = {
    "acey": _write_acey,
    "json": _write_json,
}


def validate(payload: str, form: str, rules: RuleSet | None) -> Validated:
    """Read and replay every game of a payload.

    ``form`` is a format, or ``auto``. Raises BadRecord with the first fault as its message and
    the others as its payload, a line each; BadArgument for a format that is not known.
    """
    games = list(_read(payload, "auto" if form == "json" and not _is_json(payload) else form))
    results = [validate_game(game, rules) for game in games]
    faults = [fault for result in results for fault in result.faults]
    if faults:
        raise _bad([str(fault) for fault in faults], {"faults": faults})
    if not games:
        raise _bad(["1:1 there is no game"], {})
    return Validated(len(games), sum(result.turns for result in results))


def convert(payload: str, source: str, target: str) -> Converted:
    """Write the games of a payload in another format.

    Raises BadRecord for a payload with faults of form, BadArgument for an unknown format.
    """
    writer = _WRITERS.get(target)
    if writer is None:
        raise _unknown("to", target, _WRITERS)
    games = list(_read(payload, source, "from"))
    faults = [str(fault) for game in games for fault in game.faults]
    if faults:
        raise _bad(faults, {})
    return Converted(writer([game.record for game in games]))


def _read(payload: str, form: str, argument: str = "format") -> Iterator[ReadGame]:
    if form == "auto":
        form = "json" if _is_json(payload) else "acey"
    reader = _READERS.get(form)
    if reader is None:
        raise _unknown(argument, form, _READERS)
    return reader(payload)


def _is_json(payload: str) -> bool:
    """A JSON document begins with a brace or with two brackets; a tag has a name after its one."""
    head = payload.lstrip()[:64].replace(" ", "").replace("\n", "")
    return head.startswith(("{", "[{", "[[", "[]"))


def _bad(lines: list[str], details: dict[str, object]) -> ProtocolError:
    return refused(Code.BAD_RECORD, lines[0], payload="\n".join(lines[1:]), details=details)


def _unknown(argument: str, form: str, known: Mapping[str, object]) -> ProtocolError:
    return refused(
        Code.BAD_ARGUMENT, f"{argument}: there is no format {form[:40]!r}, only {', '.join(known)}"
    )
