"""What all runtimes have in common: prepared passes, a device, and positions to measure with."""

from collections.abc import Callable, Hashable
from functools import cache
from importlib.util import find_spec
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import torch

from anet.errors import NetError
from anet.runtimes.torch_runtime import PREPARING, on_one_core
from base.params import ANETParams
from state_manager import State, StateManager


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
