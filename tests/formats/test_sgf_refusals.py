"""SGF that is refused, with the line and the column of the mistake."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.sgf import SgfError, parse, parse_games, record_of

WRONG = {
    "(;B[a1]": "line 1, column 8: expected the ) of each (, got the end",
    "x": "line 1, column 1: expected SGF, got 'x'",
    "(;SZ[5]\n;B[a1]\n  ?;W[a2])": "line 3, column 3: expected SGF, got '?;W[a2])'",
    ";B[a1]": "line 1, column 1: expected a game, which begins with (",
    "(B[a1])": "line 1, column 2: expected a node, which begins with ;",
    "(;[a])": "line 1, column 3: expected a property's name before its value",
    "(;B[a1]B[a2])": "line 1, column 8: expected B once in a node",
    "(;SZ[5]PB[Ann]x;B[a1])": "line 1, column 15: expected SGF, got 'x;B[a1])'",
    "(;B[a1)": "line 1, column 4: expected SGF, got '[a1)'",
    "(;B[a1]);W[a2])": "line 1, column 9: expected a game, which begins with (",
}


@pytest.mark.parametrize("text", WRONG)
def test_text_that_is_no_sgf_is_refused_with_line_and_column(text: str) -> None:
    with pytest.raises(SgfError) as caught:
        parse(text)
    assert str(caught.value).startswith(WRONG[text])


def test_games_before_a_mistake_are_read() -> None:
    games, mistake = parse_games("(;B[a1])\n(;B[b1])\n(;B[c1]\n?)(;B[d1])")
    assert [game.get("B") for game in games] == ["a1", "b1"]
    assert str(mistake).startswith("line 4, column 1: expected SGF")


REFUSED = {
    "(;GM[1]SZ[9];B[aa])": "line 1, column 2: expected a game of Hex, GM[11], got GM[1]",
    "(;GM[1\n\n= a1])": "line 1, column 2: expected a game of Hex, GM[11], got GM[1\\n\\n= a1]",
    "(;SZ[3]PL[\x1b\n])": "line 1, column 2: expected PL[B] or PL[W], got PL[\\x1b\\n]",
    "(;SZ[9:7])": "line 1, column 2: expected a square board, as in SZ[7], got SZ[9:7]",
    "(;SZ[])": "line 1, column 2: expected a square board",
    f"(;SZ[{'9' * 5000}])": "line 1, column 2: expected a square board",
    "(;SZ[99])": "line 1, column 2: expected a board of 1 to 26 rows, got 99",
    "(;SZ[0];B[a1])": "line 1, column 2: expected a board of 1 to 26 rows, got 0",
    "(;SZ[5]\n;B[f1])": "line 2, column 1: expected a cell from a1 to e5, got 'f1'",
    "(;SZ[5];B[cf])": "line 1, column 8: expected a cell from a1 to e5, got 'c6'",
    "(;SZ[5];B[a1];W[A1])": "line 1, column 14: expected an empty cell, got a1, which B holds",
    "(;SZ[5]AW[a1];B[a1])": "line 1, column 14: expected an empty cell, got a1, which W holds",
    "(;SZ[5];B[a1];B[a2];W[swap])": "line 1, column 20: expected swap as the second move",
    "(;SZ[5]AB[a1]AW[a1])": "line 1, column 2: expected each cell once in AB, AW and AE, got AW",
    "(;SZ[5]AB[swap])": "line 1, column 2: expected each cell once in AB, AW and AE, got AB[swap]",
    "(;SZ[5]AB[a1:c3:e5])": "line 1, column 2: expected a cell from a1 to e5, got 'c3:e5'",
    "(;SZ[5]AB[c1:a3])": "line 1, column 2: expected corners at the top left and the bottom right, "
    "got c1:a3",
    "(;SZ[5]AB[a1:b2]AW[b1])": "line 1, column 2: expected each cell once in AB, AW and AE, got AW",
    "(;SZ[5]PL[x])": "line 1, column 2: expected PL[B] or PL[W], got PL[x]",
    "(;SZ[5];B[a1]W[a2])": "line 1, column 8: expected one move, got B and W",
    "(;SZ[5];B[a1];B[swap])": "line 1, column 14: expected swap as the second move",
    "(;SZ[5]AB[a1];W[swap])": "line 1, column 14: expected swap as the second move",
    "(;SZ[5];W[swap-pieces])": "line 1, column 8: expected swap-pieces as the second move",
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_game_that_breaks_the_rules_of_hex_is_refused_at_its_node(text: str) -> None:
    with pytest.raises(SgfError) as caught:
        record_of(parse(text)[0])
    assert str(caught.value).startswith(REFUSED[text])
    assert str(caught.value).isprintable()


WORDS = ["(", ")", ";", "AB", "AW", "AE", "B", "W", "PL", "C", "SZ"]
WORDS += ["[a1]", "[b2]", "[B]", "[swap]"]


@given(st.lists(st.sampled_from(WORDS), max_size=20))
def test_any_game_is_read_or_refused(words: list[str]) -> None:
    with suppress(SgfError):
        _, record = record_of(parse(f"(;SZ[3]{''.join(words)})")[0])
        assert len(record.setup) in (0, 9)
        assert len(record.comments) in (0, len(record.actions) + 1)
