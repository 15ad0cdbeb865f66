"""Games as text: the notation, its grammar, its reader and its canonical writer. spec/notation.md.

The grammar file ``notation.lark`` defines what is accepted. The modules, in reading order:

    record.py     GameRecord: a game as its text says it
    places.py     where its parts stand, kept beside the record
    faults.py     Fault and NotationError: what is wrong, and where
    grammar.py    notation.lark loaded: its parser and its terminals
    parse.py      text to plays and actions
    mistake.py    one mistake in a text that the grammar refuses
    explain.py    what is wrong with a line, and explain_play.py with a play
    items.py      the parts of a game, from trees to a record
    reading.py    ReadGame and the form of a reader of any format
    chunks.py     a file cut into games
    recover.py    what can be read of a game that is not well formed
    fast.py       well-formed games by regular expressions, faster than by the parser
    games.py      files of games, read one game at a time
    write.py      records to canonical text
    recorder.py   GameRecorder: the actions of a game gathered into a record
    carry.py      a play carried out as hands would, against the rules
    tags.py       what the tags of a game say
    replay.py     a recorded game replayed, step by step
    canonical.py  a record with its plays in canonical form
    validate.py   every fault of a game
    agendas.py    the agendas of a rule set as a table, for scan.py
    scan.py       sound games scanned and replayed in C
    judge.py      files of games read and validated in one go
    board.py      a position drawn as text

Readers and writers of foreign formats live in ``acey_grammar.formats``, one file each.
"""

from acey_grammar.canonical import canonical
from acey_grammar.faults import KINDS, Fault, NotationError, Place
from acey_grammar.games import parse_game, parse_games, read_acey, read_games
from acey_grammar.judge import JudgedGame, judge_acey, judge_games
from acey_grammar.parse import parse_action, parse_play
from acey_grammar.places import Places, TurnPlaces
from acey_grammar.reading import Reader, ReadGame
from acey_grammar.record import (
    FileComment,
    GameRecord,
    Result,
    RollRecord,
    TurnRecord,
)
from acey_grammar.recorder import GameRecorder, rule_tags
from acey_grammar.replay import Replay, Step
from acey_grammar.validate import Validation, validate
from acey_grammar.write import RecordError, write_game, write_games

__all__ = [
    "KINDS",
    "Fault",
    "FileComment",
    "GameRecord",
    "GameRecorder",
    "JudgedGame",
    "NotationError",
    "Place",
    "Places",
    "ReadGame",
    "Reader",
    "RecordError",
    "Replay",
    "Result",
    "RollRecord",
    "Step",
    "TurnPlaces",
    "TurnRecord",
    "Validation",
    "canonical",
    "judge_acey",
    "judge_games",
    "parse_action",
    "parse_game",
    "parse_games",
    "parse_play",
    "read_acey",
    "read_games",
    "rule_tags",
    "validate",
    "write_game",
    "write_games",
]
