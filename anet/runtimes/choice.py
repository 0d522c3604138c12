"""The choice of a runtime and precisions: for a long run by measuring on this processor."""

import math
import time
from collections.abc import Sequence
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
import torch

from anet.anet import ANET
from anet.runtimes.torch_runtime import choose_device, random_positions
from anet.training import Minibatch
from base.params import ANETParams
from state_manager import State, StateManager

LARGEST_ERROR = 0.02
"""Mean difference from torch in float32, of a policy (total variation) and of a value, in [-1, 1],
up to which a runtime may be chosen."""
_GAIN = 1.15  # a more complex runtime must be faster by this factor, so that noise does not decide
_CANDIDATES = (
    ("torch", "float32"),
    ("openvino", "float32"),
    ("openvino", "bfloat16"),
    ("openvino", "int8"),
)
_ON_GPU = _CANDIDATES[0], ("torch", "bfloat16")
_SECONDS = 0.2
EVALUATIONS_A_MINUTE = 3_000_000
"""Those of self-play with a small net; a shorter run would save less time than measuring takes."""
_LEAST_SECONDS = 0.1
"""Time for a move from which preparing another runtime, a second or two, is worth it."""
_LEARNING = ("float32", "bfloat16")
_STEPS = 4  # learning is measured by the fastest of some steps


class Measurement(NamedTuple):
    """A runtime, its precision, the time of an evaluation, and its distance from torch."""

    runtime: str
    precision: str
    microseconds: float
    policy_error: float
    value_error: float


class FittingNet(NamedTuple):
    """The parameters of a net, and the measurements that led to them, if any."""

    params: ANETParams
    runtimes: Sequence[Measurement] = ()
    learning_speed: float | None = None  # of bfloat16, relative to float32


def fitting_choice(
    game: StateManager,
    params: ANETParams,
    games: int = 1,
    cases: int = 0,
    minutes: float = 0.0,
    seconds: float | None = None,
    exact: bool = False,
) -> FittingNet:
    """Decide how a net is evaluated, before it is: replace ``auto`` in its runtime and precisions.

    A run of ``minutes``, if it lasts one or more, measures all that is open: evaluations of up to
    ``games`` that advance together, and steps with a minibatch of ``cases``. A shorter run measures
    runtimes only, and only if the runtime or the precision is named. An agent, with ``seconds`` for
    a move, has no time to measure: it evaluates a net of convolutions on the CPU in OpenVINO, where
    that is installed, and there in int8 if the processor has AVX2, unless ``exact``. A missing
    runtime, or one that does not compute in the precision, is a ``NetError``.
    """
    if seconds is not None:
        on_cpu, is_worth = choose_device(params).type == "cpu", seconds >= _LEAST_SECONDS
        if params.runtime == "auto" and params.sees_planes and on_cpu and is_worth:
            found = "torch" if find_spec("openvino") is None else "openvino"
            params = params.model_copy(update={"runtime": found})
        if (params.runtime, params.precision) == ("openvino", "auto"):
            precision = "int8" if torch.cpu._is_avx2_supported() and not exact else "float32"
            params = params.model_copy(update={"precision": precision})
        return FittingNet(params)
    speed, measured = None, list[Measurement]()
    if minutes >= 1:
        params, speed = with_faster_learning(game, params, cases)
    if minutes >= 1 or {params.runtime, params.precision} != {"auto"}:
        params, measured = with_fastest_runtime(game, params, games)
    return FittingNet(params, measured, speed)


def with_fastest_runtime(
    game: StateManager, params: ANETParams, games: int
) -> tuple[ANETParams, list[Measurement]]:
    """Replace ``auto`` by the runtime that is fastest on this processor; return the measurements.

    They are taken with random weights, as times do not depend on them.
    """
    # int8 is OpenVINO's, which computes on the CPU.
    is_on_gpu = choose_device(params).type != "cpu" and params.precision != "int8"
    candidates = [
        (runtime, precision)
        for runtime, precision in (_ON_GPU if is_on_gpu else _CANDIDATES)
        if params.runtime in ("auto", runtime) and params.precision in ("auto", precision)
    ]
    if params.network == "mlp" or not (is_on_gpu or find_spec("openvino")):
        candidates = candidates[:1]
    if candidates == [_CANDIDATES[0]]:
        return params, []  # which is what ``auto`` means elsewhere
    measured: list[Measurement] = []
    if len(candidates) > 1:
        net = ANET(game, params)
        # Replace weights that begin as zeros: with them a layer is faster than in training.
        generator = torch.Generator().manual_seed(0)
        for weights in net.network.parameters():
            if weights.ndim > 1 and not weights.any():
                torch.nn.init.normal_(weights, std=0.05, generator=generator)
        states = random_positions(game, min(games, net.evaluator().batch_size))
        measured = [_measured(net, each, states) for each in candidates]
    runtime, precision = fastest(measured)[:2] if measured else candidates[0]
    return params.model_copy(update={"runtime": runtime, "precision": precision}), measured


def _measured(net: ANET, candidate: tuple[str, str], states: State) -> Measurement:
    legal, evaluator = net.game.legal_mask(states), net.evaluator(*candidate)
    truth, true_values = net.exact.evaluate_batch(states, legal)
    policies, values = evaluator.evaluate_batch(states, legal)
    best, until = math.inf, time.perf_counter() + _SECONDS
    while time.perf_counter() < until:
        began = time.process_time()
        evaluator.evaluate_batch(states, legal)
        best = min(best, time.process_time() - began)
    policy_error, value_error = float(np.abs(policies - truth).sum(1).mean() / 2), 0.0
    if values is not None and true_values is not None:
        value_error = float(np.abs(values - true_values).mean())
    return Measurement(*candidate, best / len(states) * 1e6, policy_error, value_error)


def with_faster_learning(
    game: StateManager, params: ANETParams, cases: int
) -> tuple[ANETParams, float | None]:
    """Replace ``auto`` by the faster precision, and return bfloat16's speed if measured."""
    is_open = params.learning_precision == "auto" and params.network != "mlp"
    if not is_open or choose_device(params).type != "cpu":
        return params, None
    choices = [params.model_copy(update={"learning_precision": p}) for p in _LEARNING]
    nets = [ANET(game, each) for each in choices]
    states = random_positions(game, cases)
    legal, values = game.legal_mask(states), np.zeros(len(states), np.float32)
    targets = (legal / legal.sum(1, keepdims=True)).astype(np.float32)
    features, movers = game.observations(states), states[:, 0].copy()
    minibatch = Minibatch(features, movers, legal, targets, values, values + 1.0)
    best = [math.inf for _ in nets]
    for place, net in list(enumerate(nets)) * _STEPS:
        began = time.process_time()
        net.train(minibatch)
        best[place] = min(best[place], time.process_time() - began)
    return choices[best[1] * _GAIN < best[0]], best[0] / best[1]


def fastest(measured: Sequence[Measurement]) -> Measurement:
    """Return the fastest of those that agree with torch; in doubt an earlier one."""
    chosen = measured[0]
    for each in measured[1:]:
        agrees = max(each.policy_error, each.value_error) <= LARGEST_ERROR
        if agrees and each.microseconds * _GAIN < chosen.microseconds:
            chosen = each
    return chosen
