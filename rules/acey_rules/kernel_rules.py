# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What the kernel needs of a rule set: its fields, and what rolls, names and forfeits do.

In Python these are stage.py and turn.py (spec/rules.md §5). Compiled by Cython; never run
uncompiled.
"""

import cython
from cython.cimports.acey_rules.kernel_make import dice_played
from cython.cimports.acey_rules.kernel_types import NAME, ROLL, Rules

# An agenda is four bytes, the stage to do next in the lowest: none, ROLL, NAME, or two dice, the
# higher one in bits 3-5, the lower one in 0-2. No agenda is longer than 3: 21.N.R, 66.11.R.


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def pair(high: cython.int, low: cython.int) -> cython.uint:
    """The stage of playing two dice."""
    return high << 3 | low


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def then(stages: cython.uint, rest: cython.uint) -> cython.uint:
    """The agenda of ``stages``, then ``rest``."""
    shift: cython.int = 0
    while stages >> shift:
        shift += 8
    return stages | rest << shift


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def earned_by_name(rules: cython.pointer(Rules), number: cython.int) -> cython.uint:
    """The stages that a double of ``number`` is played in."""
    if rules.complement:
        return then(pair(number, number), pair(7 - number, 7 - number))
    return pair(number, number)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def earned_by_roll(rules: cython.pointer(Rules), high: cython.int, low: cython.int) -> cython.uint:
    """The stages that a roll puts in its place."""
    if high == low:
        return then(earned_by_name(rules, high), ROLL if rules.doubles_reroll else 0)
    if high == 2 and low == 1 and rules.acey_bonus:
        return then(pair(2, 1), then(NAME, ROLL))
    return pair(high, low)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def rest_of(
    rules: cython.pointer(Rules),
    agenda: cython.uint,
    side: cython.int,
    row: cython.p_uchar,
    code: cython.uint,
) -> cython.uint:
    """What is left of the agenda after its first stage was played by ``code`` to ``row``."""
    rest: cython.uint = agenda >> 8
    high: cython.int = agenda >> 3 & 7
    low: cython.int = agenda & 7
    if rest == 0 or dice_played(code, high, low) == (4 if high == low else 2):
        return rest
    if rules.forfeit == 0:
        return 0
    if rules.forfeit == 1:
        return 0 if row[0 if side else 25] else rest
    return 0 if agenda & 255 == 17 else rest


Walk = cython.struct(rules=Rules, made=cython.bint, rows=cython.p_uchar, stopped=cython.bint)
"""What does not change while counting: the rules, whether every last position is made, room for
them, and whether the user has asked to stop."""


@cython.cfunc
@cython.exceptval(-1, check=False)
def overshoot_of(overshoot: object) -> cython.int:
    """The rule set's ``overshoot`` as generate() takes it. Raises ValueError for another word."""
    if overshoot == "highest":
        return 0
    if overshoot == "any":
        return 1
    if overshoot == "exact":
        return 2
    raise ValueError(f"overshoot is highest, any or exact, not {overshoot!r}")


@cython.cfunc
@cython.exceptval(-1, check=False)
def check_roll(
    size: cython.Py_ssize_t, side: cython.int, high: cython.int, low: cython.int
) -> cython.int:
    """Raise ValueError unless the arguments are a packed position's, a side's and a roll's."""
    if size != 28:
        raise ValueError(f"a packed position has 28 bytes, not {size}")
    if not 0 <= side <= 1:
        raise ValueError(f"a side is 0 or 1, not {side}")
    if not 1 <= low <= high <= 6:
        raise ValueError(f"a roll is two numbers from 1 to 6, higher first, not {high} and {low}")
    return 0


@cython.cfunc
def read_rules(rules: object) -> Rules:
    """A RuleSet's fields."""
    read: Rules
    read.overshoot = overshoot_of(rules.overshoot)
    read.acey_bonus = rules.acey_bonus
    read.complement = rules.complement
    read.doubles_reroll = rules.doubles_reroll
    read.forfeit = ("strict", "bar-only", "first-only").index(rules.forfeit)
    read.scoring = ("per-checker", "single", "gammon").index(rules.scoring)
    return read


@cython.cfunc
def read_agenda(agenda: tuple) -> cython.uint:
    """A State's agenda in four bytes."""
    read: cython.uint = 0
    for stage in agenda:
        if stage.dice is None:
            read = then(read, ROLL if stage.text == "R" else NAME)
        else:
            read = then(read, pair(stage.dice[0], stage.dice[1]))
    return read
