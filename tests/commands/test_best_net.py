"""The word ``best`` where a command wants the file of a net."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anet import ANET
from base.params import ANETParams
from hex_mcts.system import read_params
from state_manager import make_game
from tests.commands.conftest import TINY_RUN, Call
from tests.commands.test_show import log
from tests.commands.test_usage import assert_one_line

SIZE = "game.size=3"
SHORT = [word for word in TINY_RUN if not word.startswith(("game.", "anet."))]


@pytest.fixture
def best(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let an untrained net be the best one for 3x3; return its name."""
    ANET(make_game("hex", size=3), ANETParams(hidden_layers=(8,)), seed=2).save(tmp_path / "net.pt")
    (tmp_path / "best.yaml").write_text("hex(size=3): net.pt\n")
    monkeypatch.setattr("agents.best.TABLE", tmp_path / "best.yaml")
    return "net.pt"


def test_the_best_net_is_certified_and_checked(call: Call, best: str) -> None:
    result = call("certify", "--net", "best", SIZE)
    assert (result.status, result.errors) == (1, "")
    assert result.output.startswith(f"anet:best is anet:{best}\n")
    assert "Certificate: net.certificate.json" in result.output
    result = call("certify", "--net", "best", "--check", "net.certificate.json", SIZE)
    assert result.output.startswith(f"anet:best is anet:{best}\n")
    assert "Confirmed: " in result.output
    result = call("certify", "--agent", "mcts:best,simulations=9,tree_policy=puct", SIZE)
    assert_one_line(result.errors, "expected one that leaves nothing to chance")
    assert_one_line(call("certify", "--net", "best", "game.size=4").errors, "expected a net for")


def test_the_best_net_is_analysed(call: Call, best: str) -> None:
    words = ("--games", "2", "--positions", "1", "--simulations", "20", "--out", "out")
    result = call("analyse", "--net", "best", *words, SIZE)
    assert (result.status, result.errors) == (0, "")
    assert result.output.startswith(f"anet:best is anet:{best}\n")


def test_the_best_net_analyses_a_saved_game(call: Call, best: str, tmp_path: Path) -> None:
    game = {"players": ["a", "b"], "board_size": 3, "starting_player": 1, "actions": [4, 1, 2]}
    words = ("--net", "best", "--simulations", "20", "--out", "out")
    result = call("analyse", "--game", log(tmp_path, game), *words)
    assert (result.status, result.errors) == (0, "")
    assert f" is mcts:{best},simulations=20" in result.output
    assert json.loads(Path("out/game.json").read_text())["setup"]["search"].startswith(
        "mcts:net.pt"
    )


def test_the_best_net_enters_a_tournament(call: Call, best: str, tmp_path: Path) -> None:
    ANET.load(tmp_path / best).save(tmp_path / "other.pt")
    words = ("display.mode=off", "topp.games=2", "topp.regret_positions=0")
    result = call("topp", "best", "other.pt", *words)
    assert (result.status, result.errors) == (0, "")
    assert f"anet:best is anet:{best}\n" in result.output


def test_training_begins_with_the_best_net(call: Call, best: str) -> None:
    result = call("train", "--run", "run", "--from", "best", SIZE, *SHORT)
    assert (result.status, result.errors) == (0, "")
    assert f"It starts with the weights of {best}, and has" in result.output
    assert read_params(Path("run/params.yaml")).rl.start == best
