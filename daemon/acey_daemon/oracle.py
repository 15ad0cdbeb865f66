"""The stateless verbs: what a rules oracle answers. spec/protocol.md §5.

Every answer comes from the request alone. ``acey stdio`` offers these verbs and nothing else; the
daemon offers them beside its tables.
"""

from importlib.metadata import version
from typing import cast

from acey_daemon.answering import Call, Handler, Outcome, Written
from acey_daemon.records import convert, validate
from acey_daemon.steps import legal_document
from acey_daemon.table import letter_of
from acey_grammar import parse_action
from acey_grammar.board import text_board
from acey_protocol.errors import Code, refused
from acey_protocol.replies import Applied, Board, Done, Hello, Help, Result
from acey_protocol.verbs import PROTOCOL, VERBS, describe
from acey_rules import PRESETS, RuleSet, Side, State
from acey_rules import Outcome as GameOutcome
from acey_rules.generator import NAME as GENERATOR


def server_name() -> str:
    """``aceydeucey/<version>``."""
    return f"aceydeucey/{version('aceydeucey')}"


def result_of(outcome: GameOutcome | None, score: tuple[int, int] | None = None) -> Result | None:
    """How a game ended, as replies say it; ``score`` at the end of a match."""
    if outcome is None:
        return None
    return Result(letter_of(outcome.winner), outcome.points, outcome.how.value, score)


def _state(call: Call) -> State:
    return State.parse(call.text("position"), cast(RuleSet, call.values["rules"]))


def _hello(durability: str) -> Handler:
    answer = Hello(PROTOCOL, server_name(), tuple(PRESETS), durability, GENERATOR)

    def hello(call: Call) -> Outcome:
        del call
        return answer

    return hello


def _ping(call: Call) -> Outcome:
    del call
    return Done()


def _help(call: Call) -> Outcome:
    name = call.text("verb")
    if not name:
        return Help(tuple(f"{verb.usage}: {verb.about}" for verb in VERBS.values()))
    verb = VERBS.get(name)
    if verb is None:
        raise refused(Code.BAD_ARGUMENT, f"verb: there is no verb {name[:40]!r}")
    return Help(tuple(describe(verb)))


def _legal(call: Call) -> Outcome:
    state = _state(call)
    if call.json:
        return legal_document(state)
    if state.dice is not None:
        count, text = state.legal_listing()
        return Written(str(count), text)
    lines = [f"{action}\t{state.apply(action).line}" for action in state.legal_actions()]
    return Written(str(len(lines)), "\n".join(lines))


def _apply(call: Call) -> Outcome:
    after = _state(call).apply(parse_action(call.text("action")))
    return Applied(after.line, result_of(after.outcome))


def _show(call: Call) -> Outcome:
    state = _state(call)
    pips = [state.position.pips(side) for side in Side]
    return Board(text_board(state), pips[0], pips[1])


def _validate(call: Call) -> Outcome:
    rules = cast(RuleSet | None, call.values["rules"])
    return validate(call.request.payload, call.text("format"), rules)


def _convert(call: Call) -> Outcome:
    return convert(call.request.payload, call.text("from"), call.text("to"))


def oracle(durability: str = "none") -> dict[str, Handler]:
    """The handlers of the stateless verbs; ``durability`` is what ``hello`` says of the tables."""
    return {
        "hello": _hello(durability),
        "ping": _ping,
        "help": _help,
        "legal": _legal,
        "apply": _apply,
        "show": _show,
        "validate": _validate,
        "convert": _convert,
    }
