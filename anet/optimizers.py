"""Torch's optimisers without its compiler, and Muon for the weights of convolutions.

AdamW scales each weight by itself, so a few directions, in which all gradients are large, take most
of a step. Muon takes steps of equal size in all directions of a matrix: it replaces the mean
gradient by a matrix near the closest orthogonal one.
"""

import inspect
from collections.abc import Callable
from functools import partial
from math import sqrt
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from base.params.schema import LEAST_PLANES

_MOMENTUM = 0.95
_ROUNDS = 5
_RMS = 0.2
"""Root mean square of a step at rate 1, as AdamW's: so both learn at one rate (Liu et al. 2025)."""


def plain(optimizer: type[Optimizer]) -> Any:
    """Return a subclass of one of torch's optimisers that takes the same steps without wrappers.

    Torch's wrappers run hooks and keep its compiler away from these methods. They import the
    compiler, which takes a second and 70 MB, and are a good part of a small net's step; nothing is
    compiled here.
    """
    wrapped = "add_param_group", "zero_grad", "state_dict", "load_state_dict"
    methods: dict[str, Any] = {each: inspect.unwrap(getattr(optimizer, each)) for each in wrapped}
    methods["step"] = torch.no_grad()(inspect.unwrap(optimizer.step))
    methods["step"].hooked = True  # else torch adds a wrapper for its profiler
    return type(optimizer.__name__, (optimizer,), methods)


class Muon(plain(torch.optim.AdamW)):  # type: ignore[misc]
    """Muon (Jordan et al. 2024) for wide convolutions, which torch's does not take; else AdamW."""

    @torch.no_grad()
    def step(self) -> None:
        """Update all weights that have a gradient; afterwards, convolutions have none."""
        for group in self.param_groups:
            for weights in group["params"]:
                is_matrix = weights.ndim == 4 and min(weights.shape[:2]) >= LEAST_PLANES
                if is_matrix and weights.grad is not None:
                    self._move(weights, weights.grad, group["lr"], group["weight_decay"])
                    weights.grad = None  # AdamW leaves it out
        super().step()

    def _move(self, weights: Tensor, gradient: Tensor, rate: float, decay: float) -> None:
        state = self.state[weights]
        if not state:
            # AdamW expects a number of steps where there is a state.
            state.update(step=torch.zeros(()), mean=torch.zeros_like(weights))
        mean = state["mean"].lerp_(gradient, 1.0 - _MOMENTUM)
        matrix = gradient.lerp(mean, _MOMENTUM).flatten(1)  # Nesterov's
        change = orthogonal(matrix).view(weights.shape)
        weights.mul_(1.0 - rate * decay)
        weights.sub_(change, alpha=rate * _RMS * sqrt(max(matrix.shape)))


def orthogonal(matrix: Tensor) -> Tensor:
    """Return a matrix with the same singular vectors, `[M, N]`, and singular values near 1.

    Newton and Schulz's iteration, with Jordan's coefficients: singular values from 0.0015 of the
    matrix's norm on come between 0.65 and 1.21. It works on the product of the matrix and its
    transpose, `[M, M]`, where M is the smaller side.
    """
    if matrix.shape[0] > matrix.shape[1]:
        return orthogonal(matrix.T).T
    matrix = matrix / matrix.norm().clamp(min=1e-7)
    squares = matrix @ matrix.T
    one = torch.eye(len(matrix), device=matrix.device)
    factor = one
    for _ in range(_ROUNDS):
        current = factor @ squares @ factor
        factor = (3.4445 * one - 4.7750 * current + 2.0315 * current @ current) @ factor
    return factor @ matrix


OPTIMIZERS: dict[str, Callable[..., Optimizer]] = {
    "adagrad": plain(torch.optim.Adagrad),
    "sgd": plain(torch.optim.SGD),
    "rmsprop": plain(torch.optim.RMSprop),
    # A fused step takes a quarter of the time.
    "adam": partial(plain(torch.optim.Adam), fused=True),
    "adamw": partial(plain(torch.optim.AdamW), fused=True),
    "muon": partial(Muon, fused=True),
}
