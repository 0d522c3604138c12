"""The search against its slow twin: the same seed gives the same tree, to the last bit."""

from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from base.methods import Method
from mcts import MCTS, Variant
from state_manager import StateManager, make_game
from state_manager.policy import Policy
from tests.mcts.fake_policy import fake_policy, favourite_twin, opinion_twin
from tests.mcts.naive_mcts import Evaluate, NaiveMCTS, by_playing, by_uniform_rollout, uniformly
from tests.mcts.opinions import RandomNet
from tests.mcts.trees import assert_equal_games, nested, nested_twin

GAMES: list[tuple[str, dict[str, Any], int]] = [
    ("hex", {"size": 3}, 150),
    ("nim", {}, 40),
    ("nim", {"stones": 6, "max_take": 6}, 60),
    ("ledge", {}, 12),
    ("ledge", {"board": [1, 2]}, 30),
    ("tic_tac_toe", {}, 40),
    ("connect_four", {"rows": 4, "columns": 4}, 40),
    ("hexapawn", {}, 40),
]
"""Names, parameters, and the simulations before each move."""


def uct(exploration: float) -> Variant:
    return Variant().with_settings(exploration=exploration)


def either(sigma: float, roll_out: Evaluate, by_net: Evaluate) -> Evaluate:
    return lambda state, rng: (roll_out if sigma == 1.0 or rng.random() < sigma else by_net)(
        state, rng
    )


def by_rollout_or_critic(game: StateManager, policy: Policy, sigma: float) -> Evaluate:
    roll_out = by_playing(game, favourite_twin(game, policy))
    return either(sigma, roll_out, lambda state, rng: opinion_twin(game, state))


EVALUATIONS = [("the rules", 1.0), ("uniformly", 1.0), ("by a policy", 0.5), ("outside", 0.5)]
ALWAYS_ONE = list(product(["by a policy", "outside"], [0.0, 1.0]))


@pytest.mark.parametrize(
    ("place", "evaluated"), [*product(range(len(GAMES)), EVALUATIONS), *product([0, 5], ALWAYS_ONE)]
)
def test_each_evaluation_is_the_twins(place: int, evaluated: tuple[str, float]) -> None:
    name, params, simulations = GAMES[place]
    by, sigma = evaluated
    game = make_game(name, **params)
    net, policy = RandomNet(game), fake_policy(game, seed=6, epsilon=0.2)
    variant, given = uct(0.5).with_settings(rollout_probability=sigma), dict[str, Any]()
    if by == "by a policy":
        given = {"rollout_policy": policy}
        evaluate = by_rollout_or_critic(game, policy, sigma)
    elif by == "outside":
        given = {"evaluate": net}
        evaluate = either(sigma, by_playing(game, uniformly(game)), net.value)
    elif by == "uniformly":
        variant = replace(variant, method=Method("uct", needs_moves=True))
        evaluate = by_playing(game, uniformly(game))
    else:
        evaluate = by_uniform_rollout(game)
    search = MCTS(game, variant=variant, seed=10, **given)
    twin = NaiveMCTS(game, 0.5, 10, evaluate)
    assert_equal_games(search, twin, simulations, starter=2, exactly=True)


def test_the_policy_and_sigma_may_change_between_searches_of_one_tree() -> None:
    game = make_game("hex", size=3)
    state, policy = game.initial_state(), fake_policy(game, seed=6, epsilon=0.2)
    search, uniform = MCTS(game, variant=uct(0.7), seed=11), by_uniform_rollout(game)
    twin = NaiveMCTS(game, 0.7, 11, uniform)
    for change in (None, (policy, 0.5), (None, 1.0)):
        if change is not None:
            search.set_rollout_policy(*change)
            new, sigma = change
            twin.evaluate = by_rollout_or_critic(game, new, sigma) if new else uniform
        search.search(state, 50)
        assert nested(search.tree) == nested_twin(game, twin.search(state, 50))
