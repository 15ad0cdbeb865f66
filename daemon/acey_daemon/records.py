"""Records that come with a request: read, judged and written. spec/protocol.md §5.3.

``_READERS`` and ``_WRITERS`` are our own formats; the foreign ones are those of
``acey_grammar.formats.registry``.
"""

import io
from collections.abc import Callable, Iterable, Iterator, Mapping

from acey_grammar import ReadGame, read_acey, write_games
from acey_grammar.formats.lines import TextLines
from acey_grammar.formats.raw import Line
from acey_grammar.formats.registry import FORMATS, judge, sniff
from acey_grammar.formats.score import Tally
from acey_grammar.formats.telling import UnsupportedError, tell
from acey_grammar.formats.verdict import Verdict
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
    form = "auto" if form == "json" and not _is_json(payload) else form
    foreign = _foreign(payload, form, rules)
    if foreign is not None:
        return _validated(foreign)
    games = list(_read(payload, form))
    results = [validate_game(game, rules) for game in games]
    faults = [fault for result in results for fault in result.faults]
    if faults:
        raise _bad([str(fault) for fault in faults], {"faults": faults})
    if not games:
        raise _bad(["1:1 there is no game"], {})
    return Validated(len(games), sum(result.turns for result in results))


def convert(payload: str, source: str, target: str) -> Converted:
    """Write the games of a payload in another format.

    Raises BadRecord for a payload with faults of form, BadArgument for an unknown format,
    Unsupported for a game that the target cannot hold.
    """
    if target not in _WRITERS and target not in FORMATS:
        raise _unknown("to", target, (*_WRITERS, *FORMATS))
    foreign = _foreign(payload, source, None)
    losses: list[str] = []
    if foreign is not None:
        faults = [str(fault) for one in foreign for fault in one.faults if fault.kind in _OF_FORM]
        records = [one.record for one in foreign if one.record is not None]
        losses += [loss for one in foreign for loss in one.losses]
    else:
        games = list(_read(payload, source, "from"))
        faults = [str(fault) for game in games for fault in game.faults]
        records = [game.record for game in games]
    if faults:
        raise _bad(faults, {})
    if target in FORMATS:
        text = _write_foreign(records, target, losses)
    else:
        text = _WRITERS[target](records)
    return Converted(text, tuple(dict.fromkeys(losses)))


_OF_FORM = ("syntax", "cut-off", "encoding", "unsupported")
"""Faults that leave a game unread in part."""


def _foreign(payload: str, form: str, rules: RuleSet | None) -> list[Verdict] | None:
    """The games of a payload in a foreign format, judged; None when it is in one of ours."""
    lines: Iterable[Line] = TextLines(io.BytesIO(payload.encode()))
    if form == "auto" and not _is_json(payload):
        told, lines = sniff(lines)
        form = told or form
    if form not in FORMATS:
        return None
    verdicts = [judge(chunk, rules) for chunk in FORMATS[form].split(lines)]
    tally = Tally()
    for verdict in verdicts:
        tally.check(verdict)
    return verdicts


def _validated(verdicts: list[Verdict]) -> Validated:
    faults = [fault for verdict in verdicts for fault in verdict.faults]
    if faults:
        raise _bad([str(fault) for fault in faults], {"faults": faults})
    if not verdicts:
        raise _bad(["1:1 there is no game"], {})
    return Validated(len(verdicts), sum(verdict.turns for verdict in verdicts))


def _write_foreign(records: list[GameRecord], target: str, losses: list[str]) -> str:
    form = FORMATS[target]
    try:
        games = [tell(record, form.held) for record in records]
        text = "".join(form.write(games))
    except UnsupportedError as error:
        raise refused(Code.UNSUPPORTED, str(error)) from None
    losses += [loss for game in games for loss in game.losses]
    return text.rstrip("\n")


def _read(payload: str, form: str, argument: str = "format") -> Iterator[ReadGame]:
    if form == "auto":
        form = "json" if _is_json(payload) else "acey"
    reader = _READERS.get(form)
    if reader is None:
        raise _unknown(argument, form, (*_READERS, *FORMATS))
    return reader(payload)


def _is_json(payload: str) -> bool:
    """A JSON document begins with a brace or with two brackets; a tag has a name after its one."""
    head = payload.lstrip()[:64].replace(" ", "").replace("\n", "")
    return head.startswith(("{", "[{", "[[", "[]"))


def _bad(lines: list[str], details: dict[str, object]) -> ProtocolError:
    return refused(Code.BAD_RECORD, lines[0], payload="\n".join(lines[1:]), details=details)


def _unknown(argument: str, form: str, known: Iterable[str]) -> ProtocolError:
    return refused(
        Code.BAD_ARGUMENT, f"{argument}: there is no format {form[:40]!r}, only {', '.join(known)}"
    )
