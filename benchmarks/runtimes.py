"""What an answer costs in torch as it is used here, and in other runtimes that are installed.

All answer the same positions in turns, on one core; a time is the least of several, of processor
time, for one position of a batch, and in brackets how many times as fast that is as torch in
float32. ``prepared`` is what a runtime takes before it can answer, for each net, and training has a
new one after each update; all but OpenVINO and torch as it is take that for each size of a batch.
``pip install onnx onnxruntime onnxscript openvino``, and a C++ compiler, for all of them.
"""

from __future__ import annotations

import argparse
import copy
import logging
import tempfile
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Column, Table
from torch import Tensor, nn

from anet.evaluating import for_evaluation, in_openvino
from anet.game_network import GameNetwork
from base.params import ANETParams
from state_manager import StateManager, make_game

NETS: dict[str, tuple[int, dict[str, object]]] = {
    "residual_mlp 256x4, 5x5": (5, {"network": "residual_mlp", "hidden_layers": (256,) * 4}),
    "pooled 3 x 32, 7x7": (7, {"network": "pooled"}),
    "residual 2 x 24, 5x5": (5, {"network": "residual", "channels": 24, "blocks": 2}),
}
BATCHES = (1, 64, 128, 512)

Floats = NDArray[np.float32]
Run = Callable[[Floats], list[Floats]]


def numbers(answer: tuple[Tensor, Tensor]) -> list[Floats]:
    """Return the logits and the values of an answer of torch."""
    return [each.float().numpy() for each in answer]


def in_torch(network: nn.Module, inputs: Floats) -> Run:
    """Return what the rest of the program uses."""
    answer = for_evaluation(network)
    return lambda given: numbers(answer(torch.from_numpy(given)))  # type: ignore[arg-type]


def in_bfloat16(network: nn.Module, inputs: Floats) -> Run:
    """Return the same with numbers of half the size."""
    smaller = copy.deepcopy(network).to(torch.bfloat16)
    return lambda given: numbers(smaller(torch.from_numpy(given).to(torch.bfloat16)))


def in_torch_compile(network: nn.Module, inputs: Floats) -> Run:
    """Return what torch makes of the network in C++."""
    torch._dynamo.reset()
    compiled: Any = torch.compile(copy.deepcopy(network), dynamic=False)
    return lambda given: numbers(compiled(torch.from_numpy(given)))


def in_onnx(network: nn.Module, inputs: Floats) -> Run:
    """Return the network as ONNX Runtime computes it."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "net.onnx"
        torch.onnx.export(network, (torch.from_numpy(inputs),), path, verbose=False)
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    (name,) = (each.name for each in session.get_inputs())
    return lambda given: session.run(None, {name: given})


def in_openvino_runtime(network: nn.Module, inputs: Floats, precision: str = "f32") -> Run:
    """Return what ``anet.runtime=openvino`` uses."""
    answer = in_openvino(network, inputs.shape[1], precision)
    return lambda given: numbers(answer(torch.from_numpy(given)))  # type: ignore[arg-type]


def in_openvino_bfloat16(network: nn.Module, inputs: Floats) -> Run:
    """Return the same with numbers of half the size inside."""
    return in_openvino_runtime(network, inputs, "bf16")


RUNTIMES: dict[str, tuple[Callable[[nn.Module, Floats], Run], str]] = {
    "torch": (in_torch, "torch"),
    "torch, bfloat16": (in_bfloat16, "torch"),
    "torch.compile": (in_torch_compile, "torch"),
    "ONNX Runtime": (in_onnx, "onnxscript"),
    "OpenVINO": (in_openvino_runtime, "openvino"),
    "OpenVINO, bfloat16": (in_openvino_bfloat16, "openvino"),
}
"""Each with the package that it needs, the rarest of several."""


def positions(game: StateManager, count: int) -> NDArray[np.int8]:
    """Return positions of random games, in random order: `[count, S]`."""
    rng = np.random.default_rng(0)
    states: list[NDArray[np.int8]] = []
    while len(states) < count:
        state = game.initial_state(1 + len(states) % 2)
        while not game.is_final(state):
            states.append(state)
            state = game.child_state(state, int(rng.choice(game.legal_actions(state))))
    return rng.permutation(np.array(states))[:count]


def seconds_each(runs: dict[str, Run], inputs: Floats, seconds: float) -> dict[str, float]:
    """Return the least processor time of one call of each, called in turns."""
    least = dict.fromkeys(runs, float("inf"))
    until = time.process_time() + seconds * len(runs)
    while time.process_time() < until:
        for name, run in runs.items():
            began = time.process_time()
            run(inputs)
            least[name] = min(least[name], time.process_time() - began)
    return least


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
    chosen = ["torch", *(name for name in arguments.runtimes or RUNTIMES if name != "torch")]
    chosen = [name for name in chosen if find_spec(RUNTIMES[name][1])]
    right = (Column(f"of {batch}", justify="right") for batch in BATCHES)
    table = Table("net", "runtime", *right, "off by", "prepared", title="us for an answer")
    for net, (size, words) in NETS.items():
        game = make_game("hex", size=size)
        told = {"view": "mover", "critic": True, "device": "cpu", **words}
        network = GameNetwork(game, ANETParams.model_validate(told), seed=1)
        states = positions(game, max(BATCHES))
        features, second = game.observations(states), torch.from_numpy(states[:, :1] == 2)
        seen = network.view.inputs(torch.from_numpy(features), second).contiguous().numpy()
        cells: dict[str, list[str]] = {name: [] for name in chosen}
        error, prepared = dict.fromkeys(chosen, 0.0), dict.fromkeys(chosen, 0.0)
        for batch in BATCHES:
            inputs, truth = seen[:batch].copy(), list[Floats]()
            runs: dict[str, Run] = {}
            for name in chosen:
                began = time.process_time()
                run = RUNTIMES[name][0](network.network.eval(), inputs)
                runs[name] = torch.inference_mode()(run)
                answer = [each.copy() for each in runs[name](inputs)]
                prepared[name] = max(prepared[name], time.process_time() - began)
                truth = truth or answer
                both = zip(answer, truth, strict=True)
                error[name] = max(error[name], *(float(np.abs(a - b).max()) for a, b in both))
            least = seconds_each(runs, inputs, arguments.seconds)
            for name in chosen:
                ratio = least["torch"] / least[name]
                cells[name].append(f"{least[name] / batch * 1e6:.1f} ({ratio:.2f})")
        for name in chosen:
            table.add_row(net, name, *cells[name], f"{error[name]:.0e}", f"{prepared[name]:.1f} s")
            net = ""
        table.add_section()
    Console().print(table)


if __name__ == "__main__":
    main()
