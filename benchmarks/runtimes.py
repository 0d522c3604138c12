"""What an evaluation costs in torch as it is used here, and in OpenVINO with each precision.

All evaluate the same positions in turns, on one core; a time is the least of several, of processor
time, for one position of a batch, and in brackets is the speed relative to torch in float32. A
policy is off by the total variation, a value by the difference: the mean and the largest.
``prepared`` is the time to prepare a runtime for a net; training has a new one after each update.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from anet import ANET
from anet.runtimes.forward import random_positions
from anet.runtimes.openvino_runtime import in_openvino
from anet.runtimes.torch_runtime import Floats, in_torch
from benchmarks.timing import ROOT, seconds, show
from state_manager import make_game

NETS = {
    "residual_mlp 256x4, 5x5": ("hex-5-perfect/anet_51200.pt", 5),
    "pooled 3 x 32, 7x7": ("hex-7/anet_49152.pt", 7),
    "pooled 4 x 64, 9x9": ("hex/anet_33682.pt", 9),
    "pooled 4 x 64, 11x11": ("hex/anet_33682.pt", 11),
}
RUNTIMES = ("torch", "float32", "bfloat16", "int8")
BATCHES = (64, 128)
_COMPARED = 1024
"""Positions for the differences from torch."""

Forward = Callable[[Tensor], Any]


def prepared(runtime: str, network: nn.Module, examples: Tensor) -> Forward:
    """Return a network in a runtime: torch, or OpenVINO with a precision."""
    if runtime == "torch":
        evaluate = in_torch(network, examples.shape[1], examples.device)
    else:
        evaluate = in_openvino(network, runtime, examples)
    return lambda given: map(torch.from_numpy, evaluate(given.numpy()))


def policies_and_values(
    evaluate: Forward, inputs: Tensor, legal: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Return the policies over legal actions, and the values."""
    found = [evaluate(part) for part in torch.split(inputs, max(BATCHES))]
    logits, values = (
        np.concatenate([each.numpy() for each in part]) for part in zip(*found, strict=True)
    )
    shares = np.exp(logits - logits.max(1, keepdims=True)) * legal
    return shares / shares.sum(1, keepdims=True), values


def measure(net: str, most_seconds: float) -> list[list[str]]:
    """Return the rows of a net, one for each runtime; the first is torch."""
    file, size = NETS[net]
    anet = ANET.load(ROOT / "nets" / file, make_game("hex", size=size), device="cpu")
    game, view = anet.game, anet.view
    states = random_positions(game, _COMPARED)
    states = states[states[:, 0] == 1]  # their actions and outputs have the same order
    legal = game.legal_mask(states)
    seen = torch.from_numpy(view.inputs(game.observations(states), states[:, 0]))
    examples = seen[: max(BATCHES)].clone()
    runs: dict[str, Forward] = {}
    cells: dict[str, list[str]] = {}
    truth: tuple[Floats, Floats] | None = None
    for name in RUNTIMES:
        began = time.process_time()
        evaluate = torch.inference_mode()(prepared(name, anet.network, examples))
        evaluate(examples)
        preparing = time.process_time() - began
        runs[name] = evaluate
        found = policies_and_values(evaluate, seen, legal)
        truth = truth or found
        policy, value = np.abs(found[0] - truth[0]).sum(1) / 2, np.abs(found[1] - truth[1])
        errors = [f"{each.mean():.4f}, {each.max():.3f}" for each in (policy, value)]
        cells[name] = [*errors, f"{preparing:.1f} s"]
    for batch in reversed(BATCHES):
        inputs = seen[:batch].clone()
        least = dict.fromkeys(RUNTIMES, float("inf"))
        until = time.process_time() + most_seconds * len(RUNTIMES)
        while time.process_time() < until:
            for name, run in runs.items():
                least[name] = min(least[name], seconds(partial(run, inputs)))
        for name in RUNTIMES:
            ratio = least["torch"] / least[name]
            cells[name].insert(0, f"{least[name] / batch * 1e6:.1f} ({ratio:.2f})")
    return [[net, name, *cells[name]] for name in RUNTIMES]


def main() -> None:
    """Print a row for each net and runtime."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="for each figure (1)")
    given = parser.parse_args()
    rows = [row for net in NETS for row in measure(net, given.seconds)]
    sizes = (f"of {batch}" for batch in BATCHES)
    show(
        ("net", "runtime", *sizes, "policy off by", "value off by", "prepared"),
        rows,
        "us for an evaluation",
    )


if __name__ == "__main__":
    main()
