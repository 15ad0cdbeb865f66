"""A person at a seat, at the terminal: boards, prompts and answers. ``acey play``.

Everything said and asked goes through two functions, so that a test can be the person.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from acey_arena.bots import Bot
from acey_grammar import NotationError, parse_play
from acey_grammar.board import draw_text
from acey_grammar.diagram import Diagram, diagram
from acey_protocol.client import Client, Seat
from acey_protocol.errors import NoReply, ProtocolError
from acey_protocol.replies import Awaited, LegalPlays
from acey_rules import ROLL, IllegalAction, Name, Play, RuleSet, State, rule_set
from acey_viewer.steps import Partway, follow, partway
from acey_viewer.web.tablefilm import TableFilm

WAIT: Final = 10.0
"""Seconds the daemon is asked to wait at a time."""
LISTED: Final = 30
"""Plays that ``?`` lists; the rest are counted."""
HELP: Final = """\
Type a play as notation writes it, off/19 off/22, all at once or move by move.
?       the legal plays          undo    take back what is not confirmed
hint    what a bot would do      resign  lose the game for what it costs now
help    this                     quit    leave the table"""


class LeftError(Exception):
    """The person has left the table."""


class Looks(NamedTuple):
    """How boards are drawn."""

    ascii_only: bool = False
    colour: bool = False


class Player:
    """Plays one seat with a person's answers."""

    def __init__(
        self,
        client: Client,
        seat: Seat,
        adviser: Bot,
        say: Callable[[str], None],
        ask: Callable[[str], str],
        looks: Looks,
    ) -> None:
        """``say`` shows text, ``ask`` shows a prompt and returns a line, or raises EOFError."""
        self._client = client
        self._seat = seat
        self._adviser = adviser
        self._say = say
        self._ask = ask
        self._looks = looks
        self._film = TableFilm()
        self._seen = 0
        self._rules: RuleSet | None = None

    def play(self) -> str:
        """Play to the end of the match and return how it ended. Raises LeftError, AceyError."""
        while True:
            try:
                due = self._seat.wait(WAIT)
                self._tell()
                if due.over is not None:
                    return due.over.text()
                if due.position is not None:
                    self._decide(due, State.parse(due.position, self._rule_set()))
            except NoReply:
                self._say("The daemon does not answer; trying again.")

    def _rule_set(self) -> RuleSet:
        if self._rules is None:
            self._rules = rule_set(self._client.state(self._seat.table).rules)
        return self._rules

    def _tell(self) -> None:
        """Say what happened since the last look."""
        for seq, event in self._client.history(self._seat.table, self._seen + 1):
            shown = self._film.take(seq, event)
            self._seen = seq
            if shown["kind"] != "clock":
                self._say(str(shown["caption"]))

    def _decide(self, due: Awaited, state: State) -> None:
        """Have one decision made. A refusal is said, and the decision asked for again."""
        while True:
            try:
                if due.due == "roll":
                    self._seat.roll(due.ply, self._dice_by_hand(state))
                elif due.due == "name":
                    self._seat.name(due.ply, self._choose_double(state))
                else:
                    play = self._choose_play(state)
                    self._seat.play(due.ply, play)
            except _ResignedError:
                return
            except ProtocolError as error:
                self._say(f"Refused: {error.message}")
                if self._seat.wait(0).ply != due.ply:
                    return
            else:
                return

    # --- what is shown ----------------------------------------------------------------------------

    def _show(self, board: Diagram) -> None:
        names = (self._film.names["X"], self._film.names["O"])
        text = draw_text(
            board, names=names, ascii_only=self._looks.ascii_only, colour=self._looks.colour
        )
        self._say(f"\n{text}")

    # --- a play -----------------------------------------------------------------------------------

    def _choose_play(self, state: State) -> str:
        """A legal play that the person has confirmed."""
        legal = self._client.legal(state.line, rules_argument(state.rules))
        assert isinstance(legal, LegalPlays)
        typed: list[str] = []
        self._show(diagram(state))
        while True:
            only = legal.plays[0].play if len(legal.plays) == 1 else ""
            if only and not typed:
                self._say(f"There is only one play: {only}. Enter plays it.")
            answer = self._answer(state, legal, f"{self._dice(state, legal, typed)}> ")
            if answer == "undo":
                typed = typed[:-1]
                self._show_typed(state, legal, typed)
            elif answer or only:
                words = [*typed, answer] if answer else [only]
                play = self._taken(state, legal, words)
                if play is None:
                    continue
                if play:
                    if self._confirmed(state, play):
                        return play
                    self._show_typed(state, legal, typed)
                else:
                    typed = words
                    self._show_typed(state, legal, typed)

    def _dice(self, state: State, legal: LegalPlays, typed: list[str]) -> str:
        left = self._left(state, legal, typed)
        return "-".join(map(str, left.dice)) or "0"

    def _left(self, state: State, legal: LegalPlays, typed: list[str]) -> Partway:
        dice = diagram(state).dice
        moves = follow(legal, parse_play(" ".join(typed))) if typed else ()
        return partway(state.position, state.turn, dice, moves or ())

    def _show_typed(self, state: State, legal: LegalPlays, typed: list[str]) -> None:
        """Show the board as far as the turn was typed, with the dice still to play."""
        left = self._left(state, legal, typed)
        board = diagram(State(state.rules, left.position, state.turn, state.agenda))
        if typed:
            dice = "-".join(map(str, left.dice))
            board = board._replace(
                dice=left.dice, due=f"{state.turn.name} has {dice} still to play"
            )
        self._show(board)

    def _taken(self, state: State, legal: LegalPlays, words: list[str]) -> str | None:
        """A whole play in canonical text; empty when it is the legal beginning of one.

        None when it is neither; the person is told why.
        """
        text = " ".join(words)
        try:
            written = parse_play(text)
        except NotationError as error:
            self._say(f"This cannot be read: {error.message}")
            return None
        try:
            return state.find(written).text
        except IllegalAction as error:
            if written.moves and follow(legal, written) is not None:
                return ""
            self._say(f"Not legal: {error}")
            return None

    def _confirmed(self, state: State, play: str) -> bool:
        """Show what the play leads to, and whether the person means it."""
        after = state.find(parse_play(play)).after
        board = diagram(State(state.rules, after, state.turn, state.agenda))
        self._show(board._replace(dice=(), due=f"This is after {play}"))
        while True:
            answer = self._line(f"{play}: Enter confirms, undo takes it back> ")
            if answer in ("", "yes", "y"):
                return True
            if answer in ("undo", "u", "no", "n"):
                return False
            self._say("Enter, or undo.")

    # --- a double ---------------------------------------------------------------------------------

    def _choose_double(self, state: State) -> int:
        self._show(diagram(state))
        options = [state.apply(Name(number)).legal_plays() for number in range(1, 7)]
        counts = [sum(bool(play.moves) for play in plays) for plays in options]
        self._say(
            "Plays of each double: "
            + ", ".join(f"{n}-{n} {count or 'none'}" for n, count in enumerate(counts, 1))
        )
        while True:
            answer = self._answer(state, None, "name a double 1-6> ")
            number = answer.removeprefix("name ").removeprefix("=")[:1]
            if answer and number in set("123456"):
                return int(number)
            self._say("A double is named by its number, 1 to 6.")

    def _dice_by_hand(self, state: State) -> str:
        self._say("This table's dice are rolled by hand; of the opening, X's comes first.")
        while True:
            answer = self._answer(state, None, "dice> ").replace("-", "")
            if len(answer) == 2 and set(answer) <= set("123456"):
                return answer
            self._say("Dice are two numbers from 1 to 6, as 63.")

    # --- answers ----------------------------------------------------------------------------------

    def _answer(self, state: State, legal: LegalPlays | None, prompt: str) -> str:
        """The person's next answer, after those that are questions."""
        while True:
            answer = self._line(prompt)
            match answer:
                case "?":
                    self._list(state, legal)
                case "hint" | "h":
                    self._hint(state)
                case "help":
                    self._say(HELP)
                case "resign":
                    if self._line("Give the game up? yes or no> ") in ("yes", "y"):
                        self._seat.resign()
                        raise _ResignedError
                case "quit" | "q":
                    raise LeftError
                case "u":
                    return "undo"
                case _:
                    return answer

    def _line(self, prompt: str) -> str:
        try:
            return " ".join(self._ask(prompt).split())
        except EOFError:
            raise LeftError from None

    def _list(self, state: State, legal: LegalPlays | None) -> None:
        if state.agenda[0] is ROLL:
            self._say("Any dice: two numbers from 1 to 6.")
            return
        if legal is None:
            for number in range(1, 7):
                plays = [play for play in state.apply(Name(number)).legal_plays() if play.moves]
                first = f", such as {plays[0]}" if plays else ": your turn would end"
                self._say(f"{number}-{number}: {len(plays) or 'no'} plays{first}")
            return
        for play in legal.plays[:LISTED]:
            self._say(f"  {play.play}")
        if len(legal.plays) > LISTED:
            self._say(f"  and {len(legal.plays) - LISTED} more")

    def _hint(self, state: State) -> None:
        if state.agenda[0] is ROLL:
            self._say("No bot knows what you will roll.")
            return
        if state.dice is None:
            self._say(f"A bot would name {self._adviser.choose_double(state)}.")
            return
        play: Play = self._adviser.choose_play(state, state.legal_plays())
        self._say(f"A bot would play {play}.")


def rules_argument(rules: RuleSet) -> str:
    """A rule set as requests name it."""
    return rules.fields_text() if rules.name == "custom" else rules.name


class _ResignedError(Exception):
    """The game was given up; the seat goes on with what comes next."""
