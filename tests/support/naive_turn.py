"""A second referee for the turn, beside naive.py for the roll; spec/rules.md §5 as plain text work.

Agendas are lists of the words of a position line.
"""

Fields = dict[str, str]  # the fields of a rule set as spec/rules.md §7 writes them


def double(number: int, fields: Fields) -> list[str]:
    """Return the stages a double is played in."""
    other = 7 - number
    return [f"{number}{number}"] + [f"{other}{other}"] * (fields["complement"] == "true")


def after_roll(agenda: list[str], first: int, second: int, fields: Fields) -> list[str]:
    """Return the agenda after a roll."""
    if first == second:
        again = ["R"] * (fields["doubles_reroll"] == "true")
        return double(first, fields) + again + agenda[1:]
    rolled = f"{max(first, second)}{min(first, second)}"
    bonus = ["N", "R"] if rolled == "21" and fields["acey_bonus"] == "true" else []
    return [rolled, *bonus, *agenda[1:]]


def after_name(agenda: list[str], number: int, fields: Fields) -> list[str]:
    """Return the agenda after a number is named."""
    return double(number, fields) + agenda[1:]


def after_play(agenda: list[str], used: int, on_bar: bool, fields: Fields) -> list[str]:
    """Return what is left of the agenda after ``used`` dice were played; empty: the turn passes."""
    dice, *rest = agenda
    if used == (4 if dice[0] == dice[1] else 2):
        return rest
    lost = {
        "strict": True,
        "bar-only": on_bar,
        "first-only": dice == "21",
    }
    return [] if lost[fields["forfeit"]] else rest


def points(line: str, winner: str, fields: Fields) -> int:
    """Return what the game is worth, by counting characters. spec/rules.md §6."""
    if fields["scoring"] == "single":
        return 1
    cells, unentered_x, unentered_o, *_ = line.split(":")
    loser = "o" if winner == "x" else "x"
    letters = "abcdefghijklmno" if loser == "o" else "ABCDEFGHIJKLMNO"
    on_board = sum(letters.find(cell) + 1 for cell in cells)
    left = on_board + int(unentered_o if loser == "o" else unentered_x)
    if fields["scoring"] == "per-checker":
        return left
    if left < 15:
        return 1
    behind = cells[0:7] if loser == "o" else cells[19:26]  # its bar and the winner's home board
    return 3 if any(cell in letters for cell in behind) else 2
