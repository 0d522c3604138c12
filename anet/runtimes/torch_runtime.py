"""Forward passes in torch, and what all runtimes have in common.

Letters: B states, I inputs, A actions.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.jit import TracerWarning  # type: ignore[attr-defined]

from anet.convolutional import without_normalizations

Floats = NDArray[np.float32]
Forward = Callable[[Floats], tuple[Floats, Floats]]
"""``evaluate(inputs) -> logits, values``: `[B, A]` and `[B]` for inputs `[B, I]`; the values are
`[0]` without a critic."""

NO_VALUES = np.empty(0, np.float32)

_OF_PLANES = 64
"""States that are convolved together on a CPU: of 128, each takes a quarter longer."""

PREPARING = RLock()
"""Held while a forward pass is prepared: torch traces one network at a time."""


@contextmanager
def on_one_core() -> Iterator[None]:
    """Compute with one of torch's threads, and leave their number as it was.

    Results must not depend on the machine; nets of this size gain nothing from more threads.
    """
    threads = torch.get_num_threads()
    if threads == 1:  # there is nothing to restore, either, while others compute
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def in_torch(
    network: nn.Module,
    num_inputs: int,
    device: torch.device,
    precision: torch.dtype = torch.float32,
) -> Forward:
    """Return the forward pass in torch, with numbers of a precision.

    Bit-reproducible for one batch size; the result is thread-safe.
    """
    example = torch.zeros(2, num_inputs, device=device, dtype=precision)
    try:
        with warnings.catch_warnings():  # torch has a newer form, which takes longer to make
            warnings.simplefilter("ignore", DeprecationWarning)
            forward: Any = torch.jit.freeze(traced(network, example))
    except TracerWarning:  # another's network, whose Python code depends on the inputs
        forward = _for_evaluation(network, example)

    convolves = any(isinstance(each, nn.Conv2d) for each in network.modules())
    most = _OF_PLANES if convolves and device.type == "cpu" else sys.maxsize

    def evaluate(inputs: Floats) -> tuple[Floats, Floats]:
        parts = torch.split(torch.from_numpy(inputs).to(device, precision), most)
        # Otherwise the first evaluations of each batch size would be slow.
        slow_start: Any = torch.jit.optimized_execution(False)  # type: ignore[attr-defined]
        with on_one_core(), torch.inference_mode(), slow_start:
            outputs = [forward(part) for part in parts]
        logits, *values = (
            torch.cat(each) for each in zip(*outputs, strict=True) if each[0] is not None
        )
        return _array(logits), _array(values[0]) if values else NO_VALUES

    return evaluate


def traced(network: nn.Module, example: Tensor) -> Any:
    """Return a network's forward pass as a graph of torch, which calls no Python.

    Normalisations are folded into convolutions. Without a critic, its only output are the logits.
    ``example`` is an input; the graph computes on its device, in its precision.

    Raises:
        TracerWarning: If what the network does is not the same for all inputs.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("error", TracerWarning)
        return torch.jit.trace(_for_evaluation(network, example), example, check_trace=False)  # type: ignore[no-untyped-call]


def _for_evaluation(network: nn.Module, example: Tensor) -> nn.Module:
    """Return a copy of a network that returns no ``None``, in the precision of ``example``."""
    alone = _WithoutNone(without_normalizations(network)).eval().to(example.dtype)
    is_on_cpu = example.device.type == "cpu"
    if is_on_cpu and any(isinstance(each, nn.Conv2d) for each in alone.modules()):
        alone.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    return alone


class _WithoutNone(nn.Module):
    """A network that returns no ``None``: only the logits, if it has no critic."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, inputs: Tensor) -> tuple[Tensor, ...]:
        return tuple(each for each in self.network(inputs) if each is not None)


def _array(outputs: Tensor) -> Floats:
    return outputs.float().cpu().contiguous().numpy()
