"""Torch's optimisers without its compiler, which takes 2 s to load and is not used here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import unwrap

import torch
from torch import nn

from base.params import ANETParams

OPTIMIZERS: dict[str, Callable[..., torch.optim.Optimizer]] = {
    "adagrad": torch.optim.Adagrad,
    "sgd": torch.optim.SGD,
    "rmsprop": torch.optim.RMSprop,
    # A fused step takes a quarter of the time.
    "adam": partial(torch.optim.Adam, fused=True),
    "adamw": partial(torch.optim.AdamW, fused=True),
}

for _method in vars(torch.optim.Optimizer).values():
    # Torch looks here for its compiler's version of a method that must not be compiled.
    if hasattr(_method, "__wrapped__"):
        _method.__wrapped__.__dynamo_disable = _method.__wrapped__


def new_optimizer(network: nn.Module, params: ANETParams) -> torch.optim.Optimizer:
    """Return the optimiser named in the parameters, for the weights of a network."""
    return OPTIMIZERS[params.optimizer](network.parameters(), lr=params.learning_rate)


@torch.no_grad()
def take_step(optimizer: torch.optim.Optimizer) -> None:
    """Change the weights by their gradients: do what ``optimizer.step()`` does."""
    unwrap(type(optimizer).step)(optimizer)
