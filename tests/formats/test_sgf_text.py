"""The encodings of SGF files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.sgf import decoded, parse, record_of

LETTERS = {
    b"(;PB[J\xc3\xb6rg])": "Jörg",
    b"\xef\xbb\xbf(;PB[J\xc3\xb6rg])": "Jörg",
    b"(;CA[ISO-8859-1]PB[J\xf6rg])": "Jörg",
    b"(; CA [latin1]PB[J\xf6rg])": "Jörg",
    "(;CA[GB2312]PB[棋手镕])".encode("gbk"): "棋手镕",
    "(;PB[能見ソ]CA[Shift_JIS])".encode("cp932"): "能見ソ",
    "(;CA[windows-1251]PB[Петр])".encode("cp1251"): "Петр",
    "(;PB[Jörg])".encode("utf-16"): "Jörg",
}


@pytest.mark.parametrize("content", LETTERS)
def test_names_are_read_in_the_encoding_that_the_file_says(content: bytes) -> None:
    text, note = decoded(content)
    assert (parse(text)[0].get("PB"), note) == (LETTERS[content], "")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"(;PB[J\xf6rg])", ("UTF-8", "Latin-1")),
        (b"(;CA[UTF-8]PB[J\xf6rg])", ("CA[UTF-8]", "Latin-1")),
        (b"(;CA[klingon]PB[J\xf6rg])", ("CA[klingon]", "Latin-1")),
        (b"(;CA[punycode]PB[J\xc3\xb6rg])", ("CA[punycode]", "UTF-8")),
        (b"(;CA[Big5]PB[J\xc3\xb6rg]C[\xff])", ("CA[Big5]", "Latin-1")),
    ],
)
def test_a_guess_at_the_encoding_is_told_in_a_line(content: bytes, words: tuple[str, str]) -> None:
    text, note = decoded(content)
    assert record_of(parse(text)[0])[1].players[0].startswith("J")
    assert all(word in note for word in words)
    assert note.count("\n") == 0


@given(st.binary(max_size=40))
def test_any_bytes_are_decoded(content: bytes) -> None:
    for begin in (b"", b"(;CA[GB2312]PB[", b"(;CA[utf-7]PB[", b"\xff\xfe"):
        decoded(begin + content)
