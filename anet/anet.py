"""``ANET``: the actor network, which learns from cases and evaluates states.

Letters: B states, S length of a state, A actions.
"""

import math
import os
from typing import Any, Literal, Self
from weakref import WeakValueDictionary

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor
from torch.nn.functional import cross_entropy

from anet import weights as named
from anet.errors import DivergedError, NetError
from anet.evaluator import TOO_LARGE, NetEvaluator, Policies, Values
from anet.net_files import naming, read_net
from anet.networks import build_network
from anet.optimizers import OPTIMIZERS
from anet.parts import in_parts, most_parts
from anet.runtimes.torch_runtime import Prepared, choose_device, on_cpu, on_one_core
from anet.training import Minibatch, TrainingMetrics, squared_error
from anet.view import View
from base.cluster import Map
from base.params import ANETParams
from base.storage import save_checkpoint
from state_manager import StateManager

KIND = "anet"
WITHOUT_EFFECT = {"device", "runtime", "precision", "learning_precision"}
"""Parameters that do not describe a net; its file leaves them out."""
OF_LEARNING = {
    "learning_rate", "learning_rate_end", "learning_rate_end_at", "optimizer", "value_weight",
}  # fmt: skip
"""Parameters of the optimiser; the others are the architecture."""

_NEVER = -1e30  # the logit of an illegal action: so low that its probability is 0


class ANET:
    """A map from states to distributions over actions that learns from cases (state, D).

    ``network`` is the torch module with the weights, on ``device``; evaluations use copies of it,
    ``prepared`` from the present weights. ``view`` is the layout of its inputs and outputs.
    ``run_params`` are those of the training run, kept in files; ``episode`` counts its episodes.
    """

    def __init__(
        self,
        game: StateManager,
        params: ANETParams | None = None,
        seed: int = 0,
        run_params: dict[str, Any] | None = None,
    ) -> None:
        """Make an untrained net by ``seed``; a ``NetError`` if game or device do not fit."""
        self.game = game
        self.params = params or ANETParams()
        self.run_params = run_params or {}
        self.episode = 0
        self.device = choose_device(self.params)
        self.view = View(game, self.params)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.network = build_network(self.params, self.view, game.num_actions)
        self.network.to(self.device)
        # Convolutions train a fifth faster with channels last.
        if self.params.sees_planes and self.device.type == "cpu":
            self.network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._most_parts = most_parts(self.network, self.device)
        self._optimizers: list[torch.optim.Optimizer] = []  # one, from its first use on
        self.prepared = Prepared()
        self._evaluators: WeakValueDictionary[Any, NetEvaluator] = WeakValueDictionary()

    def __repr__(self) -> str:
        """Return the kind of net, its game, and how long it learned."""
        kind = f"{type(self).__name__} ({self.params.network})"
        return f"<{kind} for {self.game!r}, episode {self.episode}>"

    @property
    def _optimizer(self) -> torch.optim.Optimizer:
        if not self._optimizers:
            new, rate = OPTIMIZERS[self.params.optimizer], self.params.learning_rate
            self._optimizers.append(new(self.network.parameters(), lr=rate))
        return self._optimizers[0]

    def on(self, game: StateManager) -> Self:
        """Return this net on another board, with its weights; a ``NetError`` if they misfit."""
        games = [(each.name, each.swap_action is None) for each in (game, self.game)]
        if self.params.network != "pooled" or games[0] != games[1]:
            raise NetError(f"expected a net for {game!r}, got one for {self.game!r}")
        other = type(self)(game, self.params, run_params=self.run_params)
        other.network.load_state_dict(self.network.state_dict(keep_vars=True), assign=True)
        other._optimizers, other.prepared = self._optimizers, self.prepared
        other.episode = self.episode
        return other

    def evaluator(
        self, runtime: str | None = None, precision: str | None = None, threads: int = 1
    ) -> NetEvaluator:
        """Return the one evaluator of its kind; a ``NetError`` if the runtime is missing."""
        key = runtime or self.params.runtime, precision or self.params.precision, threads
        found = self._evaluators.get(key)
        return found or self._evaluators.setdefault(key, NetEvaluator(self, *key))

    @on_one_core()
    def train(self, minibatch: Minibatch, sharing: Map = map) -> TrainingMetrics:
        """Take one step of the optimiser on a minibatch; return the metrics before the step.

        ``sharing`` is the ``map`` for its parts, see ``base.cluster``; it does not change the step.
        A loss that is not finite is a ``DivergedError``.
        """
        legal, targets, weights, outcomes = minibatch.tensors(self.device)
        logits, *values = self._outputs(minibatch, sharing)  # [B, A], [B]
        logits = logits.masked_fill(~legal, _NEVER)
        cross_entropies = cross_entropy(logits, targets, reduction="none")  # [B]
        loss = policy_loss = (weights * cross_entropies).mean()
        value_loss = squared_error(values[0], outcomes) if values else None
        if value_loss is not None:
            loss = policy_loss + self.params.value_weight * value_loss
        self._check_finite(loss.item())
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self._optimizer.step()
        self.prepared.clear()
        entropies = torch.special.entr(targets).sum(1)
        agrees = logits.argmax(1) == targets.argmax(1)
        return TrainingMetrics(
            loss=policy_loss.item(),
            entropy=(weights * entropies).mean().item(),
            accuracy=agrees.float().mean().item(),
            value_loss=None if value_loss is None else value_loss.item(),
        )

    def _outputs(self, minibatch: Minibatch, sharing: Map) -> tuple[Tensor, ...]:
        """Return the logits, in the game's order of actions, and the critic's values, if any."""
        movers = minibatch.movers
        inputs = torch.from_numpy(self.view.inputs(minibatch.observations, movers))
        if not self.network.training:
            self.network.train()
        is_rounded = self.params.learning_precision == "bfloat16"
        inputs = inputs.to(self.device)
        logits, *values = in_parts(self.network, inputs, is_rounded, self._most_parts, sharing)
        if self.view.turns:
            places = torch.from_numpy(self.view.layouts[0].outputs[movers - 1])
            logits = logits.gather(1, places.to(self.device))
        return logits, *values

    def set_learning_rate(self, share: float) -> None:
        """Set the optimiser's learning rate to a share of ``anet.learning_rate``."""
        for group in self._optimizer.param_groups:
            group["lr"] = share * self.params.learning_rate

    def _check_finite(self, loss: float) -> None:
        if not math.isfinite(loss):
            raise DivergedError(
                f"training diverged: the loss is {loss}; try a smaller anet.learning_rate "
                f"(now {self.params.learning_rate:g}) or another anet.optimizer "
                f"(now {self.params.optimizer})"
            )

    def check_weights(self) -> None:
        """Raise a ``DivergedError`` if any weight is infinite or not a number."""
        tensors = self.network.state_dict().values()
        self._check_finite(sum(float(weights.detach().abs().sum()) for weights in tensors))

    @property
    def exact(self) -> NetEvaluator:
        """What evaluates the net in torch in float32, as everything but searches does."""
        return self.evaluator("torch", "float32")

    def evaluate(self, states: ArrayLike) -> tuple[Policies, Values | None]:
        """Return policies and values of states, exactly; see ``Evaluator.evaluate``."""
        return self.exact.evaluate(states)

    def policy(self, states: ArrayLike) -> Policies:
        """Return the policies of ``evaluate``."""
        return self.exact.policy(states)

    def value(self, states: ArrayLike) -> Values:
        """Return the values of ``evaluate``; raise a ``NetError`` if the net has no critic."""
        return self.exact.value(states)

    def state(self) -> tuple[dict[str, Any], dict[str, Tensor]]:
        """Return the net's whole state, as plain data and copies of its tensors on the CPU."""
        meta = {
            "game": self.game.name,
            "game_params": self.game.params,
            "anet": self.params.model_dump(mode="json", exclude=WITHOUT_EFFECT),
            "episode": self.episode,
            "params": self.run_params,
        }
        of_optimizer = named.optimizer_tensors(self._optimizer) if self._optimizers else {}
        return meta, self.weights() | of_optimizer

    def weights(self) -> dict[str, Tensor]:
        """Return copies, on the CPU, of the network's tensors; ``restore`` takes them."""
        return named.network_tensors(self.network)

    def restore(self, tensors: dict[str, Tensor], episode: int) -> None:
        """Load weights and the optimiser's state; a ``NetError`` if the tensors do not fit."""
        self.network.load_state_dict(named.fitting_weights(self.network, tensors))
        self.prepared.clear()
        state = named.optimizer_state(self.network, tensors)
        if state or self._optimizers:
            groups = self._optimizer.state_dict()["param_groups"]
            self._optimizer.load_state_dict({"state": state, "param_groups": groups})
        self.episode = episode

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the net for the CPU of another process, without the optimiser."""
        kept = (self.weights(), self.episode)
        return type(self), (self.game, on_cpu(self.params), 0, self.run_params), kept

    def __setstate__(self, kept: tuple[dict[str, Tensor], int]) -> None:
        """Restore the weights and the episode from ``__reduce__``."""
        self.restore(*kept)

    def grown_from(self, other: Self) -> dict[str, Tensor]:
        """Return weights for ``restore``: another net's, widened if this pooled net is larger."""
        mine, theirs = self.params, other.params
        shapes = [(each.hidden_layers, each.activation) for each in (mine, theirs)]
        if shapes[0] == shapes[1] and mine.network == theirs.network == "pooled":
            return named.widened(self.network, other.weights())
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

        A file that is not a whole net is a ``CheckpointError``, a net for another game or
        description a ``NetError``. The weights of a pooled net fit other boards of its game.
        """
        with naming(path):
            file = read_net(path, KIND, device)
            net = cls(file.game, file.params, run_params=file.run_params)
            net.restore(file.tensors, file.episode)
            states = np.stack([net.game.initial_state(player) for player in (1, 2)])
            inputs = net.view.inputs(net.game.observations(states), states[:, 0])
            with torch.inference_mode():
                outputs = net.network.eval()(torch.from_numpy(inputs).to(net.device))
            if not all(bool(each.isfinite().all()) for each in outputs if each is not None):
                raise NetError(TOO_LARGE)
            return net if game is None or net.game == game else net.on(game)
