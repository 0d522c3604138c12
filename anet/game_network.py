"""A network with its view of the game and its device.

Letters: B states, F features, A actions. ``observations`` are `[B, F]`; ``movers`` are `[B]`, the
player to move.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache, cached_property, partial
from importlib.util import find_spec
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from anet.errors import NetError
from anet.evaluating import PREPARING, Evaluate, in_torch
from anet.networks import ActorNetwork, BuildNetwork
from anet.packing import pack
from anet.parts import in_parts
from anet.reading import Reading, add_evaluation, read, read_features, write_policies
from anet.training import Minibatch
from anet.view import View
from anet.weights import fitting_weights
from base.cluster import Map
from base.jit import direct
from base.params import ANETParams
from base.registry import NETWORKS
from state_manager import State, StateManager
from state_manager.policy import Net
from state_manager.rules import Symmetry

Policies = NDArray[np.float64]
Values = NDArray[np.float64]

_EXAMPLES = 512
"""Positions that determine the ranges of int8; the net's own are not better."""

_LEAST_CASES = 128
"""Smallest part of a minibatch; with fewer cases, threads cost more time than they save."""


def build_network(params: ANETParams, view: View, num_actions: int) -> nn.Module:
    """Return the network, with random weights."""
    build = cast(BuildNetwork, NETWORKS.find(params.network))
    return build(view, num_actions, params)


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


def outline(game: StateManager, params: ANETParams) -> nn.Module:
    """Return a network without memory for its weights, for their names and shapes."""
    view = View(game, params, torch.device("cpu"))
    with torch.device("meta"):
        return build_network(params, view, game.num_actions)


class GameNetwork:
    """A network that evaluates states of a game.

    Attributes:
        network: The network, with its weights.
        view: Its layout of inputs and outputs.
        game: The game of the states that it evaluates.
        threads: Threads that evaluate a batch together in OpenVINO.
    """

    threads = 1

    def __init__(self, game: StateManager, params: ANETParams, seed: int) -> None:
        """Build the network with random weights from ``seed``; errors are those of ``ANET``."""
        self.device = choose_device(params)
        self.view = View(game, params, self.device)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.network = build_network(params, self.view, game.num_actions)
        self.network.to(self.device)
        # Convolutions train a fifth faster with channels last.
        if params.sees_planes and self.device.type == "cpu":
            self.network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        is_normalized = any(isinstance(each, nn.BatchNorm2d) for each in self.network.modules())
        parts = 4 if params.sees_planes else 2  # more parts would slow a perceptron down
        self._most_parts = 1 if is_normalized or self.device.type != "cpu" else parts
        self._activation = params.activation
        self._evaluating: dict[tuple[GameNetwork, bool], Evaluate] = {}
        self._in_precision: Callable[[], AbstractContextManager[object]] = nullcontext
        if params.learning_precision == "bfloat16":  # but for weights, losses and the softmax
            words = {"cache_enabled": False}  # a step casts each weight once
            self._in_precision = partial(torch.autocast, self.device.type, torch.bfloat16, **words)
        self._precision = "float32" if params.precision == "auto" else params.precision
        is_rounded = self.device.type != "cpu" and self._precision == "bfloat16"
        self._searches_differ = params.runtime == "openvino" or is_rounded
        self.game = game
        self._has_critic = params.critic
        self._readings: dict[Symmetry | None, Reading] = {}

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Load weights; see ``fitting_weights``."""
        self.network.load_state_dict(fitting_weights(self.network, tensors))
        self._forget()

    def share(self, other: "GameNetwork") -> None:
        """Use the weights of another network from now on: a change of one changes both."""
        self.network.load_state_dict(other.network.state_dict(keep_vars=True), assign=True)
        self._evaluating = other._evaluating

    def _forget(self) -> None:
        """Drop the forward passes that were prepared with other weights."""
        self._evaluating.clear()
        vars(self).pop("packed", None)

    @cached_property
    def packed(self) -> Net:
        """A perceptron's weights for kernels; cached, since packing is slower than copying."""
        assert isinstance(self.network, ActorNetwork)
        return pack(self.network, self._activation, self.view, epsilon=1.0)

    def parts_of(self, cases: int) -> int:
        """Return the number of parts of a minibatch whose gradients are computed in parallel."""
        return min(self._most_parts, max(1, cases // _LEAST_CASES))

    def outputs(self, minibatch: Minibatch, sharing: Map) -> tuple[Tensor, Tensor | None]:
        """Return the network's logits `[B, A]`, in the game's order of actions, and its values."""
        self._forget()  # the weights are about to change
        movers = np.ascontiguousarray(minibatch.movers, np.int8)
        observations = np.ascontiguousarray(minibatch.observations, np.float32)
        inputs = np.empty((len(minibatch), self.view.num_inputs), np.float32)
        direct(read_features)(self.reading(None), movers, observations, inputs)
        seen, parts = torch.from_numpy(inputs).to(self.device), self.parts_of(len(minibatch))
        logits, *values = in_parts(self.network, self._forward, seen, parts, sharing)
        if self.view.turns:
            places = self.reading(None).outputs[movers - 1]
            logits = logits.gather(1, torch.from_numpy(places).to(self.device))
        return logits, values[0] if values else None

    def _forward(self, inputs: Tensor) -> tuple[Tensor, ...]:
        """Return the network's outputs, those that there are, in training, in float32."""
        with self._in_precision():
            outputs = self.network(inputs)
        return tuple(each.float() for each in outputs if each is not None)

    def evaluate(
        self,
        states: State,
        legal: NDArray[np.bool_],
        images: Sequence[Symmetry | None] = (None,),
        for_search: bool = False,
    ) -> tuple[Policies, Values | None]:
        """Evaluate states, each independently of the others; see ``ANET.evaluate_checked``.

        The outputs are averaged over ``images``: symmetries that are applied to the states and
        inverted on the outputs; ``None`` is the identity. ``for_search`` uses ``anet.runtime`` and
        ``anet.precision``, else torch in float32. Too large weights are a ``NetError``.
        """
        for_search = for_search and self._searches_differ
        network = self._evaluating.get((self, for_search))
        if network is None:
            with PREPARING:
                network = self._evaluating.get((self, for_search)) or self._prepared(for_search)
                self._evaluating[self, for_search] = network
        # ``direct`` calls do not check the types of arguments.
        states, legal = np.ascontiguousarray(states, np.int8), np.ascontiguousarray(legal, np.bool_)
        outputs = np.zeros(legal.shape, np.float32)
        values = np.zeros(len(states) if self._has_critic else 0)
        for image in images:
            logits, seen = network(self.inputs_of(states, image))
            direct(add_evaluation)(self.reading(image), states, logits, seen, outputs, values)
        policies, actions = np.empty(legal.shape), np.empty(legal.shape[1], np.int64)
        if not direct(write_policies)(legal, actions, outputs, values, 1.0 / len(images), policies):
            raise NetError("expected weights that lead to numbers, these are too large")
        return policies, values if self._has_critic else None

    def _prepared(self, for_search: bool) -> Evaluate:
        """Return the forward pass for searches, or that of torch."""
        if not for_search:
            return in_torch(self.network, self.device)
        if self.device.type != "cpu":
            return in_torch(self.network, self.device, torch.bfloat16)
        from anet.openvino_runtime import in_openvino

        examples = self.inputs_of(random_positions(self.game, _EXAMPLES))
        seen = torch.from_numpy(examples)
        return in_openvino(self.network, self._precision, seen, self.threads)

    def inputs_of(self, states: State, image: Symmetry | None = None) -> NDArray[np.float32]:
        """Return the network's inputs, `[B, I]`, for states `[B, S]` or their images."""
        inputs = np.empty((len(states), self.view.num_inputs), np.float32)
        features = np.empty(self.game.num_features, np.int64)
        features_of = self.game.rules.active_features
        direct(read)(features_of, self.reading(image), states, features, inputs)
        return inputs

    def reading(self, image: Symmetry | None) -> Reading:
        """Return the ``Reading`` of a symmetry, cached."""
        if image not in self._readings:
            self._readings[image] = self.view.reading(image)
        return self._readings[image]
