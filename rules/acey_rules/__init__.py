"""The rules of Acey-Deucey, pure: positions, legal plays, turns and scores. spec/rules.md.

No input or output, no clock and no entropy: dice are arguments. The modules, in reading order:

    ruleset.py    RuleSet and the presets
    position.py   Position: where the checkers stand, as a value
    play.py       Play: a legal play and its canonical text; WrittenPlay: what somebody wrote
    plays.py      the legal plays of one roll: the readable reference
    generator.py  which generator serves: the compiled kernel, or the reference
    kernel.py     what the kernel offers from Python; its parts are kernel_*.py
    resolve.py    which legal play a written play means, or which rule it breaks
    stage.py      the stages of a turn's agenda, and what a roll earns
    score.py      what a lost game costs
    turn.py       State and its one transition, ``apply``
    dice.py       dice from a keyed stream or a script
    perft.py      how many positions can arise: the test of a generator
    playout.py    whole games at random or by weights
    errors.py     everything that can be wrong
"""

from acey_rules.dice import DiceSource, Draw, ScriptedDice, StreamDice, commitment, seeded
from acey_rules.errors import (
    AmbiguousPlay,
    DiceError,
    IllegalAction,
    PositionError,
    Rule,
    RulesError,
    RuleSetError,
    WrongAction,
)
from acey_rules.play import Move, Play, WrittenMove, WrittenPlay
from acey_rules.position import BAR, CHECKERS, OFF, UNENTERED, Position, Side
from acey_rules.ruleset import (
    AMERICAN,
    BACKGAMMON,
    BGAMMON,
    DICE_BOARD,
    EUROPEAN,
    PRESETS,
    RuleSet,
    rule_set,
)
from acey_rules.stage import NAME, ROLL, ROLLS, Agenda, Stage, agenda_text
from acey_rules.turn import Action, Concede, How, Name, Outcome, Roll, State

__all__ = [
    "AMERICAN",
    "BACKGAMMON",
    "BAR",
    "BGAMMON",
    "CHECKERS",
    "DICE_BOARD",
    "EUROPEAN",
    "NAME",
    "OFF",
    "PRESETS",
    "ROLL",
    "ROLLS",
    "UNENTERED",
    "Action",
    "Agenda",
    "AmbiguousPlay",
    "Concede",
    "DiceError",
    "DiceSource",
    "Draw",
    "How",
    "IllegalAction",
    "Move",
    "Name",
    "Outcome",
    "Play",
    "Position",
    "PositionError",
    "Roll",
    "Rule",
    "RuleSet",
    "RuleSetError",
    "RulesError",
    "ScriptedDice",
    "Side",
    "Stage",
    "State",
    "StreamDice",
    "WrittenMove",
    "WrittenPlay",
    "WrongAction",
    "agenda_text",
    "commitment",
    "rule_set",
    "seeded",
]
