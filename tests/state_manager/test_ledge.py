"""Ledge by example: rows are drawn with c, G and dots, the ledge at the left."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state_manager import State, StateError, StateManager, make_game


def drawn(text: str, to_play: int = 1) -> tuple[StateManager, State]:
    game = make_game("ledge", board=[".cG".index(cell) for cell in text])
    return game, game.initial_state(to_play)


def test_actions_are_numbered_by_coin_and_then_by_target() -> None:
    game, _ = drawn("...G")
    names = ["pick up", "1 to 0", "2 to 0", "2 to 1", "3 to 0", "3 to 1", "3 to 2"]
    assert [game.action_name(action) for action in range(game.num_actions)] == names


def test_a_flat_form_has_one_gold_coin_at_most() -> None:
    game, _ = drawn("..G")
    with pytest.raises(StateError, match=r"one gold coin at most, got 2 in \[1, 2, 0, 2\]"):
        game.from_flat([1, 2, 0, 2])
    assert game.winner(game.from_flat([1, 0, 1, 0])) == 2


@given(st.lists(st.booleans(), max_size=12), st.lists(st.booleans(), max_size=12))
def test_each_action_moves_one_coin_by_the_rules(before: list[bool], after: list[bool]) -> None:
    """Against the rule in the words of the assignment, coin by coin and cell by cell."""
    row = [int(coin) for coin in before] + [2] + [int(coin) for coin in after]
    game = make_game("ledge", board=row)
    expected = {"pick up"} if row[0] else set()
    for source, coin in enumerate(row):
        for target in range(source):
            if coin and not any(row[target:source]):
                expected.add(f"{source} to {target}")
    state = game.initial_state()
    assert {game.action_name(int(action)) for action in game.legal_actions(state)} == expected
    for action, child in game.children(state):
        moved = row.copy()
        if action == 0:
            moved[0] = 0
        else:
            source, target = map(int, game.action_name(action).split(" to "))
            moved[target], moved[source] = moved[source], 0
        assert game.to_flat(child) == [2, *moved]
        assert game.winner(child) == (1 if 2 not in moved else 0)
