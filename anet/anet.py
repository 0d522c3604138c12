"""``ANET``: the actor network as the rest of the system uses it.

Letters: B states, S length of a state, F features, A actions.
"""

import math
import os
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from anet.errors import DivergedError, NetError
from anet.game_network import GameNetwork, Policies, Values, outline
from anet.inference import policy_of
from anet.net_files import described_episode, described_params, naming
from anet.packing import copied
from anet.training import Minibatch, TrainingMetrics
from anet.weights import (
    fitting_weights,
    network_tensors,
    new_optimizer,
    optimizer_state,
    optimizer_tensors,
    widened,
)
from base.cluster import Map
from base.params import ANETParams
from base.storage import excerpt, load_checkpoint, save_checkpoint
from state_manager import StateError, StateManager, make_game
from state_manager.policy import Policy
from state_manager.rules import GOES_ON, Symmetry
from state_manager.state_manager import as_integers

KIND = "anet"
WITHOUT_EFFECT = {"device", "runtime", "precision", "learning_precision"}
"""Parameters that do not describe a net; its file leaves them out."""
OF_LEARNING = {
    *("learning_rate", "learning_rate_end", "learning_rate_end_at", "optimizer", "value_weight"),
}
"""Parameters of the optimiser; the others are the architecture."""

_NEVER = -1e30
"""The logit of an illegal action: so low that its probability is 0."""


class ANET:
    """A map from states to distributions over actions that learns from cases (state, D).

    Attributes:
        episode: The number of training episodes so far.
    """

    network: type[GameNetwork] = GameNetwork

    def __init__(
        self,
        game: StateManager,
        params: ANETParams | None = None,
        seed: int = 0,
        run_params: dict[str, Any] | None = None,
    ) -> None:
        """Make an untrained net, with random weights from ``seed``.

        ``params`` are architecture and optimiser, by default those of ``params.yaml``;
        ``run_params``, those of the training run as plain data, are kept in its files.

        Raises:
            NetError: If the game does not fit the architecture, or the device is missing.
        """
        self.game = game
        self.params = params or ANETParams()
        self.episode = 0
        self.run_params = run_params or {}
        self._net = self.network(game, self.params, seed)

    @cached_property
    def _optimizer(self) -> torch.optim.Optimizer:
        """The optimiser, created on first use."""
        return new_optimizer(self._net.network, self.params)

    def on(self, game: StateManager) -> Self:
        """Return this net on another board of its game, with the same weights and optimiser.

        Raises:
            NetError: If the weights do not fit every board, or not this game.
        """
        games = [(each.name, each.swap_action is None) for each in (game, self.game)]
        if self.params.network != "pooled" or games[0] != games[1]:
            raise NetError(f"expected a net for {game!r}, got one for {self.game!r}")
        other = type(self)(game, self.params, run_params=self.run_params)
        other._net.share(self._net)
        other.__dict__["_optimizer"], other.episode = self._optimizer, self.episode
        return other

    def with_runtime(self, runtime: str, precision: str, threads: int = 1) -> Self:
        """Return this net, with the same weights, for searches in a runtime; see ``ANETParams``.

        In OpenVINO, this number of threads evaluates a batch together.
        """
        words = {"runtime": runtime, "precision": precision}
        other = type(self)(
            self.game, self.params.model_copy(update=words), run_params=self.run_params
        )
        other._net.share(self._net)
        other._net.threads = threads
        other.episode = self.episode
        return other

    @property
    def plays_rollouts(self) -> bool:
        """Whether the net can be a default policy; others only evaluate batches of states."""
        return self.params.network == "mlp"

    def policy(self, states: ArrayLike) -> Policies:
        """Return the softmax over all actions, rescaled to the legal ones; see ``evaluate``."""
        return self.evaluate(states)[0]

    def value(self, states: ArrayLike) -> Values:
        """Return the critic's values in [-1, 1], seen from player 1; see ``evaluate``.

        Raises:
            NetError: If the net has no critic.
        """
        values = self.evaluate(states)[1]
        if values is None:
            raise NetError("expected a net with a critic (anet.critic: true)")
        return values

    def evaluate(self, states: ArrayLike) -> tuple[Policies, Values | None]:
        """Evaluate states, `[S]` or `[B, S]`, in one pass of the net.

        Returns:
            The policies, `[A]` or `[B, A]`, zero on illegal actions; rows sum to 1, or to 0 in a
            final state; with ``anet.symmetric``, averaged over symmetric boards. And the critic's
            values, `[]` or `[B]`, or ``None`` without a critic.

        Raises:
            StateError: If these are not states of the net's game.
        """
        given = as_integers(states)
        if given is None:
            raise StateError(f"expected {self.game.name} states, got {excerpt(states)}")
        one = given.ndim < 2
        batch = self.game.checked(given)[np.newaxis] if one else self.game.checked_batch(given)
        legal = self.game.legal_mask(batch)
        legal[self.game.winners(batch) != GOES_ON] = False
        policies, values = self._net.evaluate(batch, legal, self._images)
        if one:
            return policies[0], None if values is None else values[0]
        return policies, values

    def evaluate_checked(
        self, states: NDArray[np.int8], legal: NDArray[np.bool_]
    ) -> tuple[Policies, Values | None]:
        """Evaluate a search's batch: in ``anet.runtime``, not averaged, without checks.

        ``states`` is `[B, S]` int8; ``legal``, `[B, A]` bool, is False in final states.
        """
        return self._net.evaluate(states, legal, for_search=True)

    def policy_checked(
        self, states: NDArray[np.int8], legal: NDArray[np.bool_], for_search: bool = False
    ) -> NDArray[np.float64]:
        """Do what ``policy`` does, without checking the states, `[B, S]` int8.

        ``for_search`` evaluates in ``anet.runtime``.
        """
        return self._net.evaluate(states, legal, self._images, for_search)[0]

    @cached_property
    def _images(self) -> tuple[Symmetry | None, ...]:
        """The symmetries to average over: the identity, ``None``, and the game's if symmetric."""
        symmetries = self._net.game.symmetries if self.params.symmetric else ()
        return None, *(each for each in symmetries if not each.swaps_players)

    def logits(self, features: Tensor, is_second: Tensor) -> Tensor:
        """Return the network's outputs before the softmax, `[B, A]`, for features `[B, F]`.

        ``is_second`` is `[B, 1]` bool, where player 2 is to move.
        """
        outputs, _ = self._net.network.eval()(self._net.view.inputs(features, is_second))
        return self._net.view.logits(outputs, is_second)

    def rollout_policy(self, epsilon: float = 0.1) -> Policy:
        """Return the net as a default policy: a copy, with memory for one thread.

        It draws any legal action with probability ``epsilon``, else takes the net's first choice.

        Raises:
            NetError: If such a net plays no rollouts.
        """
        if not self.plays_rollouts:
            raise NetError(
                f"a {self.params.network} net plays no rollouts: it evaluates states in batches; "
                "anet.network=mlp plays them"
            )
        net = copied(self._net.packed, epsilon)
        only_adds = self.game.only_adds and len(self.params.hidden_layers) > 0
        return policy_of(net, only_adds, self.params.critic)

    def set_learning_rate(self, share: float) -> None:
        """Set the optimiser's learning rate to a share of ``anet.learning_rate``."""
        for group in self._optimizer.param_groups:
            group["lr"] = share * self.params.learning_rate

    def train(self, minibatch: Minibatch, sharing: Map = map) -> TrainingMetrics:
        """Take one step of the optimiser on a minibatch; return the metrics before the step.

        ``sharing`` is the ``map`` for its parts, see ``base.cluster``; it does not change the step.

        Raises:
            DivergedError: If the loss is not finite.
        """
        legal, targets, weights, outcomes = (
            torch.from_numpy(each).to(self._net.device)
            for each in (minibatch.legal, minibatch.targets, minibatch.weights, minibatch.values)
        )
        logits, values = self._net.outputs(minibatch, sharing)  # [B, A], [B]
        logits = logits.masked_fill(~legal, _NEVER)
        cross_entropies = nn.functional.cross_entropy(logits, targets, reduction="none")  # [B]
        loss = policy_loss = (weights * cross_entropies).mean()
        value_loss = None
        if values is not None:
            known = int(np.count_nonzero(~np.isnan(minibatch.values)))
            wanted = torch.where(outcomes.isnan(), values.detach(), outcomes)  # then no error
            errors = nn.functional.mse_loss(values, wanted, reduction="sum")
            value_loss = errors / max(1, known)
            loss = policy_loss + self.params.value_weight * value_loss
        self._check_finite(loss.item())
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self._optimizer.step()
        entropies = torch.special.entr(targets).sum(1)
        agrees = logits.argmax(1) == targets.argmax(1)
        return TrainingMetrics(
            loss=policy_loss.item(),
            entropy=(weights * entropies).mean().item(),
            accuracy=agrees.float().mean().item(),
            value_loss=None if value_loss is None else value_loss.item(),
        )

    def _check_finite(self, loss: float) -> None:
        """Raise a ``DivergedError`` for a loss that is not finite."""
        if not math.isfinite(loss):
            raise DivergedError(
                f"training diverged: the loss is {loss}; try a smaller anet.learning_rate "
                f"(now {self.params.learning_rate:g}) or another anet.optimizer "
                f"(now {self.params.optimizer})"
            )

    def check_weights(self) -> None:
        """Raise a ``DivergedError`` if any weight is infinite or not a number."""
        tensors = self._net.network.state_dict().values()
        total = sum(float(weights.detach().abs().sum()) for weights in tensors)
        self._check_finite(total)

    def state(self) -> tuple[dict[str, Any], dict[str, Tensor]]:
        """Return the net's whole state, as plain data and copies of its tensors on the CPU."""
        meta = {
            "game": self.game.name,
            "game_params": self.game.params,
            "anet": self.params.model_dump(mode="json", exclude=WITHOUT_EFFECT),
            "episode": self.episode,
            "params": self.run_params,
        }
        if "_optimizer" in vars(self):
            return meta, self.weights() | optimizer_tensors(self._optimizer)
        return meta, self.weights()

    def weights(self) -> dict[str, Tensor]:
        """Return copies, on the CPU, of the network's tensors; ``restore`` takes them."""
        return network_tensors(self._net.network)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the net for the CPU of another process, without the optimiser."""
        params = self.params.model_copy(update={"device": "cpu"})
        kept = (self.weights(), self.episode)
        return type(self), (self.game, params, 0, self.run_params), kept

    def __setstate__(self, kept: tuple[dict[str, Tensor], int]) -> None:
        """Restore the weights and the episode from ``__reduce__``."""
        self.restore(*kept)

    def restore(self, tensors: dict[str, Tensor], episode: int) -> None:
        """Load weights and the optimiser's state; a ``NetError`` if the tensors do not fit."""
        self._net.restore(tensors)
        state = optimizer_state(self._net.network, tensors)
        if state or "_optimizer" in vars(self):
            groups = self._optimizer.state_dict()["param_groups"]
            self._optimizer.load_state_dict({"state": state, "param_groups": groups})
        self.episode = episode

    def grown_from(self, other: Self) -> dict[str, Tensor]:
        """Return weights for ``restore``: another net's, widened if this pooled net is larger."""
        mine, theirs = self.params, other.params
        is_alike = (mine.hidden_layers, mine.activation) == (
            theirs.hidden_layers,
            theirs.activation,
        )
        if is_alike and mine.network == theirs.network == "pooled":
            return widened(self._net.network, other.weights())
        return other.weights()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the net to a file, whole or not at all."""
        save_checkpoint(path, KIND, self.state()[0], self.weights())

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        game: StateManager | None = None,
        device: Literal["auto", "cpu", "cuda"] = "auto",
    ) -> Self:
        """Read a net from a file, for ``game`` if given; nothing in the file is executed.

        The weights of a pooled net fit other boards of its game.

        Raises:
            CheckpointError: If the file is not a whole net file; one line that names it.
            NetError: If the net is for another game or does not fit its own description.
        """
        checkpoint = load_checkpoint(path, KIND)
        meta = checkpoint.meta
        with naming(path):
            theirs = make_game(meta["game"], **meta["game_params"])
            params = described_params(meta, path, device)
            # A short description can name a network of gigabytes: check that the file holds its
            # weights before allocating it.
            fitting_weights(outline(theirs, params), checkpoint.tensors)
            net = cls(theirs, params, run_params=dict(meta["params"]))
            net.restore(checkpoint.tensors, described_episode(meta))
            net.evaluate([theirs.initial_state(player) for player in (1, 2)])
            return net if game is None or theirs == game else net.on(game)
