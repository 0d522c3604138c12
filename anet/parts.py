"""A network's pass over a minibatch in parts, which threads may share.

The parts depend on the minibatch alone, and their gradients are added in order: the sum is the same
to the last bit for any number of threads. Torch's own threads divide sums by their number.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from operator import iadd
from typing import Any

import torch
from torch import Tensor, nn

from anet.runtimes.torch_runtime import on_one_core
from base.cluster import Map

Pass = Callable[[Tensor], tuple[Tensor, ...]]
"""Maps inputs `[B, I]` to a network's outputs that are not ``None``, each `[B, ...]`."""


_LEAST_CASES = 128
"""Smallest part of a minibatch; with fewer cases, threads cost more time than they save."""


def most_parts(network: nn.Module, device: torch.device) -> int:
    """Return the largest number of parts: one where a normalisation needs the whole minibatch."""
    kinds = {type(module) for module in network.modules()}
    if nn.BatchNorm2d in kinds or device.type != "cpu":
        return 1
    return 4 if nn.Conv2d in kinds else 2  # more parts would slow a perceptron down


def in_parts(
    network: nn.Module, inputs: Tensor, is_rounded: bool, most: int, sharing: Map
) -> tuple[Tensor, ...]:
    """Return a network's outputs for a minibatch's inputs `[B, I]`, the logits first.

    They are float32; products inside are bfloat16 if ``is_rounded``. ``sharing`` is the ``map``
    over up to ``most`` parts, forward and backward.
    """

    def forward(inputs: Tensor) -> tuple[Tensor, ...]:
        if is_rounded:  # a step casts each weight once
            with torch.autocast(inputs.device.type, torch.bfloat16, cache_enabled=False):
                outputs = network(inputs)
        else:
            outputs = network(inputs)
        return tuple(each.float() for each in outputs if each is not None)

    parts = min(most, max(1, len(inputs) // _LEAST_CASES))
    if parts == 1:
        return forward(inputs)
    of_parts = inputs.tensor_split(parts)
    return _InParts.apply(forward, sharing, of_parts, *network.parameters())  # type: ignore[no-any-return,no-untyped-call]


class _InParts(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, forward: Pass, sharing: Map, parts: Sequence[Tensor], *weights: Tensor
    ) -> tuple[Tensor, ...]:
        def of_part(part: Tensor) -> tuple[Tensor, ...]:
            with on_one_core(), torch.enable_grad():
                return forward(part)

        ctx.weights, ctx.sharing, ctx.outputs = weights, sharing, [*sharing(of_part, parts)]
        return tuple(torch.cat(each).detach() for each in zip(*ctx.outputs, strict=True))

    @staticmethod
    def backward(ctx: Any, *changes: Tensor) -> tuple[Tensor | None, ...]:
        def gradients(outputs: tuple[Tensor, ...], of_outputs: tuple[Tensor, ...]) -> Any:
            with on_one_core():
                return torch.autograd.grad(outputs, ctx.weights, of_outputs, allow_unused=True)

        sizes = [len(outputs[0]) for outputs in ctx.outputs]
        of_parts = zip(*(torch.split(each, sizes) for each in changes), strict=True)
        terms = zip(*ctx.sharing(gradients, ctx.outputs, of_parts), strict=True)
        return None, None, None, *(reduce(iadd, of_weight) for of_weight in terms)
