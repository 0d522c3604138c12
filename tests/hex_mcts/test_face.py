"""The errors of ``import hex_mcts``; the tests run its examples from ``docs/api.md``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import hex_mcts
from agents import AGENTS
from agents.random import RandomAgent
from base.methods import TREE_POLICIES
from base.registry import NETWORKS
from mcts import Variant
from state_manager.games import GAMES
from tests.project import ROOT

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


def test_a_package_of_the_same_name_does_not_shadow_a_room(tmp_path: Path) -> None:
    """An editable install puts the clone on the path after all packages."""
    package = tmp_path / "site-packages" / "mcts"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from .mcts import *\n")
    (package / "mcts.py").write_text("class mcts:\n    pass\n")
    code = f"""
import sys
sys.path[:0] = [{str(package.parent)!r}, {str(ROOT)!r}]
sys.argv[1:] = ["params"]
import hex_mcts
assert hex_mcts.MCTS(hex_mcts.make_game("nim")).game.name == "nim"
import hex_mcts.__main__
hex_mcts.__main__.run()
"""
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert "simulations" in ran.stdout
