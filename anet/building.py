"""From parameters to a network, and where it computes."""

from __future__ import annotations

import torch
from torch import nn

from anet.convolutional import ConvolutionalNetwork, ResidualNetwork
from anet.errors import NetError
from anet.networks import ActorNetwork, ResidualMLP
from anet.view import View
from base.params import ANETParams


def build_network(params: ANETParams, view: View, num_actions: int) -> nn.Module:
    """Return the network, with random weights."""
    match params.network:
        case "mlp":
            return ActorNetwork(
                view.num_inputs, num_actions, params.hidden_layers, params.activation, params.critic
            )
        case "residual_mlp":
            return ResidualMLP(view.num_inputs, num_actions, params)
        case "convolutional":
            return ConvolutionalNetwork(view.grid, num_actions, params)
        case "residual":
            return ResidualNetwork(view.grid, num_actions, params, view.action_cells)


def choose_device(params: ANETParams) -> torch.device:
    """Return where the network computes.

    Raises:
        NetError: If that is a GPU and there is none.
    """
    if params.network == "mlp" or params.device == "cpu":
        return torch.device("cpu")
    if torch.cuda.is_available():
        return torch.device("cuda")
    if params.device == "cuda":
        raise NetError("anet.device: expected auto or cpu, got cuda: torch finds no GPU")
    return torch.device("cpu")
