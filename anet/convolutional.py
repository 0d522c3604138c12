"""Networks with convolutions, over a board laid out in planes (see ``view.py``).

The first convolution reads the painted ring around the board; all others see zeros there.

Letters: B states, I inputs, C channels, A actions; R and K rows and columns of the grid.
"""

import copy

import torch
from torch import Tensor, nn
from torch.nn.functional import adaptive_max_pool2d
from torch.nn.utils import fuse_conv_bn_eval

from anet.networks import ACTIVATIONS, ActorNetwork
from anet.view import View
from base.params import ANETParams

_VALUE_PLANES = 8
"""Enough planes that relu does not zero all of them: with two, it did in one trial of six."""

_HEAD_PLANES = 16
"""Planes of a pooled net's heads; its value head reads the mean and the maximum of each."""


class Convolution(nn.Module):
    """A convolution, the batch normalisation of its output, and the activation."""

    def __init__(
        self, inputs: int, outputs: int, params: ANETParams, padding: int = 1, size: int = 3
    ) -> None:
        """Build it; the arguments are numbers of planes. Size 3 without padding drops the ring."""
        super().__init__()
        normalized = params.batch_normalization
        # The normalisation subtracts the mean, and a bias with it.
        self.convolution = nn.Conv2d(inputs, outputs, size, padding=padding, bias=not normalized)
        self.normalization = nn.BatchNorm2d(outputs) if normalized else nn.Identity()
        self.activation = ACTIVATIONS[params.activation]()

    def forward(self, planes: Tensor, added: Tensor | None = None) -> Tensor:
        """Map `[B, inputs, ...]` to `[B, outputs, ...]`; add ``added`` before the activation."""
        sums = self.normalization(self.convolution(planes))
        activated: Tensor = self.activation(sums if added is None else sums.add_(added))
        return activated

    def silence(self) -> None:
        """Set the weights so that the output is 0 before training."""
        if isinstance(self.normalization, nn.BatchNorm2d):
            nn.init.zeros_(self.normalization.weight)
        else:
            for parameter in self.convolution.parameters():
                nn.init.zeros_(parameter)


def without_normalizations(network: nn.Module) -> nn.Module:
    """Return a copy for evaluation, with batch normalisations folded into convolutions."""
    network = copy.deepcopy(network).eval().requires_grad_(False)
    for module in network.modules():
        if isinstance(module, Convolution) and isinstance(module.normalization, nn.BatchNorm2d):
            module.convolution = fuse_conv_bn_eval(module.convolution, module.normalization)
            module.normalization = nn.Identity()
    return network


class ConvolutionalNetwork(nn.Module):
    """Convolutions, each activated, and an ``ActorNetwork`` over their output."""

    def __init__(self, view: View, num_actions: int, params: ANETParams) -> None:
        """Build the layers with torch's default random weights; see ``BuildNetwork``."""
        super().__init__()
        self.shape, channels = view.shape, params.channels
        self.convolutions = nn.Sequential(
            Convolution(view.shape[0], channels, params, padding=0),
            *(Convolution(channels, channels, params) for _ in range(1, params.blocks)),
        )
        layers, activation = params.hidden_layers, params.activation
        cells = channels * view.grid[0] * view.grid[1]
        self.head = ActorNetwork(cells, num_actions, layers, activation, params.critic)

    def forward(self, inputs: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return the policy logits `[B, A]`, and the values `[B]` in [-1, 1] seen by the mover."""
        planes = inputs.view(inputs.shape[0], *self.shape)  # [B, 4, R + 2, K + 2]
        planes = self.convolutions(planes)  # [B, C, R, K]
        return self.head(planes.flatten(1))  # type: ignore[no-any-return]


class Pooling(nn.Module):
    """Global pooling: a linear map of the planes' means and maxima (Wu 2019, section 3.3)."""

    def __init__(self, inputs: int, outputs: int) -> None:
        """Build it for numbers of input and output planes."""
        super().__init__()
        self.linear = nn.Linear(2 * inputs, outputs)

    def forward(self, planes: Tensor) -> Tensor:
        """Map `[B, inputs, R, K]` to `[B, outputs, 1, 1]`."""
        summary: Tensor = self.linear(pooled(planes))
        return summary[:, :, None, None]


def pooled(planes: Tensor) -> Tensor:
    """Return means and maxima, `[B, 2 * P]` of `[B, P, R, K]`; ``mean`` and ``amax`` are slow."""
    means = planes.sum((2, 3)) / (planes.shape[2] * planes.shape[3])
    return torch.cat([means, adaptive_max_pool2d(planes, 1).flatten(1)], dim=1)


class ResidualBlock(nn.Module):
    """Two convolutions with a skip connection (He et al. 2016); at first nearly the identity."""

    def __init__(self, params: ANETParams, pools: bool = False) -> None:
        """Build it; if it ``pools``, the first convolution also receives a ``Pooling``."""
        super().__init__()
        channels = params.channels
        self.first = Convolution(channels, channels, params)
        self.pooling = Pooling(channels, channels) if pools else None
        self.second = Convolution(channels, channels, params)
        self.second.silence()

    def forward(self, planes: Tensor) -> Tensor:
        """Map `[B, C, R, K]` to the same shape."""
        summary = None if self.pooling is None else self.pooling(planes)
        changed: Tensor = self.second(self.first(planes, summary), planes)
        return changed


class ResidualNetwork(nn.Module):
    """A tower of residual blocks with a policy head and, if there is a critic, a value head.

    The policy head is a linear layer over one or more planes. Where actions are cells there is one
    plane, and the layer begins as the identity; the swap's logit begins as 0.
    """

    def __init__(self, view: View, num_actions: int, params: ANETParams) -> None:
        """Build the layers with torch's default random weights; see ``BuildNetwork``."""
        super().__init__()
        self.shape, action_cells = view.shape, view.action_cells
        cells, channels = view.grid[0] * view.grid[1], params.channels
        self.stem = Convolution(view.shape[0], channels, params, padding=0)
        self.activation = ACTIVATIONS[params.activation]()
        self.blocks = nn.Sequential(*(ResidualBlock(params) for _ in range(params.blocks)))
        policy_planes = 1 if action_cells is not None else max(2, -(-num_actions // cells))
        self.policy_planes = nn.Conv2d(channels, policy_planes, 1)
        self.policy_head = nn.Linear(policy_planes * cells, num_actions)
        if action_cells is not None:
            identity = torch.zeros_like(self.policy_head.weight)
            identity[torch.arange(len(action_cells)), torch.from_numpy(action_cells)] = 1.0
            self.policy_head.weight = nn.Parameter(identity)
            nn.init.zeros_(self.policy_head.bias)
        self.value_planes: nn.Conv2d | None = None
        if params.critic:
            self.value_planes = nn.Conv2d(channels, _VALUE_PLANES, 1)
            self.value_head = ActorNetwork(
                _VALUE_PLANES * cells, 1, params.hidden_layers, params.activation, critic=False
            )

    def forward(self, inputs: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return the policy logits `[B, A]`, and the values `[B]` in [-1, 1] seen by the mover."""
        planes = inputs.view(inputs.shape[0], *self.shape)  # [B, 4, R + 2, K + 2]
        planes = self.blocks(self.stem(planes))  # [B, C, R, K]
        policy_logits = self.policy_head(self.policy_planes(planes).flatten(1))  # [B, A]
        if self.value_planes is None:
            return policy_logits, None
        value_planes = self.activation(self.value_planes(planes)).flatten(1)  # [B, 8 * R * K]
        value, _ = self.value_head(value_planes)  # [B, 1]
        return policy_logits, torch.tanh(value).squeeze(-1)


class PooledNetwork(nn.Module):
    """A tower of residual blocks whose weights fit a board of any size.

    Every second block has a ``Pooling``, and so has the policy head, which ends with one plane: the
    logits of the cells' actions. The value head and the swap's logit read means and maxima.
    """

    def __init__(self, view: View, num_actions: int, params: ANETParams) -> None:
        """Build the layers with torch's default random weights; see ``BuildNetwork``."""
        super().__init__()
        action_cells = view.action_cells
        assert action_cells is not None  # a view refuses other games
        self.shape, channels = view.shape, params.channels
        self.register_buffer("action_cells", torch.from_numpy(action_cells), persistent=False)
        self.stem = Convolution(view.shape[0], channels, params, padding=0)
        self.blocks = nn.Sequential(
            *(ResidualBlock(params, pools=number % 2 == 1) for number in range(params.blocks))
        )
        plain = params.model_copy(update={"batch_normalization": False})
        self.policy_planes = Convolution(channels, _HEAD_PLANES, plain, padding=0, size=1)
        self.policy_pooling = Pooling(channels, _HEAD_PLANES)
        self.policy_head = nn.Linear(_HEAD_PLANES, 1)
        swap = num_actions > len(action_cells)
        self.swap_head = nn.Linear(2 * _HEAD_PLANES, 1) if swap else None
        self.value_planes: Convolution | None = None
        if params.critic:
            self.value_planes = Convolution(channels, _HEAD_PLANES, plain, padding=0, size=1)
            self.value_head = ActorNetwork(
                2 * _HEAD_PLANES, 1, params.hidden_layers, params.activation, critic=False
            )

    def forward(self, inputs: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return the policy logits `[B, A]`, and the values `[B]` in [-1, 1] seen by the mover."""
        planes = inputs.view(inputs.shape[0], *self.shape)  # [B, 4, R + 2, K + 2]
        planes = self.blocks(self.stem(planes))  # [B, C, R, K]
        policy_planes = self.policy_planes(planes, self.policy_pooling(planes))  # [B, 16, R, K]
        cells = self.policy_head(policy_planes.permute(0, 2, 3, 1)).flatten(1)  # [B, R * K]
        policy_logits = cells.index_select(1, self.action_cells)  # [B, A]
        if self.swap_head is not None:
            policy_logits = torch.cat([policy_logits, self.swap_head(pooled(policy_planes))], dim=1)
        if self.value_planes is None:
            return policy_logits, None
        value, _ = self.value_head(pooled(self.value_planes(planes)))  # [B, 1]
        return policy_logits, torch.tanh(value).squeeze(-1)
