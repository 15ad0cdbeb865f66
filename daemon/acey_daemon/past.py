"""Actions that were done before: what makes sending an action again safe. spec/protocol.md §6.2."""

from acey_daemon.store import Store
from acey_daemon.table import Past, Table
from acey_grammar import NotationError, parse_play
from acey_protocol.errors import Code, ProtocolError, refused
from acey_protocol.replies import Acted
from acey_rules import RulesError, Side, State


def again(store: Store, table: Table, side: Side, ply: int, action: str) -> Acted:
    """The reply that an action of that ply got. Raises StalePly, saying what was done."""
    if ply > table.ply:
        raise refused(
            Code.STALE_PLY, f"ply {ply} has not come; ply {table.ply} is next", details=_next(table)
        )
    last = table.last
    if last is not None and (last.ply, last.side) == (ply, side) and _says(last, action):
        return Acted(last.ply, last.position, last.over)  # mostly the reply to it was lost
    past, before = _find(store, table, ply)
    if past.side is side and _same(table, past, before, action):
        return Acted(past.ply, past.position, past.over)
    raise refused(
        Code.STALE_PLY,
        f"ply {ply} is past: {past.side.name} did '{past.action}'",
        details={"done": past.action, **_next(table)},
    )


def _next(table: Table) -> dict[str, object]:
    return {"ply": table.ply}


def _find(store: Store, table: Table, ply: int) -> tuple[Past, str]:
    """What was done at a ply and the position it was done in."""
    events = [event for _, event in store.history(table.id, 1, None)] + table.pending
    copy = Table(table.id, table.private, table.opened)
    found: Past | None = None
    before = ""
    for event in events[1:]:
        position = "" if copy.state is None else copy.state.line
        copy.fold(event)
        if copy.ply > ply + 1 or (found is not None and copy.last is None):
            break
        if copy.last is not None and copy.last.ply == ply:
            before = position if found is None else before
            found = copy.last
    if found is None:
        raise _lost(ply)
    return found, before


def _lost(ply: int) -> ProtocolError:
    return refused(Code.STALE_PLY, f"ply {ply} is past")


def _says(past: Past, action: str) -> bool:
    """Whether the action is written as the one that was done, or as it was asked for."""
    return action in (past.action, f"play {past.written}")


def _same(table: Table, past: Past, before: str, action: str) -> bool:
    """Whether the action is the one that was done, however it is written."""
    if _says(past, action):
        return True
    kind, _, text = action.partition(" ")
    done, _, canonical = past.action.partition(" ")
    if kind != done:
        return False
    if kind == "roll":
        return sorted(text) == sorted(canonical) and bool(before)
    if kind != "play":
        return False
    try:
        return State.parse(before, table.rules).find(parse_play(text)).text == canonical
    except (RulesError, NotationError):
        return False
