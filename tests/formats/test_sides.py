"""A roll of the side that is not to roll is told in every format, whichever side it is."""

from pathlib import Path

import pytest
from tests.support.archive import text_verdicts

HEAD = " 0 point match\n\n Game 1\n alpha : 0                       beta : 0\n"
SGF = "(;FF[4]GM[6]PW[alpha]PB[beta]"
FIBS = "Score is 0-0 in an unlimited match.\nalpha is X - beta is O\n"
TWICE = {
    ("mat", "X"): f"{HEAD}  1) 31: 8/5 6/5\n  2) 62: 24/18 13/11\n",
    ("mat", "O"): f"{HEAD}  1)                              31: 8/5 6/5\n"
    "  2)                              62: 24/18 13/11\n",
    ("sgf", "X"): f"{SGF};W[31hefe];W[62xrmk])",
    ("sgf", "O"): f"{SGF};B[31qtst];B[62agln])",
    ("bgammon", "X"): "i 1720000000 alpha beta 1 0 0 0 0 0\n1 r 3-1 8/5 6/5\n1 r 6-2 24/18 13/11\n",
    (
        "bgammon",
        "O",
    ): "i 1720000000 alpha beta 1 0 0 0 0 0\n2 r 3-1 17/20 19/20\n2 r 6-2 1/7 12/14\n",
    ("fibs", "X"): f"{FIBS}X: (3 1) 17-20 19-20\nX: (6 2) 1-7 12-14\n",
    ("fibs", "O"): f"{FIBS}O: (3 1) 8-5 6-5\nO: (6 2) 24-18 13-11\n",
    ("plain", "X"): "X 31: 8/5 6/5\nX 62: 24/18 13/11\n",
    ("plain", "O"): "O 31: 8/5 6/5\nO 62: 24/18 13/11\n",
}


@pytest.mark.parametrize(("name", "side"), list(TWICE), ids=" ".join)
def test_a_side_that_rolls_twice_is_told(tmp_path: Path, name: str, side: str) -> None:
    (verdict,) = text_verdicts(tmp_path, f"game.{name}", TWICE[name, side])
    assert verdict.first == side
    other = "O" if side == "X" else "X"
    told = [(fault.kind, fault.message) for fault in verdict.faults]
    assert told[0] == ("side", f"{other} is to roll, not {side}")
    # The replay goes on with the side that the file says: both plays were made by it.
    assert [fault.kind for fault in verdict.faults if fault.kind == "illegal-play"] == []
