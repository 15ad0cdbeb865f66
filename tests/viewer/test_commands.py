"""``acey show`` and ``acey replay`` where they draw for other eyes than a terminal's."""

import socket
from pathlib import Path

import pytest
from tests.support.acey import acey, refused
from tests.support.games import played_game
from tests.support.golden import HOSTILE

from acey_grammar import read_games, write_games
from acey_rules import AMERICAN, Side, State
from acey_viewer.replaypage import replay_page
from acey_viewer.svg import svg_board

LINE = "--------------------------:15:15:x:21.N.R"


def test_show_draws_the_picture_of_the_library() -> None:
    state = State.parse(LINE, AMERICAN)
    assert acey("show", LINE, "--svg").stdout == svg_board(state)
    dark = acey("show", LINE, "--svg", "--view", "o", "--theme", "dark").stdout
    assert dark == svg_board(state, Side.O, theme="dark")


def test_show_writes_a_picture_to_a_file(tmp_path: Path) -> None:
    file = tmp_path / "board.png"
    result = acey("show", LINE, "--png", "-o", str(file), "--width", "320")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert file.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    missing = tmp_path / "missing" / "board.svg"
    assert refused("show", LINE, "--svg", "-o", str(missing), status=2) == (
        f"acey: {missing}: no such file or directory"
    )


def test_a_page_server_that_cannot_listen_says_where_and_why() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        used = f"127.0.0.1:{other.getsockname()[1]}"
        line = refused("web", "--listen", used, status=2)
    assert line == f"acey: cannot listen at {used}: Address already in use"
    line = refused("web", "--listen", "0.0.0.0:0", status=2)
    assert line == "acey: 0.0.0.0:0 can be reached from elsewhere; say --insecure if that is meant"
    assert refused("web", "--listen", "here", status=2) == "acey: 'here' is no HOST:PORT"
    line = refused("web", "--listen", "[::1]:8080", status=2)
    assert line == "acey: '[::1]:8080': pages are served at names and IPv4 addresses alone"


def test_a_picture_is_of_one_kind() -> None:
    assert refused("show", LINE, "--svg", "--png", status=2) == (
        "acey: a picture is --svg or --png, not both"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--theme", "dark"), "--theme is for a picture; say --svg or --png"),
        (("--theme", "auto"), "--theme is for a picture; say --svg or --png"),
        (("--width", "320"), "--width is for a PNG picture; say --png"),
        (("--width", "1088", "--svg"), "--width is for a PNG picture; say --png"),
        (("--ascii", "--svg"), "--ascii is for a board of text, not for a picture"),
        (("--ascii", "--png"), "--ascii is for a board of text, not for a picture"),
    ],
)
def test_an_option_that_would_change_nothing_is_refused(
    words: tuple[str, ...], message: str
) -> None:
    assert refused("show", LINE, *words, status=2) == f"acey: {message}"


def test_replay_writes_the_page_of_the_library(tmp_path: Path) -> None:
    games, page = tmp_path / "games.acey", tmp_path / "games.html"
    games.write_text(write_games([played_game(1, turns=6), played_game(2, turns=6)]), "utf-8")
    result = acey("replay", str(games), "--html", str(page))
    assert (result.returncode, result.stdout) == (0, "")
    assert result.stderr == f"{page}: 2 games to replay in a browser\n"
    assert page.read_text("utf-8") == replay_page(read_games(games))
    assert acey("replay", str(games), "--game", "2", "--html", str(page)).returncode == 0
    assert page.read_text("utf-8") == replay_page(list(read_games(games))[1:])


def test_a_page_of_faulty_games_is_written_and_the_status_says_so(tmp_path: Path) -> None:
    games, page = tmp_path / "games.acey", tmp_path / "games.html"
    text = write_games([played_game(1, turns=6)])
    games.write_text(text.replace("[X ", "[Y "), "utf-8")
    result = acey("replay", str(games), "--html", str(page))
    assert result.returncode == 1
    assert result.stderr.splitlines()[1:] == [
        f'{games}:1:1 the tag [X "..."] is missing (spec/notation.md §5)'
    ]
    assert "the tag [X" in page.read_text("utf-8")


def test_a_page_of_nothing_is_not_written(tmp_path: Path) -> None:
    games, page = tmp_path / "games.acey", tmp_path / "games.html"
    games.write_text("", "utf-8")
    line = refused("replay", str(games), "--html", str(page), status=1)
    assert line == f"acey: {games}: there is no game in it"
    assert not page.exists()


def test_no_name_or_comment_reaches_the_terminal_as_it_is(tmp_path: Path) -> None:
    games = tmp_path / "games.acey"
    name = "".join(HOSTILE[key] for key in ("markup", "direction", "long", "marks"))
    tags = (("X", name + "\x1b[2J"), ("O", "beta"))
    text = write_games([played_game(1, tags=tags, turns=2)])
    games.write_text(text.replace(" {%t", " {\x1b[2Jx\u202e} {%t", 1), "utf-8")
    result = acey("replay", str(games))
    assert result.returncode == 0
    assert not set(result.stdout) & set("\x1b\u202e\u2066\u200f")
    assert max(map(len, result.stdout.splitlines())) < 300
