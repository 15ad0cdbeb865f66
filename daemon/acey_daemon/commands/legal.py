"""``acey legal``: the legal plays of a position, or whatever else can be done there."""

from acey_daemon.commands.console import (
    JsonOption,
    PositionArgument,
    RulesOption,
    out,
    out_json,
    rules_named,
)
from acey_daemon.steps import legal_document
from acey_rules import State


def legal(
    position: PositionArgument, rules: RulesOption = "american", json: JsonOption = False
) -> None:
    """List the legal plays of a position, each with the position it leads to, after a tab.

    The order is that of spec/notation.md. Where a double is to be named or the dice are to be
    rolled, the six names or the 21 rolls are listed instead; a finished game lists nothing. With
    `--json` every play comes move by move, as `format=json` of spec/protocol.md has it.

    For example:

        acey legal --------------------------:15:15:x:63

        acey legal --rules backgammon --json -b----E-C---eE---c-e----B-:0:0:x:62
    """
    state = State.parse(position, rules_named(rules))
    if json:
        out_json(legal_document(state))
        return
    for action in state.legal_actions():
        out(f"{action}\t{state.apply(action).line}")
