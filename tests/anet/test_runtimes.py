"""Evaluations in other runtimes and precisions, the choice among them, and freed memory."""

import ctypes
import gc
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from torch import nn

from anet import ANET, Minibatch, NetError, TrainingMetrics
from anet.runtimes.choice import (
    LARGEST_ERROR,
    Measurement,
    fastest,
    fitting_choice,
    with_faster_learning,
    with_fastest_runtime,
)
from anet.runtimes.int8 import Quantized
from anet.runtimes.openvino_runtime import in_openvino, threads_for
from base.params import ANETParams
from state_manager import StateManager, make_game
from tests.anet.conftest import lively_net, states_of
from tests.project import Patch

HEX = make_game("hex", size=4)
FLOATS, INT8 = ("openvino", "float32"), ("openvino", "int8")


def differences(game: StateManager, precision: str, threads: int = 1, **words: Any) -> list[float]:
    """Return the largest differences of policies, and of values, from torch."""
    usual: dict[str, Any] = {"critic": True, "view": "mover", "batch_normalization": False}
    net = lively_net(game, 1.5, **{**usual, **words})
    plain, other = net.evaluator(), net.evaluator("openvino", precision, threads)
    states = np.array(states_of(game))
    largest = [0.0, 0.0]
    for part in (states, states[:1], states[:7], states):
        both = (each.evaluate_batch(part, game.legal_mask(part)) for each in (plain, other))
        for place, (expected, found) in enumerate(zip(*both, strict=True)):
            assert (found is None) == (expected is None) == (place == 1 and not net.params.critic)
            if found is not None and expected is not None:
                largest[place] = max(largest[place], float(np.abs(found - expected).max()))
    return largest


@pytest.mark.parametrize("network", ["mlp", "residual_mlp", "convolutional", "residual", "pooled"])
@pytest.mark.parametrize(("critic", "threads"), [(True, 1), (False, 2)])
def test_openvino_computes_what_torch_computes(network: str, critic: bool, threads: int) -> None:
    words = {"network": network, "critic": critic, "hidden_layers": (16, 16)}
    assert max(differences(HEX, "float32", threads, **words)) < 1e-5


def test_threads_share_a_batch_where_that_is_clearly_faster() -> None:
    for seconds, chosen in ((0.7, 2), (0.9, 1)):
        assert threads_for(2, {1: 1.0, 2: seconds}.__getitem__) == chosen


@pytest.mark.parametrize("precision", ["bfloat16", "int8"])
@pytest.mark.parametrize("network", ["residual_mlp", "pooled"])
def test_fewer_bits_are_close_but_not_equal(network: str, precision: str) -> None:
    errors = differences(HEX, precision, network=network, hidden_layers=(64, 64))
    policy_error, value_error = errors
    assert 0.0 < policy_error < 0.03
    assert value_error < 0.1
    if precision == "int8":
        assert policy_error > 1e-4


@pytest.mark.parametrize("lowest", [0.0, -1.0])
@pytest.mark.parametrize("layer", [nn.Linear(40, 30), nn.Conv2d(5, 30, 3)])
def test_a_quantised_layer_is_off_by_half_a_step_unbiased(layer: nn.Module, lowest: float) -> None:
    torch.manual_seed(0)
    shape = (500, 40) if isinstance(layer, nn.Linear) else (500, 5, 6, 6)
    inputs = torch.rand(shape) * (2.0 - lowest) + lowest
    assert isinstance(layer, (nn.Linear, nn.Conv2d))
    with torch.inference_mode():
        expected = layer(inputs).clone()
        errors = Quantized(layer, inputs)(inputs) - expected
    largest = 45 * float(layer.weight.detach().abs().max()) * 2.0 / 127  # of 45 or 40 products
    assert 0.0 < float(errors.abs().max()) < largest
    means = errors.transpose(0, 1).flatten(1).mean(1)
    assert float(means.abs().max()) < 0.2 * float(errors.std())


def test_openvino_serves_many_threads_and_follows_the_weights(monkeypatch: Patch) -> None:
    from tests.anet.test_training import fixed_cases

    prepare = Mock(wraps=in_openvino)
    monkeypatch.setattr("anet.runtimes.openvino_runtime.in_openvino", prepare)
    game = make_game("hex", size=3)
    net = ANET(game, ANETParams(network="residual", runtime="openvino", learning_rate=0.1), seed=1)
    states = np.array(states_of(game))
    legal, evaluator = game.legal_mask(states), net.evaluator()
    with ThreadPoolExecutor(4) as pool:
        first, *others = pool.map(lambda _: evaluator.evaluate_batch(states, legal)[0], range(40))
    assert all(np.array_equal(first, other) for other in others)
    assert prepare.call_count == 1
    net.train(fixed_cases(game))
    assert np.abs(evaluator.evaluate_batch(states, legal)[0] - first).max() > 1e-3


def test_all_but_searches_evaluate_in_torch() -> None:
    words: Any = {"network": "pooled", "batch_normalization": False}
    plain, rounded = (lively_net(HEX, **words, runtime=r, precision=p) for r, p in (FLOATS, INT8))
    states = np.array(states_of(HEX))
    assert np.array_equal(rounded.policy(states), plain.policy(states))
    assert not np.array_equal(rounded.evaluator().policy(states), plain.policy(states))


def test_ctrl_c_works_after_an_evaluation_in_openvino() -> None:
    game = make_game("hex", size=3)
    nets = [lively_net(game, network="residual_mlp", runtime="openvino") for _ in range(2)]
    states = game.initial_state()[np.newaxis]
    for net in nets:
        net.evaluator().evaluate_batch(states, game.legal_mask(states))
    del net
    while nets:  # freeing the older of two once freed the stack of signal handlers
        nets.pop(0)
        gc.collect()
    received: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: received.append(number))
    signal.raise_signal(signal.SIGINT)
    signal.signal(signal.SIGINT, before)
    assert received == [signal.SIGINT]


def test_a_file_holds_neither_device_nor_runtime_nor_precision(tmp_path: Path) -> None:
    words = {"runtime": "openvino", "precision": "int8", "learning_precision": "bfloat16"}
    words["device"] = "cpu"
    net = ANET(HEX, ANETParams.model_validate(words))
    net.save(tmp_path / "net.pt")
    assert not words.keys() & net.state()[0]["anet"].keys()
    loaded = ANET.load(tmp_path / "net.pt").params
    assert {key: getattr(loaded, key) for key in words} == dict.fromkeys(words, "auto")
    assert ANET.load(tmp_path / "net.pt", device="cpu").params.device == "cpu"


def test_a_runtime_or_precision_that_is_missing_is_named(monkeypatch: Patch) -> None:
    monkeypatch.setattr("anet.runtimes.torch_runtime.find_spec", lambda name: None)
    missing = "^anet.runtime: expected torch, got openvino: pip install openvino first$"
    with pytest.raises(NetError, match=missing):
        ANET(HEX, ANETParams(runtime="openvino"))
    with pytest.raises(NetError, match=missing):
        ANET(HEX).evaluator("openvino")
    wrong = "^anet.precision: expected float32 where anet.runtime is torch, got int8$"
    with pytest.raises(NetError, match=wrong):
        ANET(HEX, ANETParams(runtime="torch", precision="int8", device="cpu"))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
def test_searches_on_a_gpu_round_to_bfloat16_and_nothing_else_does() -> None:
    words: dict[str, Any] = {"network": "pooled", "critic": True, "device": "cuda"}
    plain, rounded = (lively_net(HEX, 1.5, **words, precision=p) for p in ("float32", "bfloat16"))
    states = np.array(states_of(HEX))
    legal = HEX.legal_mask(states)
    assert np.array_equal(rounded.policy(states), plain.policy(states))
    both = [net.evaluator().evaluate_batch(states, legal)[0] for net in (plain, rounded)]
    assert 0.0 < np.abs(both[1] - both[0]).max() < 0.03
    params = with_fastest_runtime(HEX, plain.params.model_copy(update={"precision": "auto"}), 64)
    assert [each[:2] for each in params[1]] == [("torch", "float32"), ("torch", "bfloat16")]


def test_the_fastest_runtime_is_chosen_of_those_that_agree() -> None:
    four = [(10.0, 0.0), (8.0, 0.0), (4.0, 0.001), (3.0, 0.01)]
    wrong = (3.0, 1.1 * LARGEST_ERROR)
    noise = [(10.0, 0.0), (9.5, 0.0)]
    for given, chosen in ((four[:1], 0), (noise, 0), (four, 3), ([*four[:3], wrong], 2)):
        measured = [Measurement("r", f"{i}", *each, 0.0) for i, each in enumerate(given)]
        assert fastest(measured).precision == f"{chosen}"


def test_auto_becomes_a_runtime_that_a_run_of_a_minute_measures(monkeypatch: Patch) -> None:
    monkeypatch.setattr("anet.runtimes.choice._SECONDS", 0.0)
    words = ANETParams(network="pooled", critic=True)
    assert fitting_choice(HEX, words, games=16, cases=8, minutes=0.99)[1:] == ([], None)
    params, measured, speed = fitting_choice(HEX, words, games=16, cases=8, minutes=1.0)
    assert speed
    assert [each[:2] for each in measured] == [
        ("torch", "float32"),
        *(("openvino", precision) for precision in ("float32", "bfloat16", "int8")),
    ]
    assert (params.runtime, params.precision) == fastest(measured)[:2]
    errors = [(each.policy_error, each.value_error) for each in measured]
    assert errors[0] == (0.0, 0.0)
    # On a processor without bfloat16, OpenVINO computes in float32 instead.
    assert max(errors[1]) < 1e-6 < min(errors[3])


def test_what_is_given_or_alone_is_not_measured(monkeypatch: Patch) -> None:
    words: dict[str, str]
    for words, expected in (
        ({"runtime": "torch"}, ("torch", "auto")),
        ({"precision": "int8"}, INT8),
        ({"runtime": "openvino", "precision": "float32"}, FLOATS),
        ({"network": "mlp", "learning_precision": "auto"}, ("auto", "auto")),
    ):
        given = {"network": "residual_mlp", "learning_precision": "float32", **words}
        chosen = fitting_choice(HEX, ANETParams.model_validate(given), 16, 8, minutes=1.0)
        assert (chosen.params.runtime, chosen.params.precision) == expected
        assert chosen[1:] == ([], None)
    monkeypatch.setattr("anet.runtimes.choice.find_spec", lambda name: None)  # only torch is left
    params = ANETParams(network="pooled", learning_precision="float32")
    assert fitting_choice(HEX, params, 16, 8, minutes=1.0) == (params, [], None)


@pytest.mark.parametrize("network", ["residual_mlp", "pooled"])
@pytest.mark.parametrize(("slower", "chosen"), [(0, "bfloat16"), (1, "float32")])
def test_learning_is_measured(monkeypatch: Patch, slower: int, chosen: str, network: str) -> None:
    train, now, calls = ANET.train, 0.0, 0

    def timed(self: ANET, minibatch: Minibatch) -> TrainingMetrics:
        nonlocal now, calls
        now, calls = now + (3.0 if calls % 2 == slower else 2.0), calls + 1
        return train(self, minibatch)

    monkeypatch.setattr(ANET, "train", timed)
    monkeypatch.setattr("anet.runtimes.choice.time.process_time", lambda: now)
    params, speed = with_faster_learning(HEX, ANETParams(network=network, critic=True), 8)
    assert (params.learning_precision, speed) == (chosen, (1.5, 2 / 3)[slower])


IDLE = """
import ctypes
import psutil
from anet.free_memory import give_back_freed_memory
allocate, free = ctypes.CDLL(None).malloc, ctypes.CDLL(None).free
allocate.restype, free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
held = []
for _ in range(800):  # 80 MB in blocks that lie between others
    held.append(allocate(100_000))
    ctypes.memset(ctypes.c_void_p(held[-1]), 1, 100_000)
    allocate(1000)
for block in held:
    free(block)
before = psutil.Process().memory_info().rss
give_back_freed_memory()
print((before - psutil.Process().memory_info().rss) / 1e6)
"""


@pytest.mark.skipif(
    sys.platform == "win32" or not hasattr(ctypes.CDLL(None), "malloc_trim"),
    reason="this C library gives nothing back",
)
def test_idle_memory_between_used_blocks_is_released() -> None:
    run = subprocess.run([sys.executable, "-c", IDLE], capture_output=True, text=True, check=True)
    assert float(run.stdout) > 40
