"""What players do at a table, and what the table does by itself. spec/protocol.md §6.2.

Every function here checks against the rules, through ``State.apply``, and then lets events happen;
none changes a table otherwise.
"""

from acey_daemon.table import Due, Table, letter_of
from acey_grammar import parse_play
from acey_protocol.errors import Code, refused
from acey_protocol.events import (
    Began,
    ClockRead,
    MatchOver,
    Named,
    Nonce,
    Opening,
    Over,
    Played,
    Rolled,
    Seated,
    Stopped,
)
from acey_protocol.replies import Acted
from acey_rules import ROLL, Concede, DiceError, How, Name, Play, Roll, Side, State


def take_seat(table: Table, side: Side, now: float) -> None:
    """The seat's token was used: the player is there."""
    if table.seated[side] or table.status == "over":
        return
    table.emit(Seated(letter_of(side), _late(table, side, now)))


def _late(table: Table, side: Side, now: float) -> int:
    clock = table.clock
    return clock.spent(now) if clock is not None and clock.running is side else 0


def add_nonce(table: Table, side: Side, nonce: str) -> None:
    """Add a seat's entropy. Raises ProtocolError unless it comes before anything is rolled."""
    if table.nonces[side] == nonce:
        return
    if table.opened.dice != "fair":
        raise refused(Code.WRONG_ACTION, f"dice={table.opened.dice} takes no nonce")
    if table.nonces[side]:
        raise refused(Code.WRONG_ACTION, f"{side.name} has given another nonce already")
    if table.seated[side] or table.ready:
        raise refused(Code.WRONG_ACTION, "a nonce comes before the seat is taken")
    table.emit(Nonce(letter_of(side), nonce))


def play(table: Table, side: Side, text: str, now: float) -> Acted:
    """Play the dice. Raises ProtocolError, NotationError or IllegalAction: nothing has changed."""
    state = _due(table, side, "play")
    # Most players send the canonical text, which need not be read to be found.
    found = state.find_text(text)
    written = "" if found is not None else text
    return played(table, found or state.find(parse_play(text)), now, written)


def played(table: Table, found: Play, now: float, written: str = "") -> Acted:
    """Let a legal play happen, whoever decided it."""
    state = table.state
    assert state is not None
    after = state.apply(found)
    event = Played(
        letter_of(state.turn), found.text, after.line, table.ply, _spent(table, now), written
    )
    table.emit(event, after)
    if after.outcome is not None:
        table.emit(Over(letter_of(after.outcome.winner), after.outcome.points))
        return acted(table)
    return Acted(event.ply, event.position)


def name(table: Table, side: Side, number: int, now: float) -> Acted:
    """Name a double. Raises ProtocolError or IllegalAction."""
    state = _due(table, side, "name")
    after = state.apply(Name(number))
    table.emit(Named(letter_of(side), number, after.line, table.ply, _spent(table, now)), after)
    return acted(table)


def roll(table: Table, side: Side, dice: tuple[int, int]) -> Acted:
    """Give the dice of a table with manual dice. Raises ProtocolError or IllegalAction."""
    if not table.manual and table.status != "over":
        raise refused(Code.WRONG_ACTION, f"with dice={table.opened.dice} the table rolls by itself")
    if table.status in ("waiting", "opening"):
        _decider(table, side, "roll")
        open_game(table, dice)
    else:
        rolled(table, _due(table, side, "roll"), dice)
    return acted(table)


def resign(table: Table, side: Side, how: How, now: float) -> Acted:
    """Lose the game for what the position scores now; ``leave`` loses the match besides."""
    if table.status == "over":
        raise over(table)
    if table.status != "playing":
        if how is How.RESIGNATION:
            raise refused(Code.WRONG_ACTION, "there is no game to resign yet")
        start = table.start_state()
        table.emit(Began(table.game + 1, table.score[0], table.score[1], start.line))
    concede(table, side, how, now)
    answer = acted(table)
    if how is How.FORFEIT:
        close(table, side.other)
    return answer


def concede(table: Table, loser: Side, how: How, now: float) -> None:
    """Let a game end otherwise than on the board."""
    state = table.state
    assert state is not None
    outcome = state.apply(Concede(loser, how=how)).outcome
    assert outcome is not None
    spent = _spent(table, now) if table.clock and table.clock.running is loser else 0
    table.emit(Over(letter_of(outcome.winner), outcome.points, outcome.how.value, table.ply, spent))


def flag_fell(table: Table, now: float) -> None:
    """The running side has no time left: it loses the game."""
    clock = table.clock
    assert clock is not None
    assert clock.running is not None
    loser = clock.running
    if table.status == "waiting" and not table.seated[loser]:
        table.emit(Seated(letter_of(loser), clock.bank + clock.delay))
    if table.status != "playing":
        start = table.start_state()
        table.emit(Began(table.game + 1, table.score[0], table.score[1], start.line))
    concede(table, loser, How.TIME, now)


def close(table: Table, winner: Side) -> None:
    """End the match; fair dice tell their secret."""
    secret = table.private.secret.hex()
    table.emit(MatchOver(letter_of(winner), table.score[0], table.score[1], secret))


def stop(table: Table, reason: str) -> None:
    """End the table without a result; fair dice tell their secret."""
    table.emit(Stopped(reason, table.private.secret.hex()))


def advance(table: Table, now: float) -> None:
    """Do what nobody has to decide: begin, roll, pass, go on to the next game, end."""
    try:
        while table.status != "over" and _step(table):
            pass
    except DiceError as error:
        stop(table, str(error))
    run_clock(table, now)


def _step(table: Table) -> bool:
    """One thing that nobody has to decide; False when there is none."""
    if table.status == "opening" and table.decided:
        assert table.result is not None
        close(table, Side.X if table.result.winner == "x" else Side.O)
        return True
    if table.status in ("waiting", "opening"):
        if not table.ready or table.manual:
            return False
        open_game(table, table.draw(None))
        return True
    state = table.state
    if state is None or state.outcome is not None:
        return False
    if state.agenda[0] is ROLL:
        if table.manual:
            return False
        rolled(table, state, table.draw(state.turn))
        return True
    if state.dice is not None and state.must_pass():
        played(table, state.legal_plays()[0], 0.0)
        return True
    return False


def open_game(table: Table, dice: tuple[int, int]) -> None:
    """Roll the opening dice, X's first; unless they are equal the game begins."""
    table.emit(Opening(f"{dice[0]}{dice[1]}", table.ply))
    if dice[0] != dice[1]:
        state = State.start(table.rules, dice)
        table.emit(Began(table.game + 1, table.score[0], table.score[1], state.line))


def rolled(table: Table, state: State, dice: tuple[int, int]) -> None:
    """Let both dice be rolled."""
    after = state.apply(Roll(*dice))
    text = f"{max(dice)}{min(dice)}"
    table.emit(Rolled(letter_of(state.turn), text, after.line, table.ply), after)


def acted(table: Table) -> Acted:
    """The reply to the action that was just done."""
    last = table.last
    assert last is not None
    return Acted(last.ply, last.position, last.over)


def over(table: Table) -> Exception:
    """The error for an action at a table where nothing can be done any more."""
    if table.stopped is not None:
        return refused(Code.OVER, f"the table has stopped: {table.stopped.reason}")
    assert table.result is not None
    return refused(Code.OVER, f"the match is over: {table.result.text()}")


def write_clock_down(table: Table, now: float) -> None:
    """Let the running clock be known to the store, and go on from there."""
    clock = table.clock
    assert clock is not None
    assert clock.running is not None
    left = [clock.left(side, now) for side in Side]
    table.emit(ClockRead(left[0], left[1], clock.spent(now)))
    clock.start(clock.running, now)


def _decider(table: Table, side: Side, due: Due) -> None:
    """Raise unless ``side`` has to decide just that."""
    if table.status == "over":
        raise over(table)
    decision = table.decision()
    if decision is None:
        raise refused(Code.NOT_YOUR_TURN, "the game has not begun: the other seat is empty")
    if decision[0] is not side:
        raise refused(Code.NOT_YOUR_TURN, f"{decision[0].name} is to {decision[1]}")
    if decision[1] != due:
        raise refused(Code.WRONG_ACTION, f"{side.name} is to {decision[1]}, not to {due}")


def _due(table: Table, side: Side, due: Due) -> State:
    _decider(table, side, due)
    if table.state is None or table.status != "playing":
        raise refused(Code.WRONG_ACTION, f"{side.name} is to roll for the start, not to {due}")
    return table.state


def _spent(table: Table, now: float) -> int:
    return 0 if table.clock is None else table.clock.spent(now)


def run_clock(table: Table, now: float) -> None:
    """Let the clock run for whoever has to decide, and tell banks that have changed."""
    clock = table.clock
    if clock is None:
        return
    if clock.told != tuple(clock.banks) and table.status != "over":
        table.emit(ClockRead(clock.banks[0], clock.banks[1]))
    decision = table.decision()
    side = None if decision is None else decision[0]
    if table.status == "waiting" and not table.ready and any(table.seated):
        side = Side.O if table.seated[Side.X] else Side.X
    if side is None or table.status == "over":
        clock.stop()
    else:
        clock.start(side, now)
