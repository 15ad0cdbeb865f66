"""What is told of a table: to a seat that waits, and to anybody who asks."""

from acey_daemon import play
from acey_daemon.table import Table
from acey_protocol.replies import Awaited
from acey_rules import Side


def awaited(table: Table, side: Side) -> Awaited | None:
    """What the seat has to decide, or that it is over; None when it has to wait.

    Raises TableOver when the table has stopped without a result.
    """
    if table.status == "over":
        if table.result is None or table.stopped is not None:
            raise play.over(table)
        return Awaited("over", over=table.result)
    decision = table.decision()
    if decision is None or decision[0] is not side:
        return None
    state = table.state if table.status == "playing" else None
    line = (state or table.start_state()).line
    return Awaited(decision[1], table.ply, line)
