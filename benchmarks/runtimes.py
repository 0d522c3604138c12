"""What an evaluation costs in torch as it is used here, and in other runtimes that are installed.

All evaluate the same positions in turns, on one core; a time is the least of several, of processor
time, for one position of a batch, and in brackets is the speed relative to torch in float32. A
policy is off by the total variation, a value by the difference: the mean and the largest.
``prepared`` is the time to prepare a runtime for a net, and training has a new one after each
update; all but OpenVINO and torch as it is take that for each size of a batch.
``pip install onnx onnxruntime onnxscript openvino``, and a C++ compiler, for all of them.
"""

import argparse
import copy
import logging
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from anet import ANET, openvino_runtime
from anet.evaluating import Floats, for_evaluation
from anet.game_network import random_positions
from benchmarks.timing import ROOT, seconds, show
from state_manager import make_game

NETS = {
    "residual_mlp 256x4, 5x5": ("hex-5-perfect/anet_51200.pt", 5),
    "pooled 3 x 32, 7x7": ("hex-7/anet_49152.pt", 7),
    "pooled 3 x 32, 9x9": ("hex/anet_31019.pt", 9),
    "pooled 3 x 32, 11x11": ("hex/anet_31019.pt", 11),
}
BATCHES = (64, 128)
_COMPARED = 1024
"""Positions for the differences from torch."""

Forward = Callable[[Tensor], Any]


def in_bfloat16(network: nn.Module, examples: Tensor) -> Forward:
    """Return torch with numbers of half the size."""
    smaller = copy.deepcopy(network).to(torch.bfloat16)
    return lambda given: smaller(given.to(torch.bfloat16))


def in_torch_compile(network: nn.Module, examples: Tensor) -> Forward:
    """Return the network compiled by torch, in C++."""
    torch._dynamo.reset()
    compiled: Any = torch.compile(copy.deepcopy(network), dynamic=False)
    return lambda given: compiled(given)


def in_onnx(network: nn.Module, examples: Tensor) -> Forward:
    """Return the network in ONNX Runtime."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "net.onnx"
        torch.onnx.export(network, (examples,), path, verbose=False)
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    (name,) = (each.name for each in session.get_inputs())
    return lambda given: map(torch.from_numpy, session.run(None, {name: given.numpy()}))


def in_openvino(network: nn.Module, examples: Tensor, precision: str) -> Forward:
    """Return the network in OpenVINO."""
    evaluate = openvino_runtime.in_openvino(network, precision, examples)
    return lambda given: map(torch.from_numpy, evaluate(given.numpy()))


RUNTIMES: dict[str, tuple[Callable[..., Forward], str]] = {
    "torch": (lambda network, examples: for_evaluation(network), "torch"),
    "torch, bfloat16": (in_bfloat16, "torch"),
    "torch.compile": (in_torch_compile, "torch"),
    "ONNX Runtime": (in_onnx, "onnxscript"),
    "OpenVINO": (partial(in_openvino, precision="float32"), "openvino"),
    "OpenVINO, bfloat16": (partial(in_openvino, precision="bfloat16"), "openvino"),
    "OpenVINO, int8": (partial(in_openvino, precision="int8"), "openvino"),
}
"""Each with the package that it needs, the rarest of several."""


def policies_and_values(
    evaluate: Forward, inputs: Tensor, legal: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Return the policies over legal actions, and the values."""
    found = [evaluate(part) for part in torch.split(inputs, max(BATCHES))]
    logits, values = (
        np.concatenate([np.array(each.float()) for each in part])
        for part in zip(*found, strict=True)
    )
    shares = np.exp(logits - logits.max(1, keepdims=True)) * legal
    return shares / shares.sum(1, keepdims=True), values


def measure(net: str, names: list[str], most_seconds: float) -> list[list[str]]:
    """Return the rows of a net, one for each runtime; the first is torch."""
    file, size = NETS[net]
    anet = ANET.load(ROOT / "nets" / file, make_game("hex", size=size), device="cpu")
    network, game = anet._net, anet.game
    assert np.array_equal(network.reading(None).outputs[0], np.arange(game.num_actions))
    states = random_positions(game, _COMPARED)
    states = states[states[:, 0] == 1]  # their actions and outputs have the same order
    legal = game.legal_mask(states)
    seen = torch.from_numpy(network.inputs_of(states))
    examples = seen[: max(BATCHES)].clone()
    runs: dict[str, Forward] = {}
    cells: dict[str, list[str]] = {}
    truth: tuple[Floats, Floats] | None = None
    for name in names:
        began = time.process_time()
        evaluate = torch.inference_mode()(RUNTIMES[name][0](network.network, examples=examples))
        evaluate(examples)
        prepared = time.process_time() - began
        runs[name] = evaluate
        found = policies_and_values(evaluate, seen, legal)
        truth = truth or found
        policy, value = np.abs(found[0] - truth[0]).sum(1) / 2, np.abs(found[1] - truth[1])
        errors = [f"{each.mean():.4f}, {each.max():.3f}" for each in (policy, value)]
        cells[name] = [*errors, f"{prepared:.1f} s"]
    for batch in reversed(BATCHES):
        inputs = seen[:batch].clone()
        least = dict.fromkeys(names, float("inf"))
        until = time.process_time() + most_seconds * len(names)
        while time.process_time() < until:
            for name, run in runs.items():
                least[name] = min(least[name], seconds(partial(run, inputs)))
        for name in names:
            ratio = least["torch"] / least[name]
            cells[name].insert(0, f"{least[name] / batch * 1e6:.1f} ({ratio:.2f})")
    return [[net, name, *cells[name]] for name in names]


def main() -> None:
    """Print a row for each net and runtime."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runtimes", nargs="*", metavar="RUNTIME", help=", ".join(RUNTIMES))
    parser.add_argument("--seconds", type=float, default=1.0, help="for each figure (1)")
    arguments = parser.parse_args()
    if unknown := set(arguments.runtimes) - set(RUNTIMES):
        parser.error(f"expected {', '.join(RUNTIMES)}, got {', '.join(unknown)}")
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    chosen = dict.fromkeys(["torch", *(arguments.runtimes or RUNTIMES)])
    installed = [name for name in chosen if find_spec(RUNTIMES[name][1])]
    rows = [row for net in NETS for row in measure(net, installed, arguments.seconds)]
    sizes = (f"of {batch}" for batch in BATCHES)
    show(
        ("net", "runtime", *sizes, "policy off by", "value off by", "prepared"),
        rows,
        "us for an evaluation",
    )


if __name__ == "__main__":
    main()
