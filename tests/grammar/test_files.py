"""Files of games: what is read, where the reader goes on, what it reports. spec/notation.md §6."""

from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

from acey_grammar import (
    FileComment,
    GameRecord,
    NotationError,
    ReadGame,
    Result,
    parse_game,
    parse_games,
    read_acey,
    read_games,
    write_game,
    write_games,
)
from acey_grammar.chunks import COMMENT_LIMIT, GAME_LIMIT, LINE_LIMIT

TAGS = '[X "alpha"]\n[O "beta"]\n[Rules "american"]\n'
TURN = "1. X 63: off/19 off/22"
NAMES = (("X", "alpha"), ("O", "beta"), ("Rules", "american"))


def read(text: str) -> list[ReadGame]:
    return list(parse_games(text, "f.acey"))


def faults(game: ReadGame) -> list[tuple[str, int, int]]:
    return [(fault.kind, fault.line, fault.column) for fault in game.faults]


# --- the records row of the cases from the field ----------------------------------------------


def test_four_odd_games_are_all_there() -> None:
    tags_only = f"{TAGS}*\n"
    blank_in_tags = '[X "alpha"]\n\n[O "beta"]\n[Rules "american"]\n*\n'
    comment = f'{TAGS}\n{TURN} {{see\n[Event "x"]\nX wins 3\n}}\nX wins 7\n'
    plain = f"{TAGS}\n{TURN}\n*\n"
    games = read("\n".join([tags_only, blank_in_tags, comment, plain]))
    assert [game.line for game in games] == [1, 6, 12, 22]
    assert [game.faults for game in games] == [(), (), (), ()]
    assert [game.record.tags for game in games] == [NAMES] * 4
    assert [len(game.record.turns) for game in games] == [0, 0, 1, 1]
    assert games[2].record.turns[0].comments == ('see\n[Event "x"]\nX wins 3\n',)
    assert games[2].record.result == Result("X", 7)


def test_a_game_glued_to_the_result_before_is_read_and_reported() -> None:
    first, second = read(f'{TAGS}\nX wins 7[Event "b"]\n{TAGS}\nO wins 3 by resignation\n')
    assert first.faults == ()
    assert first.record.result == Result("X", 7)
    assert faults(second) == [("separator", 5, 9)]
    assert second.record.tags == (("Event", "b"), *NAMES)
    assert second.places.tags[0] == (5, 9)
    assert second.record.result == Result("O", 3, "resignation")


def test_what_is_written_one_behind_another_is_read_as_as_many() -> None:
    record = GameRecord(
        NAMES,
        parse_game(f"{TAGS}{TURN}\n*\n").turns,
        comments=("[Event", '\n[X "y"]\n'),
        file_comments=(FileComment("[X", 0), FileComment(" before", 3), FileComment("end", 5)),
    )
    assert [game.record for game in read(write_games([record] * 3))] == [record] * 3
    assert [game.record.tags for game in read(write_game(record) * 3)] == [NAMES] * 3


# --- resuming ---------------------------------------------------------------------------------


def test_a_broken_game_hides_no_other() -> None:
    broken = f"{TAGS}\n{TURN}\n1. O 54: off/20 24-18\n*\n"
    good = f"{TAGS}\n{TURN}\n*\n"
    games = read(f"{good}\n{broken}\n{good}")
    assert [game.complete for game in games] == [True, False, True]
    assert faults(games[1]) == [("syntax", 13, 19)]
    assert len(games[1].record.turns) == 1


def test_every_broken_line_of_a_game_is_reported() -> None:
    (game,) = read(
        '[X "alpha]\n[O beta]\n[Rules "american"]\n\n'
        f"{TURN} !!!\n1. O 54; off/20 off/21\n2. X 52 24/22\nX won 7\n"
    )
    assert faults(game) == [
        ("syntax", 1, 10),
        ("syntax", 2, 4),
        ("syntax", 5, 24),
        ("syntax", 6, 6),
        ("syntax", 7, 6),
        ("syntax", 8, 3),
    ]
    assert game.record.tags == NAMES
    assert len(game.record.turns) == 1


def test_a_comment_never_closed_swallows_nothing() -> None:
    first, second = read(f"{TAGS}\n{TURN} {{open\n*\n\n{TAGS}\n{TURN} {{closed}}\n*\n")
    assert faults(first) == [("syntax", 5, 24)]
    assert len(first.record.turns) == 1
    assert second.record.turns[0].comments == ("closed",)
    assert second.faults == ()


def test_a_comment_never_closed_in_the_last_game_ends_with_its_line() -> None:
    (game,) = read(f"{TAGS}\n{TURN} {{open\n1. O 54: off/20 off/21\n*\n")
    assert faults(game) == [("syntax", 5, 24)]
    assert len(game.record.turns) == 2


def test_a_missing_result_is_reported_where_the_game_ends() -> None:
    first, second = read(f"{TAGS}\n{TURN}\n\n{TAGS}\n{TURN}")
    assert faults(first) == [("missing-result", 5, 23)]
    assert faults(second) == [("missing-result", 11, 23)]


def test_a_file_cut_off_in_a_line_is_one_fault() -> None:
    (game,) = read(f"{TAGS}\n{TURN}\n1. O 54: off/20 of")
    assert faults(game) == [("cut-off", 6, 17)]


def test_a_file_cut_off_in_the_result_is_one_fault() -> None:
    (game,) = read(f"{TAGS}\n{TURN}\nX wi")
    assert faults(game) == [("cut-off", 6, 3)]
    assert not game.complete


@pytest.mark.parametrize("end", ["", "\n"], ids=["torn", "whole"])
def test_what_stands_behind_the_result_is_no_cut_off_text(end: str) -> None:
    (game,) = read(f"{TAGS}\n{TURN}\n*\n1. O 54: off/20 off/21{end}")
    assert faults(game) == [("after-end", 7, 1)]


def test_a_turn_behind_the_result_is_one_fault() -> None:
    (game,) = read(f"{TAGS}\n{TURN}\n*\n1. O 54: off/20 off/21\n2. X 11: -\n")
    assert faults(game) == [("after-end", 7, 1)]
    assert len(game.record.turns) == 1


def test_a_game_without_tags_is_reported() -> None:
    (game,) = read(f"{TURN}\n*\n")
    assert faults(game) == [("syntax", 1, 1)]
    assert len(game.record.turns) == 1


def test_text_that_is_no_game_is_a_fault_of_the_game_behind_it() -> None:
    (game,) = read(f"Dear all,\nhere it is.\n\n{TAGS}\n*\n")
    assert faults(game) == [("syntax", 1, 1)]
    assert game.record.tags == NAMES


def test_text_that_is_no_game_alone_is_reported_too() -> None:
    (game,) = read("Dear all,\nhere it is.\n")
    assert faults(game) == [("syntax", 1, 1)]
    assert not game.complete


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff", "# nothing\n"])
def test_a_file_without_games_has_none(text: str) -> None:
    assert read(text) == []


def test_tags_that_come_again_behind_a_blank_line_are_another_game() -> None:
    first, second = read(f"{TAGS}\n{TAGS}*\n")
    assert faults(first) == [("missing-result", 3, 19)]
    assert second.faults == ()


# --- numbers ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        (["1. X", "1. O", "2. X"], []),
        (["1. O", "1. X", "2. O"], []),
        (["1. X", "2. O", "3. X"], [("turn-number", 6, 1)]),
        (["1. X", "1. O", "3. X", "3. O", "4. X"], [("turn-number", 7, 1)]),
        (["2. X", "2. O", "3. X"], [("turn-number", 5, 1)]),
        (["1. X", "2. X", "2. O", "3. X"], []),  # a turn is missing, which validation tells
    ],
    ids=["right", "O first", "one each", "a gap", "from 2", "a side twice"],
)
def test_turns_are_numbered_by_pairs(
    numbers: list[str], expected: list[tuple[str, int, int]]
) -> None:
    turns = "".join(f"{number} 63: -\n" for number in numbers)
    (game,) = read(f"{TAGS}\n{turns}*\n")
    assert faults(game) == expected
    assert len(game.record.turns) == len(numbers)


# --- line ends, encoding, comments ------------------------------------------------------------


def test_a_first_turn_lost_and_another_missing_leave_the_numbers_right() -> None:
    heads = ["1, O", "1. X", "2. X", "3. O", "3. X", "4. O"]
    turns = "".join(f"{head} 63: -\n" for head in heads)
    (game,) = read(f"{TAGS}\n{turns}*\n")
    assert faults(game) == [("syntax", 5, 2)]
    (game,) = read(f"{TAGS}\n{turns}4. X 63: -\n4. O 63: -\n*\n")
    assert faults(game) == [("syntax", 5, 2), ("turn-number", 12, 1)]


@pytest.mark.parametrize("lost", range(6))
@pytest.mark.parametrize(
    "broken", ["1. X 63: off-19", "? X 63: off/19 off/22", "63: off/19 off/22"]
)
def test_a_turn_that_cannot_be_read_is_one_fault(lost: int, broken: str) -> None:
    rolls = ["63: off/19 off/22", "54: off/20 off/21", "63: off/19 off/22", "54: off/20 off/21"]
    lines = [
        f"{at // 2 + 1}. {'XO'[at % 2]} {roll}" for at, roll in enumerate([*rolls, *rolls[:2]])
    ]
    number, side = lines[lost].split()[:2]
    lines[lost] = broken.replace("1.", number).replace("X", side)
    (game,) = read("\n".join([TAGS, *lines, "*\n"]))
    assert [(kind, line) for kind, line, _ in faults(game)] == [("syntax", 5 + lost)]
    lines[-1] = "9. O 54: off/20 off/21"
    (game,) = read("\n".join([TAGS, *lines, "*\n"]))
    if lost < 4:  # the number is told again two turns behind
        assert ("turn-number", 10, 1) in faults(game)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "BOM"])
def test_line_ends_and_byte_order_mark(tmp_path: Path, end: str, mark: str) -> None:
    text = f"{TAGS}\n{TURN} {{two\nlines}}\n*\n"
    file = tmp_path / "game.acey"
    file.write_bytes((mark + text.replace("\n", end)).encode())
    (game,) = read_games(file)
    assert game.record == parse_game(text)
    (same,) = parse_games(mark + text.replace("\n", end))
    assert same.record == game.record


def test_blanks_and_tabs_do_not_matter() -> None:
    tags = ' [ X\t"alpha" ] \n[O  "beta"]\t\n\n[Rules "american"]\n \n'
    loose = tags + " 1.  X  63:off/19\toff/22 ! \n\n*  \n"
    assert parse_game(loose) == parse_game(f"{TAGS}\n{TURN} !\n*\n")


def test_tags_keep_their_order_and_every_letter() -> None:
    record = parse_game('[Z "b\\"q\\"\\\\"]\n[A ""]\n[Z "[x] {y} # é艦"]\n*\n')
    assert record.tags == (("Z", 'b"q"\\'), ("A", ""), ("Z", "[x] {y} # é艦"))


def test_file_comments_keep_their_place() -> None:
    text = f"#first\n{TAGS}# 2\n\n{{before}}\n{TURN}\n#3\nX wins 7\n# last \n"
    record = parse_game(text)
    assert record.file_comments == (
        FileComment("first", 0),
        FileComment(" 2", 3),
        FileComment("3", 4),
        FileComment(" last ", 5),
    )
    assert write_game(record) == text


def test_file_comments_between_games_belong_where_the_blank_line_puts_them() -> None:
    first, second = read(f"{TAGS}\n*\n# end\n\n# next\n\n{TAGS}\n*\n\n# of the file\n")
    assert first.record.file_comments == (FileComment(" end", 4),)
    assert second.record.file_comments == (FileComment(" next", 0), FileComment(" of the file", 4))


def test_times_and_commands() -> None:
    record = parse_game(f"{TAGS}\n{TURN} {{a}} {{%t 1.250}} {{%eval 0.5}}\n{{b}}\n*\n")
    turn = record.turns[0]
    assert turn.seconds == 1.25
    assert turn.comments == ("a", "%eval 0.5", "b")
    assert f"{TURN} {{%t 1.25}} {{a}} {{%eval 0.5}} {{b}}\n" in write_game(record)


@pytest.mark.parametrize(
    "line",
    [f"{TURN} {{%t 1}} {{%t 2}}", f"{{%t 1}}\n{TURN}", f"{TURN} {{%t -1}}"],
    ids=["twice", "before a turn", "negative"],
)
def test_a_time_that_cannot_stand_there_is_refused(line: str) -> None:
    with pytest.raises(NotationError):
        parse_game(f"{TAGS}\n{line}\n*\n")


# --- limits -----------------------------------------------------------------------------------


def test_a_line_too_long_is_reported_and_the_next_game_read() -> None:
    long = "x" * (LINE_LIMIT * 2 + 5)
    first, second = read(f"{TAGS}\n{TURN} {{{long}}}\n*\n\n{TAGS}\n*\n")
    assert ("syntax", 5, LINE_LIMIT) in faults(first)
    assert second.faults == ()


def test_a_tag_section_far_inside_a_comment_starts_a_game() -> None:
    lines = ("y" * 999 + "\n") * (COMMENT_LIMIT // 1000 + 2)
    games = read(f'{TAGS}\n{TURN} {{{lines}[Event "x"]\n}}\n*\n\n{TAGS}\n*\n')
    assert faults(games[0])[0] == ("syntax", 5, 24)
    assert games[1].record.tags == (("Event", "x"),)
    assert games[2].faults == ()


def test_a_game_too_long_is_reported_and_the_next_read() -> None:
    turns = f"{TURN}\n" * (GAME_LIMIT // len(TURN))
    first, second = read(f"{TAGS}\n{turns}*\n\n{TAGS}\n*\n")
    assert faults(first) == [("unsupported", 1, 1)]
    assert second.faults == ()


def test_one_game_is_held_at_a_time() -> None:
    class Endless(StringIO):
        """A file that goes on for ever."""

        def read(self, size: int | None = -1, /) -> str:
            assert size is not None
            assert 0 <= size <= LINE_LIMIT
            return next(lines) + "\n"

    def forever() -> Iterator[str]:
        while True:
            yield from f"{TAGS}\n{TURN}\n*\n".splitlines()

    lines = forever()
    games = read_acey(Endless())
    assert [next(games).record.tags for _ in range(50)] == [NAMES] * 50


def test_exactly_one_game_is_one() -> None:
    with pytest.raises(NotationError, match="expected one game; found 0"):
        parse_game("")
    with pytest.raises(NotationError, match="6:1 expected one game; found 2"):
        parse_game(f"{TAGS}*\n\n{TAGS}*\n")
