"""NIM by example."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state_manager import StateError, make_game


def test_stones_lie_at_the_left() -> None:
    game = make_game("nim", stones=4, max_take=2)
    with pytest.raises(StateError, match=r"at the left, got \[1, 1, 0, 1, 0\]"):
        game.from_flat([1, 1, 0, 1, 0])
    with pytest.raises(StateError, match=r"expected 0 to 1 in every cell, got 2 at \(0, 1\)"):
        game.from_flat([1, 1, 2, 0, 0])


@given(st.integers(1, 120), st.data())
def test_any_number_of_stones_may_be_left(stones: int, data: st.DataObject) -> None:
    max_take = data.draw(st.integers(1, stones))
    left = data.draw(st.integers(0, stones))
    game = make_game("nim", stones=stones, max_take=max_take)
    state = game.from_flat([2, *[1] * left, *[0] * (stones - left)])
    assert game.winner(state) == (0 if left else 1)
    assert game.legal_actions(state).tolist() == list(range(min(left, max_take)))
