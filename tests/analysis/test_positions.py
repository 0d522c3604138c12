"""Positions of self-play, and how they are sampled."""

from collections import Counter
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from analysis import sample_positions
from anet import ANET
from anet.evaluator import Evaluator
from base.params import ANETParams
from state_manager import make_game
from tests.analysis.conftest import games_of


def test_positions_are_those_with_a_choice_of_one_legal_game(net: Evaluator) -> None:
    game, everything = net.game, games_of(net, 4)
    for number in range(4):
        positions = [each for each in everything if each.game_number == number]
        assert [each.ply for each in positions] == list(range(len(positions)))
        assert positions[0].state.tolist() == game.initial_state(1 + number % 2).tolist()
        for before, after in pairwise(positions):
            assert after.last_action is not None
            assert after.last_action in before.legal_actions
            assert game.child_state(before.state, after.last_action).tolist() == (
                after.state.tolist()
            )
        for each in positions:
            assert len(each.legal_actions) > 1
            assert each.policy == pytest.approx(net.policy(each.state))
            assert each.plies > each.ply
            assert each.points == (1.0 if each.outcome == 1 else 0.0)


def test_moves_are_drawn_in_proportion_to_the_policy(net: Evaluator) -> None:
    first = Counter(int(each.last_action or 0) for each in games_of(net, 300) if each.ply == 1)
    # Player 1 starts in half of the games, player 2 in the others: two policies.
    policies = [net.policy(net.game.initial_state(player)) for player in (1, 2)]
    expected = 300 * (policies[0] + policies[1]) / 2
    counts = np.array([first[action] for action in range(9)])
    assert float(np.sum((counts - expected) ** 2 / expected)) < 26.1, "chi-squared, 8, 0.001"


def test_a_forced_move_is_no_position() -> None:
    net = ANET(make_game("nim", stones=3, max_take=2), ANETParams(hidden_layers=(4,)), seed=1).exact
    stones = {net.game.to_flat(each.state)[1:].count(1) for each in games_of(net, 30)}
    assert stones == {2, 3}, "with one stone left there is nothing to choose"


def item(game_number: int, ply: int, name: int) -> Any:
    state = np.array([1, name], np.int8)
    return SimpleNamespace(position=SimpleNamespace(game_number=game_number, ply=ply, state=state))


def test_a_sample_is_spread_over_the_plies_and_holds_no_position_twice(net: Evaluator) -> None:
    items: list[Any] = [SimpleNamespace(position=each) for each in games_of(net, 20)]
    sampled = sample_positions(items, 5, seed=1)
    plies = [each.position.ply for each in sampled]
    assert plies == sorted(plies)
    last = {each.position.game_number: each.position.ply for each in items}
    usual = np.median(list(last.values()))
    assert np.abs(np.array(plies) - np.linspace(0, usual, 5)).max() <= 0.5
    assert len({each.position.state.tobytes() for each in sampled}) == 5


def test_equal_positions_of_several_games_count_once() -> None:
    items = [item(number, 0, 7) for number in range(9)] + [item(0, 1, 8)]
    sampled = sample_positions(items, 10)
    assert [int(each.position.state[1]) for each in sampled] == [7, 8]


def test_the_seed_decides_between_positions_of_a_ply() -> None:
    items = [item(number, 0, number) for number in range(50)]
    drawn = [[int(each.position.state[1]) for each in sample_positions(items, 3, seed)]
             for seed in (1, 1, 2)]  # fmt: skip
    assert drawn[0] == drawn[1] != drawn[2]
