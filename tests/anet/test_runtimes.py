"""Other runtimes return the evaluations of torch."""

from __future__ import annotations

import gc
import signal
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec

import numpy as np
import pytest

from anet import ANET, NetError
from base.params import ANETParams
from state_manager import make_game
from tests.anet.conftest import lively_net, states_of

needs_openvino = pytest.mark.skipif(not find_spec("openvino"), reason="the package is installed")


@needs_openvino
@pytest.mark.parametrize("network", ["mlp", "residual_mlp", "convolutional", "residual", "pooled"])
@pytest.mark.parametrize("critic", [True, False])
def test_openvino_returns_the_evaluations_of_torch(network: str, critic: bool) -> None:
    game = make_game("hex", size=4)
    expected_net, net = (
        lively_net(
            game,
            factor=1.5,
            network=network,
            critic=critic,
            view="mover",
            hidden_layers=(16, 16),
            batch_normalization=False,
            runtime=runtime,
        )
        for runtime in ("torch", "openvino")
    )
    states = np.array(states_of(game))
    for part in (states, states[:1], states[:7], states):
        policies, values = net.evaluate(part)
        expected, expected_values = expected_net.evaluate(part)
        assert policies == pytest.approx(expected, abs=1e-5)
        assert (values is None) == (not critic)
        assert values is None or values == pytest.approx(expected_values, abs=1e-5)


@needs_openvino
def test_openvino_evaluates_for_several_threads_and_reads_learned_weights() -> None:
    from tests.anet.test_training import fixed_cases

    game = make_game("hex", size=3)
    net = ANET(game, ANETParams(network="residual", runtime="openvino", learning_rate=0.1), seed=1)
    states = np.array(states_of(game))
    with ThreadPoolExecutor(4) as pool:
        first, *others = pool.map(net.policy, [states] * 40)
    assert all(np.array_equal(first, other) for other in others)
    net.train(fixed_cases(game))
    assert np.abs(net.policy(states) - first).max() > 1e-3


@needs_openvino
def test_ctrl_c_works_after_an_evaluation_in_openvino() -> None:
    game = make_game("hex", size=3)
    nets = [lively_net(game, network="residual_mlp", runtime="openvino") for _ in range(2)]
    for net in nets:
        net.policy(game.initial_state())
    del net
    while nets:  # with the older of two, OpenVINO once took the stack of signal handlers
        nets.pop(0)
        gc.collect()
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    signal.raise_signal(signal.SIGINT)
    signal.signal(signal.SIGINT, before)
    assert heard == [signal.SIGINT]


@needs_openvino
def test_a_file_holds_no_runtime(tmp_path: object) -> None:
    game = make_game("hex", size=3)
    meta, _ = ANET(game, ANETParams(runtime="openvino")).state()
    assert "runtime" not in meta["anet"]


def test_a_runtime_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anet.game_network.find_spec", lambda name: None)
    with pytest.raises(NetError) as caught:
        ANET(make_game("hex", size=3), ANETParams(runtime="openvino"))
    assert str(caught.value) == (
        "anet.runtime: expected torch, got openvino: pip install openvino first"
    )
