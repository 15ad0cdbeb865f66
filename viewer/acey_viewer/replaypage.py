"""The replay page: games as one HTML file that stands alone and reaches no network.

Its content security policy admits the one style and the one script of the page, by their hashes,
and nothing else: whatever a record holds cannot become code.
"""

from collections.abc import Iterable
from html import escape

from msgspec import to_builtins

from acey_grammar import GameRecord, ReadGame
from acey_grammar.printable import printable
from acey_viewer.assets import asset, bundle, fill, source_hash
from acey_viewer.film import Film, film
from acey_viewer.jsontext import Json, script_json
from acey_viewer.pageboard import page_board, page_layout
from acey_viewer.proof import Proof, proof_of
from acey_viewer.svg import NAME_COLUMNS, style_sheet

TITLE_COLUMNS = 40
TAG_COLUMNS = 200


class PageError(ValueError):
    """There is nothing to make a page of."""


def replay_page(games: Iterable[ReadGame | GameRecord]) -> str:
    """The HTML of a replay page of these games. Raises PageError when there are none."""
    reads = [ReadGame(game) if isinstance(game, GameRecord) else game for game in games]
    if not reads:
        raise PageError("there is no game to replay")
    shown = [film(read) for read in reads]
    films = [_page_film(one, proof_of(read.record)) for one, read in zip(shown, reads, strict=True)]
    style = asset("page.css") + asset("replay.css") + style_sheet("auto")
    script = bundle("replay.js")
    policy = (
        f"default-src 'none'; style-src {source_hash(style)}; script-src {source_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    page = fill(
        "replay.html",
        policy=policy,
        title=escape(str(films[0]["title"])),
        style=style,
        board=page_board(),
        text=escape("\n".join(map(_plain_text, shown))),
        data=script_json({"layout": page_layout(), "films": films}),
        script=script,
    )
    # A record made in memory may hold lone surrogates, which no file can.
    return page.encode("utf-8", "replace").decode("utf-8")


def _page_film(shown: Film, proof: Proof) -> dict[str, Json]:
    """A film as replay.js takes it: names cut to fit, tags made harmless, a title."""
    found: dict[str, Json] = to_builtins(shown)
    titles = [printable(name, TITLE_COLUMNS) or side for name, side in _sides(shown)]
    found["names"] = [printable(name, NAME_COLUMNS) for name in shown.names]
    found["tags"] = [[name, printable(value, TAG_COLUMNS)] for name, value in shown.tags]
    found["title"] = " – ".join(titles)
    found["subtitle"] = _subtitle(dict(shown.tags))
    found["clock"] = printable(dict(shown.tags).get("Clock", ""), 20)
    found["proof"] = to_builtins(proof)
    return found


def _plain_text(shown: Film) -> str:
    """The game for readers without scripts, close to notation; it need not read back."""
    lines = [f"{name}: {printable(value, TAG_COLUMNS)}" for name, value in shown.tags]
    lines += [
        f"{turn.label} {turn.side} {', '.join(turn.rolls)} {turn.glyph}".rstrip()
        for turn in shown.turns
    ]
    return "\n".join([*lines, shown.result, ""])


def _sides(shown: Film) -> list[tuple[str, str]]:
    return list(zip(shown.names, "XO", strict=True))


def _subtitle(tags: dict[str, str]) -> str:
    """Event, date, rules, match and score, as far as they are known."""
    match, score = tags.get("Match", "0"), tags.get("Score", "")
    parts = [
        tags.get("Event", ""),
        tags.get("Date", ""),
        tags.get("Rules", ""),
        f"match to {match}" if match not in ("", "0") else "",
        f"{score} before the game" if score else "",
    ]
    return " · ".join(printable(part, 60) for part in parts if part)
