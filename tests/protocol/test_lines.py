"""Requests and replies as lines. spec/protocol.md §2, §3."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acey_protocol.errors import CLASSES, MEANINGS, Code, ProtocolError, ReplyError, refused
from acey_protocol.lines import (
    Limits,
    Request,
    parse_reply,
    parse_request,
    quote,
    split_values,
    write_error,
    write_reply,
    write_request,
)

ids = st.from_regex(r"[0-9]{0,18}", fullmatch=True)
verbs = st.from_regex(r"[a-z][a-z-]{0,11}", fullmatch=True)
keys = st.from_regex(r"[a-z][a-z0-9-]{0,9}", fullmatch=True)
values = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"))
payloads = values.filter(lambda text: text != "")


def read(line: str) -> Request:
    return parse_request(line.encode())


def refusal(data: bytes | str, limits: Limits | None = None) -> ProtocolError:
    with pytest.raises(ProtocolError) as caught:
        parse_request(data.encode() if isinstance(data, str) else data, limits or Limits())
    return caught.value


@given(ids, verbs, st.lists(values), st.dictionaries(keys, values), st.just("") | payloads)
def test_what_is_written_is_read(
    id: str, verb: str, words: list[str], named: dict[str, str], payload: str
) -> None:
    data = write_request(verb, words, named, payload, id)
    assert parse_request(data) == Request(id, verb, tuple(words), named, payload)
    assert data.count(b"\n") == (payload.count("\n") + 1 if payload else 0)


@pytest.mark.parametrize(
    "line",
    [
        "7 play t1 tok 13/7 8/2 ply=3",
        "  7  play t1\ttok 13/7  8/2\t ply=3 ",
        "7 play t1 tok 13/7 8/2 ply=3\r",
    ],
    ids=["plain", "blanks", "return"],
)
def test_blanks_and_a_return_at_the_end_change_nothing(line: str) -> None:
    assert read(line) == Request("7", "play", ("t1", "tok", "13/7", "8/2"), {"ply": "3"}, "")


def test_named_arguments_stand_anywhere_after_the_verb() -> None:
    assert read("legal rules=american xyz") == read("legal xyz rules=american")


def test_a_json_string_is_taken_as_it_is() -> None:
    request = read(r'open x="the \"great\" one" o="Zoë\u00e9" "rules=american" "7"')
    assert request.named == {"x": 'the "great" one', "o": "Zoëé"}
    assert request.words == ("rules=american", "7")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("", "the line has none"),
        ("   ", "the line has none"),
        ("12", "the line has none"),
        ("\r", "the line has none"),
        ("# a comment", "there are no comments"),
        ('open x="alpha', "column 8: the string is not closed"),
        ('open x="al"pha', "column 12: a space is missing"),
        ('open al"pha"', "column 8: a quote in the middle"),
        (r'open x="\q"', "column 8: "),
        (r'open x="\ud800"', "column 8: "),
        (r'open x="a\u0000"', "column 8: the string has a NUL"),
        ("1234567890123456789 ping", "up to 18 digits"),
        ("\u0661\u0662 ping", "digits 0-9"),
        ("pi\x00ng", "a NUL at character 3"),
    ],
    ids=lambda text: repr(text)[:24],
)
def test_a_line_that_cannot_be_read(line: str, says: str) -> None:
    error = refusal(line)
    assert (error.code, says in error.message) == (Code.SYNTAX, True), error.message


def test_a_request_that_breaks_late_keeps_its_id() -> None:
    assert refusal('123 open x="alpha').id == "123"
    assert refusal("55 open x=1 x=2").id == "55"
    assert refusal(b"7 validate\n\xff").id == "7"


def test_bytes_that_are_no_text() -> None:
    assert refusal(b"ping \xff\xfe").message == "the line is no UTF-8 at byte 6"
    assert refusal(b"validate\nab\xc3(").message == "the payload is no UTF-8 at byte 3"
    assert refusal("ping \ud800".encode("utf-8", "surrogatepass")).code is Code.SYNTAX


def test_an_argument_given_twice_is_named() -> None:
    error = refusal("open x=a x=b")
    assert (error.code, error.message) == (Code.BAD_ARGUMENT, "x= is given twice")


def test_limits_are_the_last_byte_that_fits() -> None:
    limits = Limits(line=10, payload=5)
    assert parse_request(b"ping 67890\n12345", limits).payload == "12345"
    assert refusal(b"ping 678901", limits).code is Code.TOO_LARGE
    error = refusal(b"3 validate\n123456", limits)
    assert (error.code, error.id) == (Code.TOO_LARGE, "3")


def test_the_default_limits_are_those_of_the_specification() -> None:
    assert parse_request(b"x" * 65_536).verb == "x" * 65_536
    assert refusal(b"x" * 65_537).code is Code.TOO_LARGE


@given(
    ids, values.filter(lambda text: "\n" not in text and "\r" not in text), st.just("") | payloads
)
def test_a_reply_is_read_as_it_was_written(id: str, text: str, payload: str) -> None:
    reply = parse_reply(write_reply(id, text, payload))
    assert (reply.id, reply.ok, reply.text, reply.code) == (id, True, text, None)
    assert reply.payload == payload


@given(ids, st.sampled_from(list(Code)), values)
def test_an_error_stays_on_its_line(id: str, code: Code, message: str) -> None:
    data = write_error(refused(code, message, payload="more\nlines"), id)
    reply = parse_reply(data)
    assert (reply.id, reply.ok, reply.code) == (id, False, code)
    assert reply.lines == ["more", "lines"]


@pytest.mark.parametrize("data", [b"", b"yes", b"? nonsense", b"=x", b"= \xff", b"?7"])
def test_what_is_no_reply_is_refused(data: bytes) -> None:
    with pytest.raises(ReplyError):
        parse_reply(data)


@given(st.dictionaries(keys, values), st.lists(values))
def test_values_of_a_reply_are_read_as_they_were_written(
    named: dict[str, str], words: list[str]
) -> None:
    text = " ".join([*map(quote, words), *(f"{key}={quote(each)}" for key, each in named.items())])
    assert split_values(text) == (words, named)


def test_each_code_has_one_class_and_one_meaning() -> None:
    assert list(MEANINGS) == list(Code)
    assert set(CLASSES) == set(Code)
    assert len(set(CLASSES.values())) == len(Code)
    assert all(kind.default is code for code, kind in CLASSES.items())
