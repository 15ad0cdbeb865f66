"""``acey legal``: the legal plays of a position, or whatever else can be done there."""

from acey_daemon.commands.console import PositionArgument, RulesOption, out, rules_named
from acey_rules import State


def legal(position: PositionArgument, rules: RulesOption = "american") -> None:
    """List the legal plays of a position, each with the position it leads to.

    For example:

        acey legal --------------------------:15:15:x:63
    """
    state = State.parse(position, rules_named(rules))
    for action in state.legal_actions():
        out(f"{action}\t{state.apply(action).line}")
