"""Forward passes in torch; and what all runtimes share: prepared passes, a device, positions.

Letters: B states, I inputs, A actions.
"""

import sys
import warnings
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from threading import RLock
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.jit import TracerWarning  # type: ignore[attr-defined]

from anet.convolutional import without_normalizations
from anet.errors import NetError
from base.params import ANETParams
from state_manager import State, StateManager

Floats = NDArray[np.float32]
Forward = Callable[[Floats], tuple[Floats, Floats]]
"""``evaluate(inputs) -> logits, values``: `[B, A]` and `[B]` for inputs `[B, I]`; the values are
`[0]` without a critic."""

NO_VALUES = np.empty(0, np.float32)

_OF_PLANES = 64  # states that are convolved together on a CPU: of 128, each takes a quarter longer

PREPARING = RLock()  # held while a forward pass is prepared: torch traces one network at a time


@contextmanager
def on_one_core() -> Iterator[None]:
    """Compute with one of torch's threads: results must not depend on the machine."""
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
    """Return the forward pass in torch: thread-safe, and bit-reproducible for one batch size."""
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
    ``example`` is an input; the graph computes on its device, in its precision. A network that does
    not do the same for all inputs raises a ``TracerWarning``.
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
    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, inputs: Tensor) -> tuple[Tensor, ...]:
        return tuple(each for each in self.network(inputs) if each is not None)


def _array(outputs: Tensor) -> Floats:
    return outputs.float().cpu().contiguous().numpy()


class Prepared:
    """What users of the same weights have prepared, until these change or a user is gone."""

    def __init__(self) -> None:
        """Hold nothing."""
        self._held: WeakKeyDictionary[object, dict[Hashable, Any]] = WeakKeyDictionary()

    def get(self, user: object, key: Hashable, prepare: Callable[[], Any]) -> Any:
        """Return a user's value of a key. The first call prepares it, and other threads wait."""
        found = self._held.get(user, {}).get(key)
        if found is None:
            with PREPARING, on_one_core():
                of_user = self._held.setdefault(user, {})
                found = of_user[key] = of_user.get(key) or prepare()
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
            # Deterministic, and as exact as a CPU.
            torch.backends.cudnn.deterministic = True
            torch.backends.cudnn.allow_tf32 = False
        elif params.device == "cuda":
            raise NetError("anet.device: expected auto or cpu, got cuda: torch finds no GPU")
    known = ("float32",) if device == "cpu" else ("float32", "bfloat16")
    if params.runtime == "torch" and params.precision not in ("auto", *known):
        expected = f"expected {' or '.join(known)} where anet.runtime is torch"
        raise NetError(f"anet.precision: {expected}, got {params.precision}")
    return torch.device(device)


def on_cpu(params: ANETParams) -> ANETParams:
    """Return a net's parameters for another process or machine, which may have no GPU."""
    words = {"precision": "float32"} if params.runtime == "torch" else {}
    return params.model_copy(update={"device": "cpu", **words})


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
