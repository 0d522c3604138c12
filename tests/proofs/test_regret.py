"""Won positions are found by brute force, and so are those that a net loses."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from agents.anet_agent import ANETAgent, ANETOptions
from anet import ANET
from base.params import ANETParams
from proofs.regret import MOST_MOVES, Regret
from state_manager import NodeLimitError, State, StateManager, make_game

HEX = make_game("hex", size=3)
"""Positions of 3x3 are few enough for brute force."""


@cache
def wins(game: StateManager, state: bytes, player: int) -> bool:
    """Return whether a player wins against every reply, by brute force."""
    position = np.frombuffer(state, np.int8)
    if game.is_final(position):
        return game.winner(position) == player
    outcomes = (wins(game, child.tobytes(), player) for _, child in game.children(position))
    return any(outcomes) if position[0] == player else all(outcomes)


def kept_by(game: StateManager, state: State) -> list[int]:
    """Return the moves after which the mover still wins."""
    player = game.to_play(state)
    return [a for a, child in game.children(state) if wins(game, child.tobytes(), player)]


@pytest.fixture(scope="module")
def regret() -> Regret:
    return Regret(HEX, 150)


def fixed(game: StateManager, weights: Any, values: Any = None) -> Any:
    """Return a net whose preferences and values are given."""
    net = SimpleNamespace(game=game, params=ANETParams(critic=values is not None))
    net.evaluate_batch = lambda states, legal, symmetric: (np.where(legal, weights, 0.0), None)
    net.evaluator, net.value = lambda: net, lambda states: values
    return net


def test_positions_are_won_and_at_least_two_of_their_moves_lose(regret: Regret) -> None:
    assert len(regret.states) == 150
    assert len({state.tobytes() for state in regret.states}) == 150
    for state, keeps in zip(regret.states, regret.keeps, strict=True):
        kept = kept_by(HEX, state)
        assert np.flatnonzero(keeps).tolist() == kept
        assert 0 < len(kept) <= len(HEX.legal_actions(state)) - 2
    assert set(regret.states[:, 0].tolist()) == {1, 2}


def test_every_net_of_a_game_gets_the_same_positions(regret: Regret) -> None:
    again = Regret(HEX, 20)
    assert np.array_equal(again.states, regret.states[:20])


def test_the_regret_is_the_share_of_wins_that_the_net_loses(regret: Regret) -> None:
    for weights in (range(1, 10), range(9, 0, -1), [1] * 9):
        thrown_away = 0
        for state in regret.states:
            legal = HEX.legal_actions(state)
            chosen = legal[np.argmax(np.array(weights)[legal])]
            thrown_away += chosen not in kept_by(HEX, state)
        assert regret.share(fixed(HEX, weights)) == thrown_away / 150
        assert 0 < thrown_away < 150


def test_a_perfect_net_has_no_regret(regret: Regret) -> None:
    assert regret.share(fixed(HEX, regret.keeps)) == 0.0
    assert regret.share(fixed(HEX, ~regret.keeps)) == 1.0


@pytest.mark.parametrize("symmetric", [False, True])
def test_a_net_is_measured_as_it_plays(regret: Regret, symmetric: bool) -> None:
    net = ANET(HEX, ANETParams(symmetric=symmetric, hidden_layers=(8,)), seed=3)
    agent = ANETAgent(HEX, net.exact, ANETOptions())
    thrown_away = [agent.choose_action(s) not in kept_by(HEX, s) for s in regret.states]
    record = regret.record(net)
    assert record["regret"] == np.mean(thrown_away)
    opinions = []
    for opening in range(9):
        state = HEX.child_state(HEX.initial_state(1), opening)
        while not HEX.is_final(state):
            state = HEX.child_state(state, agent.choose_action(state))
        opinions.append({1: 1.0, 2: -1.0}[HEX.winner(state)])
    assert record["opening_map"]["thinks"] == opinions


def test_the_opening_map_of_hex_is_correct_and_disagreements_are_counted(regret: Regret) -> None:
    empty = HEX.initial_state(1)
    true = [1.0 if wins(HEX, child.tobytes(), 1) else -1.0 for _, child in HEX.children(empty)]
    values = np.array([0.2, -0.9, 0.4, 0.1, 0.6, -0.01, 0.7, -1.0, -0.3])
    record = regret.record(fixed(HEX, range(9), values))
    wrong = [(value > 0) != (truth > 0) for value, truth in zip(values, true, strict=True)]
    assert record["opening_map"] == {
        "actions": list(range(9)),
        "thinks": values.tolist(),
        "true": true,
        "wrong": wrong,
    }
    assert record["openings_wrong"] == sum(wrong) / 9


def test_first_moves_of_tic_tac_toe_are_drawn_and_values_near_0_agree() -> None:
    game = make_game("tic_tac_toe")
    values = np.array([0.0, 0.49, -0.49, 0.5, -0.5, 1.0, -1.0, 0.1, 0.6])
    record = Regret(game, 30).record(fixed(game, range(9), values))
    assert record["opening_map"]["true"] == [0.0] * 9
    assert np.flatnonzero(record["opening_map"]["wrong"]).tolist() == [3, 4, 5, 6, 8]


@pytest.mark.parametrize("name", ["nim", "ledge", "hexapawn"])
def test_small_games_have_at_most_the_requested_positions(name: str) -> None:
    game = make_game(name)
    regret = Regret(game, 100)
    assert len(regret.states) <= 100
    assert (len(regret.states) < 100) == (name != "ledge")
    for state, keeps in zip(regret.states, regret.keeps, strict=True):
        assert np.flatnonzero(keeps).tolist() == kept_by(game, state)


def test_on_a_large_board_late_positions_are_judged_and_first_moves_are_not() -> None:
    game = make_game("hex", size=9)
    regret = Regret(game, 5)
    for state in regret.states:
        assert len(game.legal_actions(state)) <= MOST_MOVES
    assert list(regret.record(fixed(game, range(81)))) == ["regret"]


def test_a_game_that_is_too_large_is_refused_in_one_line() -> None:
    with pytest.raises(NodeLimitError, match=r"got connect_four\(rows=6, columns=7\)$"):
        Regret(make_game("connect_four"), 10, node_limit=100)
    with pytest.raises(NodeLimitError, match=r"with won positions, got nim\(stones=1, max_take=1"):
        Regret(make_game("nim", stones=1, max_take=1), 10)
