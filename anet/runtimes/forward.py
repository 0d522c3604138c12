"""Forward passes for evaluation alone, prepared from a network's weights.

Letters: B states, I inputs, A actions.
"""

import warnings
from collections.abc import Callable, Hashable
from functools import cache
from importlib.util import find_spec
from threading import RLock
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from anet.convolutional import without_normalizations
from anet.errors import NetError
from anet.view import View
from base.params import ANETParams
from state_manager import State, StateManager

Floats = NDArray[np.float32]
Evaluate = Callable[[Floats], tuple[Floats, Floats]]
"""``evaluate(inputs) -> logits, values``: `[B, A]` and `[B]` for inputs `[B, I]`; the values are
`[0]` without a critic."""

NO_VALUES = np.empty(0, np.float32)

PREPARING = RLock()
"""Held while a forward pass is prepared: torch traces one network at a time."""

_EXAMPLES = 512
"""Positions that determine the ranges of int8; the net's own are not better."""


class Prepared:
    """What is prepared from weights, until they change."""

    def __init__(self) -> None:
        """Hold nothing."""
        self._held: dict[Hashable, Any] = {}

    def get(self, key: Hashable, prepare: Callable[[], Any]) -> Any:
        """Return what is held for a key, prepared if need be, by one thread."""
        found = self._held.get(key)
        if found is None:
            with PREPARING:
                found = self._held.get(key) or prepare()
                self._held[key] = found
        return found

    def clear(self) -> None:
        """Drop all, since the weights have changed."""
        self._held.clear()


def choose_device(params: ANETParams) -> torch.device:
    """Return the network's device; raise ``NetError`` if it or the runtime is missing."""
    if params.runtime == "openvino":
        if params.device == "cuda":
            raise NetError("anet.runtime: expected torch where anet.device is cuda, got openvino")
        if find_spec("openvino") is None:
            raise NetError("anet.runtime: expected torch, got openvino: pip install openvino first")
        return torch.device("cpu")
    device = "cpu"
    if params.network != "mlp" and params.device != "cpu":
        if torch.cuda.is_available():
            device = "cuda"
        elif params.device == "cuda":
            raise NetError("anet.device: expected auto or cpu, got cuda: torch finds no GPU")
    known = ("float32",) if device == "cpu" else ("float32", "bfloat16")
    if params.runtime == "torch" and params.precision not in ("auto", *known):
        expected = f"expected {' or '.join(known)} where anet.runtime is torch"
        raise NetError(f"anet.precision: {expected}, got {params.precision}")
    return torch.device(device)


def keep_to_one_core() -> None:
    """Apply ``torch.set_num_threads`` to the calling thread, which this call does in torch."""
    torch.get_num_threads()


def prepared(
    network: nn.Module,
    view: View,
    params: ANETParams,
    device: torch.device,
    exact: bool,
    threads: int,
) -> Evaluate:
    """Return a network's forward pass, with its present weights.

    If ``exact``, in torch in float32; else as ``anet.runtime`` and ``anet.precision`` say, where
    OpenVINO evaluates a batch on this number of ``threads``.
    """
    precision = "float32" if exact or params.precision == "auto" else params.precision
    if params.runtime == "openvino" and not exact:
        from anet.runtimes.openvino_runtime import in_openvino

        states = random_positions(view.game, _EXAMPLES)
        examples = view.inputs(view.game.observations(states), states[:, 0])
        return in_openvino(network, precision, torch.from_numpy(examples), threads)
    return in_torch(network, view.num_inputs, device, getattr(torch, precision))


def in_torch(
    network: nn.Module,
    num_inputs: int,
    device: torch.device,
    precision: torch.dtype = torch.float32,
) -> Evaluate:
    """Return the forward pass in torch, with numbers of a precision.

    Bit-reproducible for one batch size; the result is thread-safe.
    """
    example = torch.zeros(2, num_inputs, device=device, dtype=precision)
    frozen = traced(network, example, is_final=True)

    def evaluate(inputs: Floats) -> tuple[Floats, Floats]:
        keep_to_one_core()
        # Otherwise the first evaluations of each batch size would be slow.
        with torch.inference_mode(), torch.jit.optimized_execution(False):  # type: ignore[attr-defined]
            logits, *values = frozen(torch.from_numpy(inputs).to(device, precision))
        return _array(logits), _array(values[0]) if values else NO_VALUES

    return evaluate


def traced(network: nn.Module, example: Tensor, is_final: bool = False) -> Any:
    """Return a network's forward pass as a graph of torch, which calls no Python.

    Normalisations are folded into convolutions. Without a critic, its only output are the logits.
    ``example`` is an input; the graph computes on its device, in its precision. If it ``is_final``,
    its weights are constants, laid out for speed.
    """
    still = _WithoutNone(without_normalizations(network)).eval().to(example.dtype)
    is_on_cpu = example.device.type == "cpu"
    if is_on_cpu and any(isinstance(each, nn.Conv2d) for each in still.modules()):
        still.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    with warnings.catch_warnings():  # torch has a newer form, which takes longer to make
        warnings.simplefilter("ignore", DeprecationWarning)
        graph = torch.jit.trace(still, example, check_trace=False)  # type: ignore[no-untyped-call]
        return torch.jit.freeze(graph) if is_final else graph


class _WithoutNone(nn.Module):
    """A network that returns no ``None``: only the logits, if it has no critic."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, inputs: Tensor) -> tuple[Tensor, ...]:
        return tuple(each for each in self.network(inputs) if each is not None)


def _array(outputs: Tensor) -> Floats:
    return outputs.float().cpu().contiguous().numpy()


@cache
def random_positions(game: StateManager, count: int) -> State:
    """Return positions of random games, in random order: `[count, S]`; always the same array."""
    rng = np.random.default_rng(0)
    states: list[State] = []
    while len(states) < count:
        state = game.initial_state(1 + len(states) % 2)
        while not game.is_final(state):
            states.append(state)
            state = game.child_state(state, int(rng.choice(game.legal_actions(state))))
    return rng.permutation(np.array(states))[:count]
