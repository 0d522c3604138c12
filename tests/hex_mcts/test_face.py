"""The errors of ``import hex_mcts``; the tests run its examples from ``docs/api.md``."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import hex_mcts
from agents import AGENTS
from agents.random import RandomAgent
from base.methods import TREE_POLICIES
from base.registry import NETWORKS
from mcts import Variant, search_variant
from state_manager.games import GAMES
from tests.project import ROOT

SMALL = {"game.size": 3, "mcts.simulations": 5, "rl.episodes": 2, "rl.cached_nets": 2}


def test_every_public_name_exists() -> None:
    assert all(getattr(hex_mcts, name) is not None for name in hex_mcts.__all__)
    assert {"search", "__version__"} < {*dir(hex_mcts)}
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


def test_a_registered_tree_policy_has_its_own_name() -> None:
    hex_mcts.register_tree_policy("mine", search_variant("puct"))
    try:
        with pytest.raises(ValueError, match="expected a net with mine"):
            hex_mcts.MCTS(hex_mcts.make_game("nim"), variant=search_variant("mine"))
    finally:
        del TREE_POLICIES["mine"]


def test_a_search_refuses_the_same_options_as_the_agent() -> None:
    game = hex_mcts.make_game("hex", size=3)
    with pytest.raises(ValueError, match=r"tree_policy: expected .* got 'uctt'"):
        hex_mcts.search(game, tree_policy="uctt")
    with pytest.raises(ValueError, match="expected a net with puct"):
        hex_mcts.search(game, tree_policy="puct")


def test_a_run_is_begun_once_and_resumed(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected a run to resume"):
        hex_mcts.train({}, tmp_path, resume=True)
    assert hex_mcts.train(SMALL, tmp_path).episode == 2
    with pytest.raises(ValueError, match="expected no run yet"):
        hex_mcts.train(SMALL, tmp_path)
    assert hex_mcts.train({"rl.episodes": 3}, tmp_path, resume=True).episode == 3


@pytest.mark.parametrize("theirs", ["agents.py", "mcts/__init__.py", "web/page.py", "main.py"])
def test_a_clone_names_the_file_that_is_in_its_way(tmp_path: Path, theirs: str) -> None:
    file = tmp_path / theirs
    file.parent.mkdir(exist_ok=True)
    file.touch()
    # An editable install puts the clone on the path after all packages.
    command = [sys.executable, "-m", "hex_mcts", "params"]
    paths = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(command, cwd=tmp_path, env=paths, capture_output=True, text=True)
    assert ran.returncode != 0
    assert ran.stderr.count("\n") == 1
    assert f"{file} is in the way" in ran.stderr


def test_the_library_leaves_the_threads_of_torch_as_they_were(tmp_path: Path) -> None:
    threads = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        net = hex_mcts.load_net("best", hex_mcts.make_game("hex", size=7))
        hex_mcts.search(net.game, net=net, simulations=10)
        hex_mcts.train(SMALL, tmp_path)
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(threads)


def test_the_best_net_is_loaded_for_a_game_and_describes_itself() -> None:
    game = hex_mcts.make_game("hex", size=4)
    assert "hex(size=4" in repr(hex_mcts.load_net("best", game))
    with pytest.raises(ValueError, match="got no game"):
        hex_mcts.load_net("best")
    with pytest.raises(ValueError, match="expected a net for nim"):
        hex_mcts.load_net("best", hex_mcts.make_game("nim"))


@pytest.mark.parametrize(
    ("name", "moves"),
    [("hex", ["b1", "c5"]), ("nim", ["take 2"]), ("hexapawn", ["a1-a2"]), ("connect_four", ["3"])],
)
def test_moves_have_names_in_both_directions(name: str, moves: list[str]) -> None:
    game = hex_mcts.make_game(name)
    state = game.initial_state()
    for move in moves:
        action = game.parse_action(move)
        assert game.parse_action(game.move_name(action)) == action
        named, state = game.child_state(state, move), game.child_state(state, action)
        assert np.array_equal(named, state)
