"""Games as people paste them: links, moves, records of other sites, and refused texts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.match import GameRecord
from formats.game_text import games_in, is_game_file, is_game_text, is_pasted
from formats.links import hexworld_link, trmph_link
from formats.sgf import ReadGame, SgfError, cell_name, read_game
from state_manager import State, make_game


def read(text: str, size: int = 5) -> ReadGame:
    """Return the game of a text; raise its mistake."""
    games, mistake = games_in(text, size)
    if mistake is not None:
        raise mistake
    [root] = games
    return read_game(root)


def end_of(record: GameRecord, size: int) -> list[int]:
    """Return the player to move and the board after a game."""
    game = make_game("hex", size=size, swap=True)
    state: State = game.initial_state(record.starting_player, record.setup)
    for action in record.actions:
        assert action in game.legal_actions(state)
        state = game.child_state(state, action)
    return list(map(int, state[: 1 + size * size]))


@st.composite
def games(draw: st.DrawFn) -> tuple[int, GameRecord]:
    """Return the size of a board, and a game on it, from an empty board or another position."""
    size, swaps = draw(st.integers(3, 13)), draw(st.booleans())
    game, starter = make_game("hex", size=size, swap=swaps), draw(st.sampled_from((1, 2)))
    record = GameRecord(("Black", "White"), starter, (), (), 0)
    if draw(st.booleans()):
        cells = draw(st.permutations(range(size * size)))[:4]
        held = dict(
            zip(cells, draw(st.lists(st.sampled_from((0, 1, 2)), max_size=2)), strict=False)
        )
        record = replace(record, setup=tuple(held.get(cell, 0) for cell in range(size * size)))
    state, actions = game.initial_state(starter, record.setup), list[int]()
    for _ in range(draw(st.integers(0, 12))):
        legal = game.legal_actions(state).tolist()
        if any(record.setup):
            legal = [action for action in legal if action < size * size]
        if not legal:
            break
        actions.append(draw(st.sampled_from(legal)))
        state = game.child_state(state, actions[-1])
    record = replace(record, actions=tuple(actions), winner=game.winner(state))
    if not record.winner and (ending := draw(st.sampled_from(("", "R", "F")))):
        record = replace(record, winner=draw(st.sampled_from((1, 2))), ending=ending)
    return size, record


@given(games())
def test_a_game_is_the_same_after_it_was_written_as_a_link(case: tuple[int, GameRecord]) -> None:
    size, record = case
    params, found, _, _ = read(hexworld_link(record, size))
    assert params["size"] == size
    assert end_of(found, size) == end_of(record, size)
    assert found.ending == record.ending
    assert not record.ending or found.winner == record.winner
    if record.starting_player == 1 and not any(record.setup):
        assert found.actions == record.actions
    if link := trmph_link(record, size):
        assert end_of(read(link).record, size) == end_of(record, size)
    else:
        assert ":p" in hexworld_link(record, size)


@given(games(), st.sampled_from(("{} ", "{}, ", "{number}.{} ", "{number}. {}\n")))
def test_moves_in_words_are_read(case: tuple[int, GameRecord], form: str) -> None:
    size, record = case
    names = [cell_name(action, size) for action in record.actions]
    text = "".join(form.format(name, number=number) for number, name in enumerate(names, start=1))
    if text and not any(record.setup):
        assert read(text.upper() if len(text) % 2 else text, size).record.actions == record.actions


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.c2 2.swap-pieces 3.d4", (5, "c2 swap-pieces d4", "")),
        ("c2 d4 e5", (5, "c2 d4 e5", "")),
        ("c2 swap d4 resign", (5, "c2 swap-pieces d4", "B+R")),
        ("c2d4 forfeit", (5, "c2 d4", "W+F")),
        ("1. c2 d4 2. b3", (5, "c2 d4 b3", "")),
        ("1. c2 1... d4 2.b3", (5, "c2 d4 b3", "")),
        ("1.c2 d4 3.b3", (5, "c2 d4 b3", "")),
        ("c2!? d4?? b3! 1-0", (5, "c2 d4 b3", "B+")),
        ("c2 d4 b3, 0-1", (5, "c2 d4 b3", "W+")),
        ("c2 d4 w+r", (5, "c2 d4", "W+R")),
        ("c2 d4 *", (5, "c2 d4", "")),
        ("B c2 W d4", (5, "c2 d4", "")),
        ("1. black c2 2. white: d4", (5, "c2 d4", "")),
        ("#11c1,a1 b2", (11, "a1 b2", "")),
        ("#11c1,a1:sc3", (11, "a1 swap-pieces c3", "")),
        ("#11c1,a1:Sc3b2", (11, "a1 c3 b2", "")),
        ("https://hexworld.org/board/#7r9mnc1,a1b2,c3:rb", (7, "a1 b2 c3", "W+R")),
        ("https://hexworld.org/board/#11c1%2Ca1%3Asc3", (11, "a1 swap-pieces c3", "")),
        ("11c1,a1b2:fw", (11, "a1 b2", "B+F")),
        ("#6x6,a1b2", (6, "a1 b2", "")),
        ("#19", (19, "", "")),
        ("#13,a1b2", (13, "a1 b2", "")),
        ("http://www.trmph.com/hex/board#13,a11a11k10", (13, "k1 swap-pieces k10", "")),
        ("Mail: (;GM[11]SZ[4];B[a1])", (4, "a1", "")),
    ],
)
def test_what_people_paste_is_read(text: str, expected: tuple[int, str, str]) -> None:
    params, record, _, notes = read(text)
    size = int(params["size"])
    result = f"{'BW'[record.winner - 1]}+{record.ending}" if record.winner else ""
    moves = " ".join(cell_name(action, size) for action in record.actions)
    assert (size, moves, result, notes) == (*expected, ())
    assert is_game_text(text)


def test_links_are_found_in_a_text_and_a_note_says_what_is_read() -> None:
    text = "Lost (https://hexworld.org/board/#5c1,a1b2), won: trmph.com/hex/board#6,b2a1. Why?"
    games, mistake = games_in(text, 5)
    read_games = [read_game(each) for each in games]
    found = [(each.params["size"], each.record.actions) for each in read_games]
    assert (found, mistake) == ([(5, (0, 6)), (6, (7, 0))], None)
    assert "hexworld.org/board/#5c1,a1b2" in read_games[0].notes[0]
    assert is_game_text(text)


def test_colours_say_who_moves() -> None:
    assert read("W c2 B d4").record.starting_player == 2
    assert "B moves twice in a row" in read("B c2 B d4").notes[0]


def test_a_result_that_the_moves_contradict_is_noted() -> None:
    assert read("c2 d4 resign 0-1").notes == ()
    assert "RE[B+]" in read("c2 d4 resign 1-0").notes[0]


def test_a_link_with_passes_is_a_position() -> None:
    """The last pass changes the player to move."""
    after_one = [0] * 25
    after_one[0] = 1
    assert end_of(read("#5c1,:p").record, 5) == [2, *[0] * 25]
    assert end_of(read("#5c1,a1:p").record, 5) == [1, *after_one]
    assert end_of(read("#5c1,a1:p:p").record, 5) == [2, *after_one]
    _, record, _, notes = read("#5c1,a1:pb1c1")
    assert (record.actions, record.setup[0]) == ((1, 2), 1)
    assert "W passed" in notes[0]


@pytest.mark.parametrize("variation", ["hex", "Hex-14", "hex-19 2 0 100"])
def test_a_record_of_boardspace_is_read(variation: str) -> None:
    """There White begins and joins the letters, and a swap leaves the stone where it is."""
    size = int(variation.split()[0][4:] or 11)
    moves = [*("dropb W A 1", "Done", "Swap", "Done", "Dropb B B 3", "Done", "resign", "Done")]
    nodes = "\n".join(f"; P0[{number} {move}]" for number, move in enumerate(moves, start=1))
    head = f'(;\nGM[11] VV[1]\nSU[{variation}]\nP0[id "Ann"]\nP1[id "Bo"]\n; P0[0 Start P0]'
    text = f"{head}\n{nodes}\n)"
    params, record, _, _ = read(text)
    assert params["size"] == size
    names = [cell_name(action, size) for action in record.actions]
    last = "abcdefghijklmnopqrs"[size - 1]
    assert names == [f"{last}1", f"{chr(ord(last) - 2)}2"]
    assert (record.winner, record.ending) == (2, "R")


def test_a_whole_game_of_boardspace_is_won_by_white_from_column_a_to_the_last() -> None:
    drops = [f"W {letter} {1 + place // 2}" for place, letter in enumerate("ABCDEFGHIJK")]
    others = [f"B {letter} 11" for letter in "ABCDEFGHIJ"]
    moves = [each for pair in zip(drops, [*others, ""], strict=True) for each in pair if each]
    nodes = "".join(f";P0[{number} dropb {move}]" for number, move in enumerate(moves, start=1))
    _, record, _, _ = read(f"(;GM[11]SU[hex]{nodes})")
    game = make_game("hex", size=11)
    state = game.initial_state(1)
    for action in record.actions:
        assert not game.is_final(state)
        state = game.child_state(state, action)
    assert game.winner(state) == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("#11c1,a1b2a1", "column 11: expected an empty cell, got a1, which B holds"),
        ("#11c1,a1a1", "column 9: expected an empty cell, got a1, which B holds"),
        ("#13,a1b2b2", "expected an empty cell, got b2, which W holds"),
        ("#11c1,a1b2:sc3", "column 11: expected swap-pieces as the second move"),
        ("#11c1,:sa1", "expected swap-pieces as the second move"),
        ("#11c1,a1:p:s", "expected swap-pieces as the second move"),
        ("#11c1,a1:xc3", "column 9: expected a move such as c2, got ':xc3'"),
        ("#99,a1", "expected a board of 1 to 26 rows, got 99"),
        ("#11x12,a1", "expected a square board, as in SZ[7], got SZ[11:12]"),
        ("c2 f6", "column 4: expected a cell from a1 to e5, got 'f6'"),
        ("c2 d4 d4", "expected an empty cell, got d4, which W holds"),
        ("c2 d4 hello", "column 6: expected a move such as c2, got 'hello'"),
        ("c2 " * 10_000, "expected at most 20000 characters"),
        ("1.c2 2.d4 4.b3", "column 11: expected 3 as the number of this move, got 4"),
        ("1.c2 3.d4", "column 6: expected 2 as the number of this move, got 3"),
        ("5.c2 6.d4", "column 1: expected 1 as the number of this move, got 5"),
        ("1. c2 d4 2. b3 a1 4. a2", "column 19: expected 3 as the number of this move, got 4"),
        ("c2 d4 1-0 b3", "column 6: expected a move such as c2, got '1-0 b3'"),
        ("c2 d4 1/2-1/2", "column 6: expected a move such as c2, got '1/2-1/2'"),
        ("see hexworld.org/board/#5c1,a1:xb2", "expected a move such as c2, got ':xb2'"),
        ("https://example.org/game?id=5", "addresses are not opened"),
        ("https://hexworld.org/board/", "addresses are not opened"),
    ],
)
def test_a_wrong_text_gives_one_line(text: str, reason: str) -> None:
    with pytest.raises(SgfError) as raised:
        read(text)
    if reason not in str(raised.value):
        assert str(raised.value) == reason
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "name",
    ["runs/mine", "best", "11", "a1.jsonl", "a1-b.sgf", "games#5.jsonl", "c2/games", "", "./a1"],
)
def test_a_name_is_no_game(name: str) -> None:
    assert not is_game_text(name)


def test_a_name_that_a_file_has_is_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert is_pasted("c2")
    assert is_pasted("https://example.org/game")  # and then refused as an address
    Path("c2").touch()
    assert not is_pasted("c2")


def test_a_file_of_json_lines_is_no_text_of_games() -> None:
    assert is_game_file(b"#5c1,a1b2", "x.txt")
    assert is_game_file(b"", "x.SGF")
    assert not is_game_file(b'\xef\xbb\xbf{"players":["#11,a1","(;"]}', "x.sgf")


def test_many_brackets_without_a_game_are_read_in_a_moment() -> None:
    for text in ("( " * 300_000, "a#b" * 200_000):
        assert not is_game_text(text)
        assert games_in(text, 5)[1] is not None
