"""Makes the vector files on text with the naive referee, so that no row comes from acey_rules.

``python -m tests.support.make_vectors`` writes texts.jsonl, spellings.jsonl and ambiguous.jsonl of
spec/vectors/; a test makes them again and compares.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain, compress, groupby, pairwise, product

from tests.support.canonical import listing
from tests.support.naive import BAR, HOME, UNENTERED, Sequence, legal, read
from tests.support.vectors import VECTORS, PlayVector, play_vectors, sample

OVERSHOOTS = {
    "american": "highest",
    "dice-board": "any",
    "european": "exact",
    "bgammon": "exact",
    "backgammon": "highest",
}

# Positions made for a question of text: a stop that matters, a hit on the way, bearing off with
# more than is needed, one checker behind another, equal ways, bar before unentered before points.
MADE = [
    ("backgammon", "----aa-----A-B----------b-:0:0:x:61"),
    ("backgammon", "----a------A-B----------b-:0:0:x:61"),
    ("backgammon", "----ab-----A-B----------b-:0:0:x:61"),
    ("backgammon", "--------a----A----------b-:0:0:x:65"),
    ("backgammon", "-------aa----A----------b-:0:0:x:65"),
    ("backgammon", "-b----E-C---eE---c-e----B-:0:0:o:31"),
    ("backgammon", "-b----E-C---eE---c-e----B-:0:0:x:66"),
    ("american", "--------------------------:15:15:o:44"),
    ("american", "-------------------a-a-a--:15:12:x:22"),
    ("american", "-------------------a-----B:13:14:x:33"),
    ("american", "------------a-----Aa------:14:13:x:66.R"),
    ("american", "-A--A-A-----------------b-:0:0:x:52"),
    ("american", "----A-------------------a-:0:0:x:62"),
    ("european", "----A-------------------a-:0:0:x:62"),
    ("dice-board", "----A-------------------a-:0:0:x:62"),
    ("american", "-a--A-------------------a-:0:9:x:43"),
    ("dice-board", "-A-AA--------------b----b-:0:0:x:61"),
    ("dice-board", "-CB---------------------b-:0:0:x:66"),
    ("american", "-ABCB-------------------b-:0:0:x:22"),
    ("american", "-a-a-A------------------a-:0:9:x:42"),
    ("american", "-----BA-a---A-----------a-:0:9:x:42"),
    ("bgammon", "-a---------a------a-----A-:2:3:x:66"),
]


def rolled(position: str) -> tuple[int, int]:
    """Return the dice that the first stage of a position line plays."""
    dice = position.split(":")[4]
    return int(dice[0]), int(dice[1])


def chosen() -> Iterator[tuple[str, str]]:
    """Yield the positions made above and some of each family of plays.jsonl."""
    yield from MADE

    def family(row: PlayVector) -> str:
        return row.family

    for _, rows in groupby(sorted(play_vectors(), key=family), key=family):
        short = [row for row in rows if row.plays <= 40]
        yield from ((row.rules, row.position) for row in sample(short, 8)[:9])


def texts() -> Iterator[dict[str, object]]:
    """Yield the rows of texts.jsonl: every play of a roll in its text and order."""
    for rules, position in chosen():
        plays = listing(read(position), rolled(position), OVERSHOOTS[rules])
        yield {"rules": rules, "position": position, "plays": [text for text, _ in plays]}


# --- other ways to write a play ---------------------------------------------------------------

Way = tuple[int, ...]  # the places one checker is written to touch
Spelling = tuple[Way, ...]  # the ways of a play, from the highest source down


def spellings_of(sequence: Sequence, dice: tuple[int, int]) -> Iterator[tuple[Spelling, bool]]:
    """Yield the ways to write a sequence: moves joined or not, stops left out or not.

    Each comes with whether every hop that one die can play is played by one die.
    """
    steps = {(step.source, step.target) for step in sequence}
    for runs in joinings(sequence):
        for ways in product(*map(stop_choices, runs)):
            hops = [hop for way in ways for hop in pairwise(way)]
            direct = all(hop in steps or not one_die(hop, dice) for hop in hops)
            yield tuple(sorted(ways, reverse=True)), direct


def one_die(hop: tuple[int, int], dice: tuple[int, int]) -> bool:
    source, target = hop
    return any(max(min(source, UNENTERED) - die, HOME) == target for die in dice)


def joinings(sequence: Sequence) -> Iterator[list[Way]]:
    """Yield each way to gather the moves into runs of one checker."""
    if not sequence:
        yield []
        return
    last = sequence[-1]
    for runs in joinings(sequence[:-1]):
        yield [*runs, (last.source, last.target)]
        for index, run in enumerate(runs):
            if run[-1] == last.source:
                yield [*runs[:index], (*run, last.target), *runs[index + 1 :]]


def stop_choices(run: Way) -> Iterator[Way]:
    """Yield a run with each choice of the stops between its ends."""
    source, *between, target = run
    for kept in product((True, False), repeat=len(between)):
        yield (source, *compress(between, kept), target)


def written(spelling: Spelling, gathered: bool) -> str:
    """Write the ways; ``gathered``: equal ones with ``(n)``, otherwise one by one and backwards."""
    if not gathered:
        return " ".join(map(word, reversed(spelling))) or "-"
    words: list[str] = []
    for way, equal in groupby(spelling):
        count = len(list(equal))
        words.append(word(way) + (f"({count})" if count > 1 else ""))
    return " ".join(words) or "-"


def word(way: Way) -> str:
    source, *stops = way
    names = [{BAR: "bar", UNENTERED: "off"}.get(source, str(source))]
    return "/".join(names + ["off" if stop == HOME else str(stop) for stop in stops])


def meanings(rules: str, position: str) -> dict[Spelling, set[str]]:
    """Return every spelling of every legal play with the texts of the plays it can be read as."""
    board, dice = read(position), rolled(position)
    texts = {after: text for text, after in listing(board, dice, OVERSHOOTS[rules])}
    direct: defaultdict[Spelling, set[str]] = defaultdict(set)
    free: defaultdict[Spelling, set[str]] = defaultdict(set)
    for after, sequences in legal(board, dice, OVERSHOOTS[rules]).items():
        for sequence in sequences:
            for spelling, is_direct in spellings_of(sequence, dice):
                free[spelling].add(texts[after])
                if is_direct:
                    direct[spelling].add(texts[after])
    return free | direct


def rows_on_spelling() -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the rows of spellings.jsonl and ambiguous.jsonl, each with the file's name."""
    for rules, position in chosen():
        plays = listing(read(position), rolled(position), OVERSHOOTS[rules])
        means = meanings(rules, position)
        head = {"rules": rules, "position": position}
        for text, _ in plays[:: max(1, len(plays) // 4)]:
            found = sorted(spelling for spelling, texts in means.items() if texts == {text})
            ways = {written(spelling, gathered) for spelling in found for gathered in (True, False)}
            some = sorted(ways)[:: max(1, len(ways) // 8)]
            yield "spellings.jsonl", {**head, "play": text, "spellings": some}
        for spelling, texts in sorted(means.items()):
            if len(texts) > 1:
                ways_in_order = [text for text, _ in plays if text in texts]
                play = written(spelling, gathered=True)
                yield "ambiguous.jsonl", {**head, "play": play, "ways": ways_in_order}


def files() -> dict[str, str]:
    """Return the text of each file made here, by its name."""
    made: defaultdict[str, str] = defaultdict(str)
    for name, row in chain((("texts.jsonl", row) for row in texts()), rows_on_spelling()):
        made[name] += json.dumps(row, separators=(",", ":")) + "\n"
    return made


if __name__ == "__main__":
    for name, text in files().items():
        (VECTORS / name).write_text(text, "utf-8")
