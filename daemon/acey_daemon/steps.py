"""Legal plays for a board on which a person moves checker by checker. spec/protocol.md §5.2."""

from acey_protocol.replies import (
    Answer,
    LegalNames,
    LegalNothing,
    LegalPlay,
    LegalPlays,
    LegalRolls,
    NextStep,
    StepMove,
)
from acey_rules import NAME, ROLL, ROLLS, Move, State
from acey_rules.play import SOURCE_NAMES, TARGET_NAMES
from acey_rules.plays import Board, Sequence, after, board_of, legal_sequences


def legal_document(state: State) -> Answer:
    """Everything that can be done in a state, as ``legal format=json`` answers it."""
    if state.outcome is not None:
        return LegalNothing(state.line)
    if state.agenda[0] is NAME:
        return LegalNames(state.line, tuple(range(1, 7)))
    if state.agenda[0] is ROLL:
        return LegalRolls(state.line, tuple(f"{high}{low}" for high, low in ROLLS))
    plays = tuple(
        LegalPlay(play.text, tuple(map(_move, play.moves)), state.apply(play).line)
        for play in state.legal_plays()
    )
    return LegalPlays(state.line, plays, _steps(state))


def _move(move: Move) -> StepMove:
    return StepMove(SOURCE_NAMES[move.source], TARGET_NAMES[move.target], move.die, move.hit)


def _steps(state: State) -> tuple[tuple[NextStep, ...], ...]:
    """All legal sequences as a graph: what can come next depends on the board and dice alone."""
    assert state.dice is not None
    board = board_of(state.position, state.turn)
    sequences = legal_sequences(board, *state.dice, state.rules.overshoot)
    graph = _Graph(board)
    for sequence in sequences:
        graph.add(sequence)
    return graph.steps()


class _Graph:
    """Steps are told apart by the board and by the dice played on the way to it."""

    def __init__(self, start: Board) -> None:
        self._start = start
        self._numbers: dict[tuple[Board, tuple[int, ...]], int] = {(start, ()): 0}
        self._next: list[dict[Move, int]] = [{}]

    def add(self, sequence: Sequence) -> None:
        """Put one legal sequence in."""
        board, played, step = self._start, (), 0
        for move in sequence[0]:
            board, played = after(board, move), tuple(sorted((*played, move.die)))
            number = self._numbers.setdefault((board, played), len(self._next))
            if number == len(self._next):
                self._next.append({})
            self._next[step][move] = number
            step = number

    def steps(self) -> tuple[tuple[NextStep, ...], ...]:
        """For each step the moves that can come next, from the highest source and die down."""
        return tuple(
            tuple(
                NextStep(
                    SOURCE_NAMES[move.source], TARGET_NAMES[move.target], move.die, move.hit, number
                )
                for move, number in sorted(
                    onward.items(), key=lambda item: (-item[0].source, -item[0].die)
                )
            )
            for onward in self._next
        )
