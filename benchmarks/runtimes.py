"""What an evaluation costs in torch as it is used here, and in other runtimes that are installed.

All evaluate the same positions in turns, on one core; a time is the least of several, of processor
time, for one position of a batch, and in brackets is the speed relative to torch in float32.
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

from anet.evaluating import for_evaluation
from anet.game_network import GameNetwork, random_positions
from anet.openvino_runtime import in_openvino
from base.params import ANETParams
from benchmarks.timing import seconds, show
from state_manager import make_game

NETS: dict[str, tuple[int, dict[str, object]]] = {
    "residual_mlp 256x4, 5x5": (5, {"network": "residual_mlp", "hidden_layers": (256,) * 4}),
    "pooled 3 x 32, 7x7": (7, {"network": "pooled"}),
    "residual 2 x 24, 5x5": (5, {"network": "residual", "channels": 24, "blocks": 2}),
}
BATCHES = (1, 64, 128, 512)

Floats = NDArray[np.float32]
Evaluate = Callable[[Tensor], Any]


def in_bfloat16(network: nn.Module, examples: Tensor) -> Evaluate:
    """Return torch with numbers of half the size."""
    smaller = copy.deepcopy(network).to(torch.bfloat16)
    return lambda given: smaller(given.to(torch.bfloat16))


def in_torch_compile(network: nn.Module, examples: Tensor) -> Evaluate:
    """Return the network compiled by torch, in C++."""
    torch._dynamo.reset()
    compiled: Any = torch.compile(copy.deepcopy(network), dynamic=False)
    return lambda given: compiled(given)


def in_onnx(network: nn.Module, examples: Tensor) -> Evaluate:
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


RUNTIMES: dict[str, tuple[Callable[..., Evaluate], str]] = {
    "torch": (lambda network, examples: for_evaluation(network), "torch"),
    "torch, bfloat16": (in_bfloat16, "torch"),
    "torch.compile": (in_torch_compile, "torch"),
    "ONNX Runtime": (in_onnx, "onnxscript"),
    "OpenVINO": (partial(in_openvino, precision="float32"), "openvino"),
    "OpenVINO, bfloat16": (partial(in_openvino, precision="bfloat16"), "openvino"),
    "OpenVINO, int8": (partial(in_openvino, precision="int8"), "openvino"),
}
"""Each with the package that it needs, the rarest of several."""


def measure(net: str, names: list[str], most_seconds: float) -> list[list[str]]:
    """Return the rows of a net, one for each runtime; the first is torch."""
    size, words = NETS[net]
    game = make_game("hex", size=size)
    words = {"view": "mover", "critic": True, "device": "cpu", **words}
    network = GameNetwork(game, ANETParams.model_validate(words), seed=1)
    states = random_positions(game, max(BATCHES))
    features, second = game.observations(states), torch.from_numpy(states[:, :1] == 2)
    seen = network.view.inputs(torch.from_numpy(features), second).contiguous()
    cells: dict[str, list[str]] = {name: [] for name in names}
    error, prepared = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
    for batch in BATCHES:
        inputs, truth = seen[:batch].clone(), list[Floats]()
        runs: dict[str, Callable[[], list[Floats]]] = {}
        for name in names:
            began = time.process_time()
            evaluate = torch.inference_mode()(
                RUNTIMES[name][0](network.network.eval(), examples=inputs)
            )
            runs[name] = lambda given=evaluate: [each.float().numpy() for each in given(inputs)]  # type: ignore[misc] # noqa: B023
            found = [each.copy() for each in runs[name]()]
            prepared[name] = max(prepared[name], time.process_time() - began)
            truth = truth or found
            both = zip(found, truth, strict=True)
            error[name] = max(error[name], *(float(np.abs(a - b).max()) for a, b in both))
        least = dict.fromkeys(names, float("inf"))
        until = time.process_time() + most_seconds * len(names)
        while time.process_time() < until:
            for name, run in runs.items():
                least[name] = min(least[name], seconds(run))
        for name in names:
            ratio = least["torch"] / least[name]
            cells[name].append(f"{least[name] / batch * 1e6:.1f} ({ratio:.2f})")
    return [
        [net, name, *cells[name], f"{error[name]:.0e}", f"{prepared[name]:.1f} s"] for name in names
    ]


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
    show(("net", "runtime", *sizes, "off by", "prepared"), rows, "us for an evaluation")


if __name__ == "__main__":
    main()
