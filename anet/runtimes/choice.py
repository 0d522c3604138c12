"""The choice of a runtime and precisions, by measuring on this processor."""

import math
import time
from collections.abc import Sequence
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
import torch

from anet.anet import ANET
from anet.runtimes.forward import choose_device, random_positions
from anet.training import Minibatch
from base.params import ANETParams, Params
from state_manager import StateManager

LARGEST_ERROR = 0.02
"""Mean difference from torch in float32, of a policy (total variation) and of a value, in [-1, 1],
up to which a runtime may be chosen."""
_GAIN = 1.15
"""A more complex runtime must be faster by this factor, so that noise does not decide."""
_CANDIDATES = (
    ("torch", "float32"),
    ("openvino", "float32"),
    ("openvino", "bfloat16"),
    ("openvino", "int8"),
)
_ON_GPU = _CANDIDATES[0], ("torch", "bfloat16")
_SECONDS = 0.2
_LEARNING = ("float32", "bfloat16")
_STEPS = 4
"""Learning is measured by the fastest of some steps."""


def is_worth_measuring(evaluations: int, minutes: float | None) -> bool:
    """Return whether the choice saves a run more time than it takes; ``minutes`` is its limit."""
    return evaluations >= 3_000_000 if minutes is None else minutes >= 1


class Measurement(NamedTuple):
    """A runtime, its precision, the time of an evaluation, and its distance from torch."""

    runtime: str
    precision: str
    microseconds: float
    policy_error: float
    value_error: float


class Choice(NamedTuple):
    """The parameters of a net for a run, and the measurements that led to them, if any."""

    params: ANETParams
    runtimes: list[Measurement]
    learning_speed: float | None  # of bfloat16, relative to float32


def fitting_choice(game: StateManager, params: Params, batch: int) -> Choice:
    """Replace ``auto`` in the runtime and the precisions of a run's net by the fastest ones.

    ``batch`` is the number of states that searches evaluate at once. A short run measures only
    runtimes, and only if its parameters name the runtime or the precision.
    """
    evaluations = params.rl.episodes * params.mcts.simulations * game.max_plies // 2
    is_long, chosen = is_worth_measuring(evaluations, params.rl.minutes), params.anet
    speed, measured = None, list[Measurement]()
    if is_long:
        chosen, speed = with_faster_learning(game, chosen, params.rl.minibatch_size)
    if is_long or {chosen.runtime, chosen.precision} != {"auto"}:
        chosen, measured = with_fastest_runtime(game, chosen, batch)
    return Choice(chosen, measured, speed)


def with_fastest_runtime(
    game: StateManager, params: ANETParams, batch: int
) -> tuple[ANETParams, list[Measurement]]:
    """Replace ``auto`` in ``anet.runtime`` and ``anet.precision`` by the fastest on this processor.

    ``batch`` is the number of states that searches evaluate at once. The weights are random, as
    times do not depend on them. The measurements are returned, too; none if there is no choice.
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
    if len(candidates) == 1:
        ((runtime, precision),) = candidates
        return params.model_copy(update={"runtime": runtime, "precision": precision}), []
    states = random_positions(game, batch)
    legal = game.legal_mask(states)
    measured: list[Measurement] = []
    for runtime, precision in candidates:
        words = {"runtime": runtime, "precision": precision}
        net = ANET(game, params.model_copy(update=words))
        _enliven(net)
        truth, true_values = net.evaluate_batch(states, legal, exact=True)
        policies, values = net.evaluate_batch(states, legal)
        best, until = math.inf, time.perf_counter() + _SECONDS
        while time.perf_counter() < until:
            began = time.process_time()
            net.evaluate_batch(states, legal)
            best = min(best, time.process_time() - began)
        policy_error = float(np.abs(policies - truth).sum(1).mean() / 2)
        value_error = 0.0
        if values is not None and true_values is not None:
            value_error = float(np.abs(values - true_values).mean())
        each = Measurement(runtime, precision, best / batch * 1e6, policy_error, value_error)
        measured.append(each)
    chosen = fastest(measured)
    words = {"runtime": chosen.runtime, "precision": chosen.precision}
    return params.model_copy(update=words), measured


def with_faster_learning(
    game: StateManager, params: ANETParams, cases: int
) -> tuple[ANETParams, float | None]:
    """Replace ``auto`` in ``anet.learning_precision`` by the faster one on this processor.

    Measured with a minibatch of ``cases``. An ``mlp``, and nets on a GPU, keep it.

    Returns:
        The parameters; and the speed of bfloat16 relative to float32, ``None`` if not measured.
    """
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


def _enliven(net: ANET) -> None:
    """Replace weights that begin as zeros, with which a layer would be faster than in training."""
    generator = torch.Generator().manual_seed(0)
    for weights in net.network.parameters():
        if weights.ndim > 1 and not weights.any():
            torch.nn.init.normal_(weights, std=0.05, generator=generator)
