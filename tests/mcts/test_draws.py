"""Draws: the value of each is known in NIM, which gets a rule that makes some."""

import numpy as np
import pytest
from numba import types

from base.jit import kernel
from mcts import MCTS
from mcts.leaf_evaluation import outcome_value
from state_manager import DRAW, GOES_ON, State
from state_manager.nim import Nim, active_features, legal_actions, play, stones_left
from state_manager.rules import STATE, Rules
from tests.mcts.naive_mcts import NaiveMCTS, by_playing, uniformly
from tests.mcts.trees import nested, nested_twin


@kernel(types.int64(STATE, types.int64))
def play_or_draw(state: State, action: int) -> int:
    """Play NIM; taking the last stone alone is a draw, which K = 0 records."""
    outcome = play(state, action)
    if outcome != GOES_ON and action == 0:
        state[-1] = 0
        return DRAW
    return outcome


class DrawnNim(Nim):
    """NIM in which the last stone, taken alone, makes a draw."""

    rules = Rules(legal_actions, play_or_draw, active_features)

    def winner(self, state: State) -> int:
        state = self.checked(state)
        if stones_left(state) == 0 and state[-1] == 0:
            return DRAW
        return super().winner(state)


@pytest.mark.parametrize(("outcome", "value"), [(1, 1.0), (2, -1.0), (DRAW, 0.0)])
def test_the_value_of_an_outcome_is_seen_from_player_1(outcome: int, value: float) -> None:
    assert outcome_value(outcome) == value


@pytest.mark.parametrize("starting_player", [1, 2])
def test_a_game_with_draws_gives_the_twins_tree(starting_player: int) -> None:
    game = DrawnNim(stones=7, max_take=2)
    state = game.initial_state(starting_player)
    search = MCTS(game, seed=1)
    twin = NaiveMCTS(game, 1.0, 1, by_playing(game, uniformly(game)))
    search.search(state, 300)
    assert nested(search.tree) == nested_twin(game, twin.search(state, 300))
    assert DRAW in search.tree.nodes.outcome


@pytest.mark.parametrize(("mover", "lost"), [(1, -1.0), (2, 1.0)])
def test_a_draw_is_better_than_a_loss(mover: int, lost: float) -> None:
    """With three stones left: taking one leaves two, which loses; taking two leaves a draw."""
    game = DrawnNim(stones=3, max_take=2)
    result = MCTS(game, 2_000, seed=1).search(game.initial_state(mover))
    assert result.best_action == 1
    assert result.q_values[1] == 0.0
    assert np.sign(result.q_values[0]) == lost
