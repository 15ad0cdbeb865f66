"""A unit of games to verdicts. It runs in whatever process the pool gives it to."""

from typing import NamedTuple

from msgspec.structs import replace

from acey_daemon.archive.documents import Document
from acey_daemon.archive.units import Unit
from acey_grammar.faults import Fault
from acey_grammar.formats.native import clean_under, judge_game, judge_text
from acey_grammar.formats.raw import Chunk
from acey_grammar.formats.registry import FORMATS, clean_rule_sets, judge_raw
from acey_grammar.formats.verdict import Verdict
from acey_grammar.reading import ReadGame
from acey_protocol.records import (
    GameRecord,
    MatchRecord,
    RecordDecodeError,
    decode_json,
    decode_msgpack,
)
from acey_rules import RuleSet


class Options(NamedTuple):
    """How games are judged."""

    rules: RuleSet | None = None
    """Replay by this rule set, whatever the games name."""
    infer: bool = False
    """Replay by every preset, and say which are clean."""
    records: bool = False
    """Keep the records."""


def judge_unit(unit: Unit, options: Options) -> list[Verdict]:
    """Every game of a unit, and what is wrong with the file as a game of its own, number 0."""
    found = [_judge_chunk(chunk, options) for chunk in unit.chunks]
    if unit.text:
        records = options.records or options.infer
        found += judge_text(unit.text.decode(), unit.line, options.rules, records)
    for document in unit.documents:
        found += _judge_document(document, unit.format, options)
    if unit.faults or unit.notices:
        found.append(
            Verdict(
                format=unit.format,
                rules="",
                players=("", ""),
                faults=unit.faults,
                notices=unit.notices,
            )
        )
    if options.infer:
        for verdict in found:
            _infer(verdict)
    if not options.records:
        for verdict in found:
            verdict.record = None
    return found


def _judge_chunk(chunk: Chunk, options: Options) -> Verdict:
    raw = FORMATS[chunk.format].read(chunk)
    verdict = judge_raw(raw, options.rules)
    if options.infer and raw.rules:
        verdict.clean_under = clean_rule_sets(raw)
    return verdict


def _infer(verdict: Verdict) -> None:
    """Name every preset under which a game of ours is clean; foreign ones are done already."""
    if verdict.format in FORMATS or verdict.record is None:
        return
    fixed = [fault for fault in verdict.faults if fault.kind in ("syntax", "cut-off")]
    verdict.clean_under = () if fixed else clean_under(ReadGame(verdict.record))


def _judge_document(document: Document, form: str, options: Options) -> list[Verdict]:
    try:
        if document.problem:
            raise RecordDecodeError(document.problem)
        decode = decode_json if form == "json" else decode_msgpack
        record = decode(document.data)
    except RecordDecodeError as error:
        fault = Fault(kind="syntax", line=document.line, column=1, message=str(error))
        return [
            Verdict(line=document.line, format=form, rules="", players=("", ""), faults=(fault,))
        ]
    games: tuple[GameRecord, ...]
    losses: tuple[str, ...] = ()
    if isinstance(record, MatchRecord):
        games = record.games
        losses = _match_losses(record)
    else:
        games = (record,)
    found: list[Verdict] = []
    for game in games:
        verdict = judge_game(ReadGame(game, format=form), options.rules)
        verdict.line = document.line
        verdict.faults = tuple(_placed(fault, document.line) for fault in verdict.faults)
        verdict.losses = losses
        found.append(verdict)
    return found


def _placed(fault: Fault, line: int) -> Fault:
    return fault if fault.line else replace(fault, line=line, column=1)


def _match_losses(record: MatchRecord) -> tuple[str, ...]:
    """What a match holds besides its games."""
    held = {"the clock": record.clock, "where the dice came from": record.dice}
    return tuple(f"of the match: {name}" for name, value in held.items() if value is not None)
