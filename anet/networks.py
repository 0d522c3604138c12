"""The actor network: a multi-layer perceptron over a game's binary features.

Letters: B states, F features, A actions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor, nn

from anet.errors import NetError
from base.params import ANETParams
from base.registry import NETWORKS

if TYPE_CHECKING:
    from anet.view import View

ACTIVATIONS: dict[str, Callable[[], nn.Module]] = {
    "linear": nn.Identity,
    "sigmoid": nn.Sigmoid,
    "tanh": nn.Tanh,
    "relu": partial(nn.ReLU, inplace=True),  # needs no memory but its output
}

BuildNetwork = Callable[["View", int, ANETParams], nn.Module]
"""``build(view, num_actions, params)``: a network with random weights for a view's inputs. It maps
inputs `[B, I]` to policy logits `[B, A]`, and values `[B]` in [-1, 1], seen by the mover; ``None``
instead of values if ``params.critic`` is False."""


def build_network(params: ANETParams, view: View, num_actions: int) -> nn.Module:
    """Return the network named in the parameters, with random weights."""
    build = cast(BuildNetwork, NETWORKS.find(params.network))
    return build(view, num_actions, params)


class _Headed(nn.Module):
    def add_heads(self, width: int, num_actions: int, critic: bool) -> None:
        self.policy_head = nn.Linear(width, num_actions)
        self.value_head = nn.Linear(width, 1) if critic else None

    def heads(self, hidden: Tensor) -> tuple[Tensor, Tensor | None]:
        policy_logits = self.policy_head(hidden)  # [B, A]
        if self.value_head is None:
            return policy_logits, None
        return policy_logits, torch.tanh(self.value_head(hidden)).squeeze(-1)  # [B]


class ActorNetwork(_Headed):
    """Hidden layers, a policy head, and a value head if there is a critic."""

    def __init__(
        self,
        num_features: int,
        num_actions: int,
        hidden_layers: Sequence[int],
        activation: str,
        critic: bool,
    ) -> None:
        """Build the layers with torch's default random weights; see ``ANETParams``."""
        super().__init__()
        sizes = [num_features, *hidden_layers]
        self.hidden = nn.ModuleList(nn.Linear(*both) for both in pairwise(sizes))
        self.activation = ACTIVATIONS[activation]()
        self.add_heads(sizes[-1], num_actions, critic)

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return the policy logits `[B, A]`, and the values `[B]` in [-1, 1] seen by the mover."""
        hidden = features  # [B, F]
        for layer in self.hidden:
            hidden = self.activation(layer(hidden))  # [B, neurons]
        return self.heads(hidden)


def perceptron(view: View, num_actions: int, params: ANETParams) -> ActorNetwork:
    """Build an ``ActorNetwork``; see ``BuildNetwork``."""
    hidden, activation = params.hidden_layers, params.activation
    return ActorNetwork(view.num_inputs, num_actions, hidden, activation, params.critic)


class ResidualMLP(_Headed):
    """A perceptron with a skip connection past every layer but the first: h = h + relu(W h + b)."""

    def __init__(self, view: View, num_actions: int, params: ANETParams) -> None:
        """Build the layers with torch's default random weights; they must all have one width."""
        super().__init__()
        widths = set(params.hidden_layers)
        if len(widths) != 1:
            raise NetError(
                "anet.hidden_layers: expected layers of one width for a residual_mlp, "
                f"got {list(params.hidden_layers)}"
            )
        width = widths.pop()
        self.activation = ACTIVATIONS[params.activation]()
        self.stem = nn.Linear(view.num_inputs, width)
        self.blocks = nn.ModuleList(nn.Linear(width, width) for _ in params.hidden_layers[1:])
        self.add_heads(width, num_actions, params.critic)

    def forward(self, inputs: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return the policy logits `[B, A]`, and the values `[B]` in [-1, 1] seen by the mover."""
        hidden = self.activation(self.stem(inputs))  # [B, width]
        for block in self.blocks:
            hidden = hidden + self.activation(block(hidden))  # [B, width]
        return self.heads(hidden)
