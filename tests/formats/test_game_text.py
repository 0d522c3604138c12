"""Games as people paste them: links, moves, records of other sites, and refused texts."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.match import GameRecord
from formats.game_text import games_in, is_game_file, is_game_text, is_pasted
from formats.links import hexworld_link, trmph_link
from formats.sgf import ReadGame, cell_name, read_game
from formats.sgf_text import SgfError
from state_manager import State, make_game


def read(text: str, size: int = 5) -> ReadGame:
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
        stones = draw(st.lists(st.sampled_from((0, 1, 2)), max_size=2))
        held = dict(zip(cells, stones, strict=False))
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


@settings(max_examples=50)
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


@settings(max_examples=30)
@given(games(), st.sampled_from(("{} ", "{}, ", "{number}.{} ", "{number}. {}\n")))
def test_moves_in_words_are_read(case: tuple[int, GameRecord], form: str) -> None:
    size, record = case
    names = [cell_name(action, size) for action in record.actions]
    text = "".join(form.format(name, number=number) for number, name in enumerate(names, start=1))
    if text and not any(record.setup):
        assert read(text.upper() if len(text) % 2 else text, size).record.actions == record.actions


def test_a_name_that_a_file_has_is_the_file_and_json_lines_are_no_text_of_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert is_pasted("c2")
    assert is_pasted("https://example.org/game")  # and then refused as an address
    Path("c2").touch()
    assert not is_pasted("c2")
    assert is_game_file(b"#5c1,a1b2", "x.txt")
    assert is_game_file(b"", "x.SGF")
    assert not is_game_file(b'\xef\xbb\xbf{"players":["#11,a1","(;"]}', "x.sgf")


def test_a_text_that_is_far_too_long_is_refused_in_a_moment() -> None:
    for text in ("( " * 300_000, "a#b" * 200_000):
        assert not is_game_text(text)
        assert games_in(text, 5)[1] is not None
    with pytest.raises(SgfError, match="expected at most 20000 characters"):
        read("c2 " * 10_000)
