"""The errors of ``import hex_mcts``; the tests run its examples from ``docs/api.md``."""

from __future__ import annotations

from pathlib import Path

import pytest

import hex_mcts
from agents import AGENTS
from agents.random import RandomAgent
from base.registry import NETWORKS, TREE_POLICIES
from mcts import Variant
from state_manager.games import GAMES

SMALL = {"game.size": 3, "mcts.simulations": 5, "rl.episodes": 2, "rl.cached_nets": 2}


def test_every_public_name_exists() -> None:
    assert all(getattr(hex_mcts, name) is not None for name in hex_mcts.__all__)
    with pytest.raises(AttributeError, match="no attribute 'serch'"):
        hex_mcts.serch  # noqa: B018


def test_a_used_or_malformed_name_is_refused_and_changes_nothing() -> None:
    before = [list(each) for each in (GAMES, AGENTS, TREE_POLICIES, NETWORKS)]
    with pytest.raises(ValueError, match="expected a new name for a game, got 'hex'"):
        hex_mcts.register_game("hex", type(hex_mcts.make_game("nim")))
    with pytest.raises(ValueError, match="expected a new name for a kind of agent, got 'a:b'"):
        hex_mcts.register_agent("a:b", RandomAgent)
    with pytest.raises(ValueError, match="expected a new name for a tree policy, got 'uct'"):
        hex_mcts.register_tree_policy("uct", Variant())
    with pytest.raises(ValueError, match="expected a new name for a network, got 'mlp'"):
        hex_mcts.register_network("mlp", lambda view, actions, params: NotImplemented)
    assert [list(each) for each in (GAMES, AGENTS, TREE_POLICIES, NETWORKS)] == before


def test_a_search_refuses_the_same_options_as_the_agent() -> None:
    game = hex_mcts.make_game("hex", size=3)
    with pytest.raises(ValueError, match=r"tree_policy: expected .* got 'uctt'"):
        hex_mcts.search(game, tree_policy="uctt")
    with pytest.raises(ValueError, match="expected a net with tree_policy=puct"):
        hex_mcts.search(game, tree_policy="puct")


def test_a_run_is_begun_once_and_resumed(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected a run to resume"):
        hex_mcts.train({}, tmp_path, resume=True)
    assert hex_mcts.train(SMALL, tmp_path).episode == 2
    with pytest.raises(ValueError, match="expected no run yet"):
        hex_mcts.train(SMALL, tmp_path)
    assert hex_mcts.train({"rl.episodes": 3}, tmp_path, resume=True).episode == 3
