"""Rollouts that keep sums from move to move play the moves of full evaluations."""

import numpy as np
import pytest

from anet import ANET
from anet.inference import rollout_that_adds
from base.params import ANETParams
from state_manager import State, StateManager, make_game
from state_manager.policy import Policy, move_by_move
from tests.anet.conftest import lively_net, states_of


def played_out(
    game: StateManager, policy: Policy, state: State, seed: int
) -> tuple[int, list[int]]:
    """Return the outcome of a rollout, and its moves."""
    state, rng = state.copy(), np.random.default_rng(seed)
    legal, actions = np.zeros(game.num_actions, np.int64), np.zeros(2 + game.max_plies, np.int32)
    outcome, played = policy.rollout(
        policy.choose, game.rules, policy.net, state, legal, actions, 2, rng
    )
    assert not actions[:2].any()
    assert game.winner(state) == outcome
    return outcome, actions[2:played].tolist()


@pytest.mark.parametrize("name", ["hex", "tic_tac_toe"])
@pytest.mark.parametrize("view", ["absolute", "mover"])
@pytest.mark.parametrize("activation", ["linear", "sigmoid", "tanh", "relu"])
def test_kept_sums_change_no_move(name: str, view: str, activation: str) -> None:
    game = make_game(name, **({"size": 6} if name == "hex" else {}))
    for layers in [(1,), (7,), (64, 64), (33, 5, 97)]:
        net = lively_net(game, hidden_layers=layers, activation=activation, view=view)
        policy = net.exact.rollout_policy(epsilon=0.3)
        assert policy.rollout is rollout_that_adds
        anew = policy._replace(rollout=move_by_move)
        for seed, state in enumerate(states_of(game)):
            assert played_out(game, policy, state, seed) == played_out(game, anew, state, seed)


def test_equal_outputs_go_to_the_lowest_legal_action() -> None:
    game = make_game("hex", size=6)
    net = lively_net(game, factor=0.0, hidden_layers=(4,), view="mover")
    state = game.child_state(game.initial_state(), 1)
    _, actions = played_out(game, net.exact.rollout_policy(epsilon=0.0), state, 0)
    assert actions[:4] == [0, 2, 3, 4]


@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
@pytest.mark.parametrize("activation", ["linear", "relu"])
def test_outputs_that_are_not_numbers_lead_to_legal_moves(activation: str) -> None:
    game = make_game("hex", size=3)
    net = lively_net(game, factor=1e30, hidden_layers=(4, 40), activation=activation)
    policy = net.exact.rollout_policy(epsilon=0.0)
    _, actions = played_out(game, policy, game.initial_state(), 0)
    assert not np.isfinite(policy.net.values).all()
    assert len(set(actions)) == len(actions)


def test_nets_of_other_games_and_those_without_hidden_layers_keep_no_sums(name: str) -> None:
    game, layers = make_game(name), () if name == "hex" else (4,)
    policy = ANET(game, ANETParams(hidden_layers=layers), seed=1).exact.rollout_policy()
    assert policy.rollout is move_by_move
