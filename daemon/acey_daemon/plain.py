"""The short way for what nearly all traffic consists of: ``legal``, ``play`` and ``name``.

A request that is written as clients write it is known by its words, and answered without the
general parts of answering.py. Whatever is out of the ordinary, and whatever will be refused, is
not taken here: None is returned, nothing has changed, and the general way does it and words what
is wrong. Where both ways go they give the same bytes (tests/daemon/test_plain.py).
"""

from typing import TYPE_CHECKING, Final, NamedTuple

from acey_daemon.play import name, played
from acey_protocol.errors import ProtocolError
from acey_protocol.lines import ID_DIGITS
from acey_protocol.verbs import DEFAULT_RULES
from acey_rules import NAME, PRESETS, PositionError, State

if TYPE_CHECKING:
    from acey_daemon.registry import Registry
    from acey_daemon.table import Table

_RULES: Final = {b"": PRESETS[DEFAULT_RULES]} | {
    f"rules={name}".encode(): rules for name, rules in PRESETS.items()
}
"""Rule sets by how a request says them; empty where it does not."""
_NUMBERS: Final = frozenset("123456")


class Done(NamedTuple):
    """An action that has happened at a table."""

    id: str
    table: "Table"
    reply: bytes


def legal(data: bytes) -> bytes | None:
    """The reply to ``[<id>] legal <position> [rules=<preset>]`` where dice are to be played."""
    head, verb, rest = data.partition(b"legal ")
    if not verb:
        return None
    line, _, named = rest.partition(b" ")
    rules = _RULES.get(named)
    if rules is None or not _begins(head) or not line.isascii():
        return None
    try:
        state = State.parse(line.decode(), rules)
    except PositionError:
        return None
    if state.dice is None:
        return None
    count, text = state.legal_listing()
    return b"=%b %d\n%b" % (head[:-1], count, text.encode())


def act(data: bytes, tables: "Registry", now: float) -> Done | None:
    """Do ``[<id>] play <table> <token> <play> [ply=<ply>]`` where the play is canonical text.

    Likewise ``[<id>] name <table> <token> <number> [ply=<ply>]``.
    """
    head, verb, rest = data.partition(b"play ")
    if not verb:
        head, verb, rest = data.partition(b"name ")
    if not verb or not rest.isascii() or not _begins(head):
        return None
    id, _, rest = rest.decode().partition(" ")
    token, _, text = rest.partition(" ")
    text, given, ply = text.partition(" ply=")
    table = tables.in_memory(id)
    if table is None or table.status != "playing" or (given and ply != str(table.ply)):
        return None
    state = table.state
    if state is None or state.outcome is not None or not table.seated[state.turn]:
        return None
    try:
        if tables.seat(id, token)[1] is not state.turn:
            return None
    except ProtocolError:
        return None
    if verb == b"play ":
        found = state.find_text(text) if state.dice is not None else None
        if found is None:
            return None
        done = played(table, found, now)
    elif state.agenda[0] is NAME and text in _NUMBERS:
        done = name(table, state.turn, int(text), now)
    else:
        return None
    head_text = head[:-1].decode()
    return Done(head_text, table, f"={head_text} {done.text()}".encode())


def _begins(head: bytes) -> bool:
    """Whether what stands before a verb is nothing, or an id and a space."""
    return not head or (head[:-1].isdigit() and head.endswith(b" ") and len(head) <= ID_DIGITS + 1)
