"""``ANET``: the actor network as the rest of the system uses it.

Letters: B states, S length of a state, F features, A actions.
"""

from __future__ import annotations

import math
import os
from functools import cached_property
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from anet import inference, opinions
from anet.errors import DivergedError, NetError
from anet.networks import OPTIMIZERS, ActorNetwork
from anet.packing import pack
from anet.training import Minibatch, TrainingMetrics, cross_entropy, mean_entropy
from params import ANETParams, ParamsError
from params.check import check_section
from params.yaml12 import Given
from state_manager import Indices, StateManager, make_game
from state_manager.policy import Policy
from storage import CheckpointError, load_checkpoint, save_checkpoint

KIND = "anet"
_OPTIMIZER_PREFIX = "optimizer."
_NETWORK_PREFIX = "network."


class ANET:
    """Maps states to distributions over actions, and learns from cases (state, D).

    Attributes:
        game: What it plays.
        params: Its architecture and optimiser.
        episode: After how many episodes of training it stands.
        run_params: The parameters of the whole run that made it, as plain data.
    """

    def __init__(
        self,
        game: StateManager,
        params: ANETParams | None = None,
        seed: int = 0,
        run_params: dict[str, Any] | None = None,
    ) -> None:
        """Make an untrained net.

        Args:
            game: What it plays.
            params: Architecture and optimiser; the defaults of ``params.yaml`` if ``None``.
            seed: Of the random weights.
            run_params: Kept in its files, for whoever finds them.

        Raises:
            NetError: If the mover's view is asked for in a game that cannot be turned.
        """
        self.game = game
        self.params = params or ANETParams()
        self.episode = 0
        self.run_params = run_params or {}
        self._view = self._second_view()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self._network = ActorNetwork(
                game.num_features,
                game.num_actions,
                self.params.hidden_layers,
                self.params.activation,
                self.params.critic,
            )

    @cached_property
    def _optimizer(self) -> torch.optim.Optimizer:
        """The optimiser, made when training starts: torch takes a second to load its parts."""
        optimizer = OPTIMIZERS[self.params.optimizer]
        return optimizer(self._network.parameters(), lr=self.params.learning_rate)  # type: ignore[call-arg]

    def _second_view(self) -> tuple[Indices, Indices]:
        """Return the input of each feature and the output of each action as player 2 sees them."""
        if self.params.view == "absolute":
            return np.arange(self.game.num_features), np.arange(self.game.num_actions)
        swap = self.game.colour_swap
        if swap is None:
            raise NetError(f"anet.view: expected absolute, {self.game.name} has no colour swap")
        return swap.features, swap.actions

    def policy(self, states: ArrayLike) -> NDArray[np.float64]:
        """Return the softmax over all actions, rescaled to the legal ones.

        Args:
            states: `[S]` or `[B, S]`.

        Returns:
            `[A]` or `[B, A]` float64, zero on illegal actions; rows sum to 1, or to 0 in final
            states.

        Raises:
            StateError: If these are not states of the net's game.
        """
        batch, single = self._batch(states)
        logits, _ = self._evaluate(self.game.observations(batch), batch[:, 0])
        legal = self.game.legal_mask(batch)
        legal[[self.game.is_final(state) for state in batch]] = False
        masked = logits.double().masked_fill(~torch.from_numpy(legal), -torch.inf)
        policy: NDArray[np.float64] = masked.softmax(dim=1).numpy()
        policy[~legal.any(axis=1)] = 0.0  # in final states there is nothing to divide by
        return policy[0] if single else policy

    def value(self, states: ArrayLike) -> NDArray[np.float64]:
        """Return the critic's values in [-1, 1], seen from player 1: `[]` or `[B]`.

        Raises:
            NetError: If the net has no critic.
            StateError: If these are not states of the net's game.
        """
        batch, single = self._batch(states)
        _, values = self._evaluate(self.game.observations(batch), batch[:, 0])
        if values is None:
            raise NetError("expected a net with a critic (anet.critic: true)")
        seen_from_1 = values.double().numpy() * np.where(batch[:, 0] == 1, 1.0, -1.0)
        return seen_from_1[0] if single else seen_from_1

    def _batch(self, states: ArrayLike) -> tuple[NDArray[np.int8], bool]:
        """Return checked states as `[B, S]`, and whether there was only one."""
        given = np.asarray(states)
        single = given.ndim < 2
        rows = given[np.newaxis] if single else given
        batch = np.empty((len(rows), self.game.state_length), np.int8)
        for place, state in zip(batch, rows, strict=True):
            place[:] = self.game.checked(state)
        return batch, single

    def _evaluate(
        self, observations: NDArray[np.float32], movers: NDArray[np.int8]
    ) -> tuple[Tensor, Tensor | None]:
        """Run the network without learning: logits `[B, A]` and the mover's values `[B]`."""
        with torch.inference_mode():
            return self._forward(observations, movers)

    def _forward(
        self, observations: NDArray[np.float32], movers: NDArray[np.int8]
    ) -> tuple[Tensor, Tensor | None]:
        """Turn the boards to the net's view, run it, and turn the actions back."""
        if self.params.view == "absolute":
            return self._network(torch.from_numpy(observations))  # type: ignore[no-any-return]
        second = (movers == 2)[:, np.newaxis]
        turned = np.where(second, observations[:, np.argsort(self._view[0])], observations)
        logits, values = self._network(torch.from_numpy(turned))
        turned_back = logits[:, torch.from_numpy(self._view[1])]
        return torch.where(torch.from_numpy(second), turned_back, logits), values

    def rollout_policy(self, epsilon: float = 0.1) -> Policy:
        """Return the net as a default policy: a copy, with memory for one thread.

        Args:
            epsilon: The probability of any legal action; otherwise the net's first choice.
        """
        net = pack(self._network, self.params.activation, self._view, epsilon)
        critic = opinions.value_head if self.params.critic else None
        return Policy(inference.epsilon_greedy, net, critic, opinions.legal_softmax)

    def train(self, minibatch: Minibatch) -> TrainingMetrics:
        """Take one step of the optimiser on a minibatch of cases.

        Returns:
            What the net was like before the step.

        Raises:
            DivergedError: If the loss or a weight is no longer a finite number.
        """
        legal, targets = torch.from_numpy(minibatch.legal), torch.from_numpy(minibatch.targets)
        logits, values = self._forward(minibatch.observations, minibatch.movers)
        policy_loss = loss = cross_entropy(logits, legal, targets)
        value_loss = None
        if values is not None:
            value_loss = (values - torch.from_numpy(minibatch.values)).square().mean()
            loss = loss + value_loss
        self._check_finite(float(loss.detach()))
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self._optimizer.step()
        first_choice = logits.detach().masked_fill(~legal, -torch.inf).argmax(dim=1)
        return TrainingMetrics(
            loss=float(policy_loss.detach()),
            entropy=mean_entropy(minibatch.targets),
            accuracy=float((first_choice == targets.argmax(dim=1)).double().mean()),
            value_loss=None if value_loss is None else float(value_loss.detach()),
        )

    def _check_finite(self, loss: float) -> None:
        """Raise a ``DivergedError`` for a loss that is no number."""
        if not math.isfinite(loss):
            raise DivergedError(
                f"training diverged: the loss is {loss}; try a smaller anet.learning_rate "
                f"(now {self.params.learning_rate:g}) or another anet.optimizer "
                f"(now {self.params.optimizer})"
            )

    def check_weights(self) -> None:
        """Raise a ``DivergedError`` if any weight is infinite or not a number."""
        total = sum(float(weights.detach().abs().sum()) for weights in self._network.parameters())
        self._check_finite(total)

    def state(self) -> tuple[dict[str, Any], dict[str, Tensor]]:
        """Return all that the net is, as plain data and copies of its tensors."""
        meta = {
            "game": self.game.name,
            "game_params": self.game.params,
            "anet": self.params.model_dump(mode="json"),
            "episode": self.episode,
            "params": self.run_params,
        }
        tensors = {
            _NETWORK_PREFIX + name: tensor.detach().clone()
            for name, tensor in self._network.state_dict().items()
        }
        if "_optimizer" in vars(self):
            for number, values in self._optimizer.state_dict()["state"].items():
                for name, tensor in values.items():
                    tensors[f"{_OPTIMIZER_PREFIX}{number}.{name}"] = tensor.clone()
        return meta, tensors

    def restore(self, tensors: dict[str, Tensor], episode: int) -> None:
        """Take over the weights and the optimiser's state of a net of the same architecture.

        Raises:
            NetError: If the tensors do not fit.
        """
        weights = _under(_NETWORK_PREFIX, tensors)
        own = self._network.state_dict()
        if weights.keys() != own.keys() or any(
            (weights[name].shape, weights[name].dtype) != (own[name].shape, own[name].dtype)
            for name in own
        ):
            raise NetError("expected weights that fit the architecture, these do not")
        if not all(bool(tensor.isfinite().all()) for tensor in weights.values()):
            raise NetError("expected finite weights, some are infinite or not a number")
        self._network.load_state_dict(weights)
        state: dict[int, dict[str, Tensor]] = {}
        for name, tensor in _under(_OPTIMIZER_PREFIX, tensors).items():
            number, _, key = name.partition(".")
            state.setdefault(int(number), {})[key] = tensor.clone()
        if state or "_optimizer" in vars(self):
            groups = self._optimizer.state_dict()["param_groups"]
            self._optimizer.load_state_dict({"state": state, "param_groups": groups})
        self.episode = episode

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the net to a file, whole or not at all."""
        meta, tensors = self.state()
        network = {key: value for key, value in tensors.items() if key.startswith(_NETWORK_PREFIX)}
        save_checkpoint(path, KIND, meta, network)

    @classmethod
    def load(cls, path: str | os.PathLike[str], game: StateManager | None = None) -> Self:
        """Read a net from a file; nothing in the file is executed.

        Args:
            path: The file.
            game: What the net must have been trained for, if that matters.

        Raises:
            CheckpointError: If the file is not a whole net file; one line that names it.
            NetError: If the net is for another game or does not fit its own description.
        """
        checkpoint = load_checkpoint(path, KIND)
        meta = checkpoint.meta
        try:
            theirs = make_game(meta["game"], **meta["game_params"])
            given = {key: Given(value, str(path)) for key, value in meta["anet"].items()}
            params = check_section(ANETParams, "anet.", given, str(path))
            net = cls(theirs, params, run_params=dict(meta["params"]))
            net.restore(checkpoint.tensors, int(meta["episode"]))
        except NetError as error:
            raise NetError(f"{path}: {error}") from error
        except ParamsError as error:
            raise CheckpointError(str(error)) from error
        except KeyError as error:
            raise CheckpointError(f"{path}: expected a net's {error}, got nothing") from error
        except (TypeError, ValueError, AttributeError) as error:
            raise CheckpointError(f"{path}: expected the description of a net: {error}") from error
        if game is not None and theirs != game:
            raise NetError(f"{path}: expected a net for {game!r}, got one for {theirs!r}")
        return net


def _under(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return the tensors whose names begin with a prefix, without it."""
    return {
        name.removeprefix(prefix): tensor
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }
