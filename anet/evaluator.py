"""The evaluation of states: what searches and agents hold of a net.

Letters: B states, S length of a state, A actions.
"""

from __future__ import annotations

import math
from copy import deepcopy
from typing import Protocol

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import nn

from anet.errors import NetError
from anet.inference import copied, pack, policy_of
from anet.networks import ActorNetwork
from anet.runtimes.torch_runtime import Forward, Prepared, choose_device, in_torch, random_positions
from anet.view import View, add_evaluation, write_policies
from base.jit import direct
from base.methods import NetFacts
from base.params import ANETParams
from base.storage import excerpt
from state_manager import State, StateError, StateManager
from state_manager.policy import Policy
from state_manager.rules import GOES_ON
from state_manager.state_manager import as_integers

Policies = NDArray[np.float64]
Values = NDArray[np.float64]

TOO_LARGE = "expected weights that lead to numbers, these are too large"
_BATCH, _OF_PLANES, _ON_GPU = 128, 64, 512
"""States per batch, per batch of a net with convolutions, and per batch on a GPU: larger batches
make an evaluation hardly cheaper, and leave more slots without a game at the end of an update."""
_SMALL_BOARD, _CELLS = 64, 2048
"""Cells of a small board, and cells per batch of larger ones on a CPU: larger batches take longer
for a position of 13x13, and leave slots of long games empty."""
_EXAMPLES = 512  # positions that determine the ranges of int8; the net's own are not better
_LEAST_CHANCE = 1e-6  # of a win by moving on, where the critic decides the swap


class Evaluator(Protocol):
    """A net that evaluates states; whether it learns meanwhile is not its user's concern."""

    game: StateManager
    params: ANETParams  # the architecture of the net
    facts: NetFacts  # which methods of the search fit it
    episode: int = 0  # its training episodes when it became an evaluator; 0 if unknown
    note: str = ""  # a line that its user should read; empty for most

    def __repr__(self) -> str:
        """Return the kind of net, its game, and how long it learned."""
        kind = f"{type(self).__name__} ({self.params.network})"
        return f"<{kind} for {self.game!r}, episode {self.episode}>"

    def evaluate_batch(
        self, states: State, legal: NDArray[np.bool_], symmetric: bool = False
    ) -> tuple[Policies, Values | None]:
        """Evaluate a search's batch, without checks; see ``evaluate`` for the results.

        ``states`` are `[B, S]` int8, ``legal`` is `[B, A]`, False in final states; ``symmetric``
        tells whether ``anet.symmetric`` has an effect. Too large weights are a ``NetError``.
        """

    def rollout_policy(self, epsilon: float = 0.1) -> Policy:
        """Return the net as a default policy: a copy, with memory for one thread.

        It draws any legal action with probability ``epsilon``, else takes the net's first choice. A
        net that plays no rollouts raises a ``NetError``.
        """
        raise NetError(
            f"a {self.params.network} net plays no rollouts: it evaluates states in batches; "
            "anet.network=mlp plays them"
        )

    def in_runtime(self, runtime: str, precision: str, threads: int = 1) -> Evaluator:
        """Return what evaluates the net in a runtime; itself, if there is only one.

        In OpenVINO, ``threads`` evaluate a batch together.
        """
        return self

    def evaluate(self, states: ArrayLike) -> tuple[Policies, Values | None]:
        """Evaluate states, `[S]` or `[B, S]`, in one pass; others are a ``StateError``.

        The policies, `[A]` or `[B, A]`, are the softmax over all actions, rescaled to the legal
        ones; zero on illegal actions; rows sum to 1, or to 0 in a final state. With
        ``anet.symmetric``, they are averaged over symmetric boards. The critic's values are in [-1,
        1], seen from player 1, `[]` or `[B]`; ``None`` without a critic.
        """
        given = as_integers(states)
        if given is None:
            raise StateError(f"expected {self.game.name} states, got {excerpt(states)}")
        one = given.ndim < 2
        batch = self.game.checked(given)[np.newaxis] if one else self.game.checked_batch(given)
        legal = self.game.legal_mask(batch)
        legal[self.game.winners(batch) != GOES_ON] = False
        policies, values = self.evaluate_batch(batch, legal, symmetric=True)
        if one:
            return policies[0], None if values is None else values[0]
        return policies, values

    def policy(self, states: ArrayLike) -> Policies:
        """Return the policies of ``evaluate``."""
        return self.evaluate(states)[0]

    def value(self, states: ArrayLike) -> Values:
        """Return the values of ``evaluate``; raise a ``NetError`` if the net has no critic."""
        values = self.evaluate(states)[1]
        if values is None:
            raise NetError("expected a net with a critic (anet.critic: true)")
        return values


class LearningNet(Protocol):
    """What evaluators ask of a net that learns, which is an ``ANET``; see there."""

    game: StateManager
    params: ANETParams
    network: nn.Module
    view: View
    device: torch.device
    episode: int
    prepared: Prepared

    def evaluator(
        self, runtime: str | None = None, precision: str | None = None, threads: int = 1
    ) -> NetEvaluator:
        """Return what evaluates the net."""


class NetEvaluator(Evaluator):
    """Evaluates with the present weights of ``net``; ``ANET.evaluator`` makes it.

    The forward pass is prepared on first use, and anew after the weights have changed.
    """

    def __init__(self, net: LearningNet, runtime: str, precision: str, threads: int = 1) -> None:
        """See ``in_runtime``; a ``NetError`` if the runtime is missing."""
        self.game, self.params, self.facts = net.game, net.params, net.params.facts
        self.net, self.episode = net, net.episode
        self.runtime, self.precision, self.threads = runtime, precision, threads
        if runtime == "openvino":  # which may be missing
            choose_device(net.params.model_copy(update={"runtime": runtime}))

    @property
    def batch_size(self) -> int:
        """The number of states to evaluate at once, where so many are wanted."""
        if self.net.device.type != "cpu":
            return _ON_GPU
        if not self.params.sees_planes:
            return _BATCH
        cells = self.game.num_actions
        # Batches of a power of two are faster in OpenVINO.
        return _OF_PLANES if cells <= _SMALL_BOARD else 2 ** int(math.log2(max(1, _CELLS // cells)))

    def in_runtime(self, runtime: str, precision: str, threads: int = 1) -> NetEvaluator:
        """See ``Evaluator``; agents that ask for the same share it."""
        return self.net.evaluator(runtime, precision, threads)

    def evaluate_batch(
        self, states: State, legal: NDArray[np.bool_], symmetric: bool = False
    ) -> tuple[Policies, Values | None]:
        """See ``Evaluator``."""
        view = self.net.view
        # ``direct`` checks no types.
        states, legal = np.ascontiguousarray(states, np.int8), np.ascontiguousarray(legal, np.bool_)
        features, movers = view.features(states), states[:, 0].copy()
        logits = np.zeros(legal.shape, np.float32)
        values = np.zeros(len(states) if self.params.critic else 0)
        forward, images = self._forward(), len(view.layouts) if symmetric else 1
        for image in range(images):
            outputs, seen = forward(view.inputs(features, movers, image))
            places = view.layouts[image].outputs
            direct(add_evaluation)(places, movers, outputs, seen, logits, values)
        policies, actions = np.empty(legal.shape), np.empty(legal.shape[1], np.int64)
        if not direct(write_policies)(legal, actions, logits, values, 1.0 / images, policies):
            raise NetError(TOO_LARGE)
        return policies, values if self.params.critic else None

    def _forward(self) -> Forward:
        net, is_in_openvino = self.net, self.runtime == "openvino"
        # In torch, fewer bits are faster on a GPU only.
        is_rounded = is_in_openvino or (net.device.type, self.precision) == ("cuda", "bfloat16")
        precision = self.precision if is_rounded and self.precision != "auto" else "float32"

        def prepare() -> Forward:
            if not is_in_openvino:
                bits = getattr(torch, precision)
                return in_torch(net.network, net.view.num_inputs, net.device, bits)
            from anet.runtimes.openvino_runtime import in_openvino

            states = random_positions(self.game, _EXAMPLES)
            examples = net.view.inputs(self.game.observations(states), states[:, 0])
            network = deepcopy(net.network).cpu()
            return in_openvino(network, precision, torch.from_numpy(examples), self.threads)

        # Models of OpenVINO take much memory: they go with their last user.
        user = self if is_in_openvino else net
        forward: Forward = net.prepared.get(user, precision, prepare)
        return forward

    def rollout_policy(self, epsilon: float = 0.1) -> Policy:
        """See ``Evaluator``."""
        if not self.facts.plays_rollouts:
            return super().rollout_policy(epsilon)
        assert isinstance(self.net.network, ActorNetwork)
        words = self.net.network, self.params.activation, self.net.view, epsilon
        packed = self.net.prepared.get(self.net, "kernels", lambda: pack(*words))
        only_adds = self.game.only_adds and len(self.params.hidden_layers) > 0
        return policy_of(copied(packed, epsilon), only_adds, self.params.critic)


class SwapEvaluator(Evaluator):
    """A net of a game without the swap in the same game with it: its critic decides the swap.

    By the colour swap, if the critic gives the mover a chance p to win by moving on, its chance by
    the swap is 1 - p. It evaluates batches of states only.
    """

    def __init__(self, plain: Evaluator, game: StateManager) -> None:
        """Evaluate ``game``, which has the swap, by ``plain``, for the game without it."""
        self._plain, self.game, self.params = plain, game, plain.params
        self.facts, self.episode = plain.facts._replace(plays_rollouts=False), plain.episode

    def in_runtime(self, runtime: str, precision: str, threads: int = 1) -> Evaluator:
        """See ``Evaluator``."""
        return SwapEvaluator(self._plain.in_runtime(runtime, precision, threads), self.game)

    def evaluate_batch(
        self, states: State, legal: NDArray[np.bool_], symmetric: bool = False
    ) -> tuple[Policies, Values | None]:
        """See ``Evaluator``.

        The swap is to the likeliest other move as 1 - p to p, and the value is the better choice's.
        The fairer a first move, the likelier, since the opponent may swap.
        """
        plain = self.game.states_without_swap(states)
        policies, values = self._plain.evaluate_batch(plain, legal[:, :-1], symmetric)
        assert values is not None
        sign, swap = np.where(states[:, 0] == 1, 1.0, -1.0), legal[:, -1]
        chances = np.clip((1.0 + sign * values) / 2.0, _LEAST_CHANCE, 1.0)
        weights = np.where(swap, policies.max(axis=1) * (1.0 / chances - 1.0), 0.0)
        policies = np.column_stack([policies, weights]) / (1.0 + weights)[:, np.newaxis]
        values = np.where(swap, sign * np.abs(values), values)
        for row in np.flatnonzero(~plain[:, 1 : legal.shape[1]].any(axis=1)):
            _, children = zip(*self.game.children(states[row]), strict=True)
            after = self.game.states_without_swap(np.stack(children))
            is_empty = after[:, 1 : legal.shape[1]] == 0
            _, worth = self._plain.evaluate_batch(after, is_empty, symmetric)
            assert worth is not None
            fairness = 1.0 - np.abs(worth)
            values[row] = -sign[row] * np.abs(worth).min()
            policies[row, :-1] = fairness / fairness.sum()
        return policies, values
