"""A net as an ONNX graph: ONNX Runtime computes the net's evaluations from the file."""

from typing import Any

import numpy as np
import onnxruntime
import pytest

from anet import ANET, NetError
from anet.onnx import onnx_of
from state_manager import StateManager, make_game
from tests.anet.conftest import BOARDS, states_of
from tests.anet.test_networks import NETWORKS, small_net


def session_of(net: ANET) -> onnxruntime.InferenceSession:
    return onnxruntime.InferenceSession(onnx_of(net, "mine"), providers=["CPUExecutionProvider"])


def assert_same(net: ANET) -> None:
    game, session = net.game, session_of(net)
    states = np.array(states_of(game))
    given: dict[str, Any] = {"state": np.array([game.to_flat(state) for state in states], np.int8)}
    if not game.only_adds:
        given["legal"] = game.legal_mask(states)
    policies, *values = session.run(None, given)
    expected, expected_values = net.evaluate(states)
    assert policies == pytest.approx(expected, abs=1e-5)
    assert np.array_equal(policies > 0, game.legal_mask(states))
    assert len(values) == (expected_values is not None)
    for each in values:
        assert each == pytest.approx(expected_values, abs=1e-5)
    # One board alone is a batch, too.
    alone, *_ = session.run(None, {name: batch[3:4] for name, batch in given.items()})
    assert alone[0] == pytest.approx(policies[3], abs=1e-5)
    # So is none.
    none = session.run(None, {name: batch[:0] for name, batch in given.items()})
    assert [len(each) for each in none] == [0] * (1 + len(values))


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize(
    "how",
    [
        {"view": "mover", "symmetric": True, "padded_size": 5},
        {"batch_normalization": False, "critic": False, "activation": "tanh"},
        {"symmetric": True, "activation": "sigmoid"},
    ],
    ids=["mover", "plain", "symmetric"],
)
def test_onnxruntime_returns_the_evaluations_of_the_net(network: str, how: dict[str, Any]) -> None:
    assert_same(small_net(make_game("hex", size=4), network=network, steps=2, **how))


@pytest.mark.parametrize("name", [name for name in BOARDS if name != "hex"])
def test_nets_of_other_games_are_exported(name: str) -> None:
    game = make_game(name, **BOARDS[name])
    assert_same(small_net(game, view="mover", symmetric=True, steps=2))
    assert_same(small_net(game, network="residual", steps=2))


def test_the_file_describes_the_encoding_of_a_position() -> None:
    about = session_of(small_net(make_game("connect_four"))).get_modelmeta()
    words = about.custom_metadata_map
    assert words.keys() == {"net", "game", "state", "legal", "policy", "value"}
    assert words["game"] == "connect_four(rows=6, columns=7)"
    assert "int8 [boards, 43]: the player to move, 1 (red) or 2 (black)" in words["state"]
    assert "0 is column 0; 1 is column 1" in words["policy"]
    assert all(text in about.description for text in words.values())


@pytest.mark.parametrize("game", [make_game("nim", stones=9), make_game("ledge")])
def test_a_game_without_a_board_of_pieces_is_refused(game: StateManager) -> None:
    with pytest.raises(NetError, match="has no board of pieces"):
        onnx_of(small_net(game), "mine")
