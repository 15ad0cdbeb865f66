"""The short way for the two requests that nearly all traffic consists of: ``legal`` and ``play``.

A request that is written as clients write it is known by its words, and answered without the
general parts of answering.py. Whatever is out of the ordinary, and whatever will be refused, is
not taken here: None is returned, nothing has changed, and the general way does it and words what
is wrong. Where both ways go they give the same bytes (tests/daemon/test_plain.py).
"""

from typing import TYPE_CHECKING, Final, NamedTuple

from acey_daemon.play import played
from acey_protocol.errors import ProtocolError
from acey_protocol.lines import ID_DIGITS
from acey_protocol.verbs import DEFAULT_RULES
from acey_rules import PRESETS, PositionError, State

if TYPE_CHECKING:
    from acey_daemon.registry import Registry
    from acey_daemon.table import Table

_RULES: Final = {b"": PRESETS[DEFAULT_RULES]} | {
    f"rules={name}".encode(): rules for name, rules in PRESETS.items()
}
"""Rule sets by how a request says them; empty where it does not."""


class PlayDone(NamedTuple):
    """A play that has happened at a table."""

    id: str
    table: "Table"
    reply: bytes


def legal(data: bytes) -> bytes | None:
    """The reply to ``[<id>] legal <position> [rules=<preset>]`` where dice are to be played."""
    head, _, rest = data.partition(b"legal ")
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


def play(data: bytes, tables: "Registry", now: float) -> PlayDone | None:
    """Do ``[<id>] play <table> <token> <play> [ply=<ply>]`` where the play is canonical text."""
    head, _, rest = data.partition(b"play ")
    if not rest.isascii() or not _begins(head):
        return None
    name, _, rest = rest.decode().partition(" ")
    token, _, text = rest.partition(" ")
    text, given, ply = text.partition(" ply=")
    table = tables.in_memory(name)
    if table is None or table.status != "playing" or (given and ply != str(table.ply)):
        return None
    state = table.state
    if state is None or state.dice is None or not table.seated[state.turn]:
        return None
    try:
        if tables.seat(name, token)[1] is not state.turn:
            return None
    except ProtocolError:
        return None
    found = state.find_text(text)
    if found is None:
        return None
    id, done = head[:-1].decode(), played(table, found, now)
    return PlayDone(id, table, f"={id} {done.text()}".encode())


def _begins(head: bytes) -> bool:
    """Whether what stands before a verb is nothing, or an id and a space."""
    return not head or (head[:-1].isdigit() and head.endswith(b" ") and len(head) <= ID_DIGITS + 1)
