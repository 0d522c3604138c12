"""Forward passes for evaluation alone, with fewer steps and less Python between them.

Letters: B states, C channels, R and K rows and columns of the grid.
"""

from collections.abc import Callable
from functools import partial, reduce
from threading import RLock
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from anet.convolutional import Convolution, without_normalizations

Floats = NDArray[np.float32]
Evaluate = Callable[[Floats], tuple[Floats, Floats]]
"""``evaluate(inputs) -> logits, values``: `[B, A]` and `[B]` for inputs `[B, I]`; the values are
`[0]` without a critic."""

NO_VALUES = np.empty(0, np.float32)

PREPARING = RLock()
"""Held while a forward pass is prepared: torch traces one network at a time."""

_FEW = 4
"""Up to this batch size, convolutions are faster without oneDNN, which takes 30 us a call."""


def keep_to_one_core() -> None:
    """Apply ``torch.set_num_threads`` to the calling thread, which this call does in torch."""
    torch.get_num_threads()


def in_torch(
    network: nn.Module, device: torch.device, precision: torch.dtype = torch.float32
) -> Evaluate:
    """Return the forward pass in torch, with numbers of a precision."""
    forward = for_evaluation(network, precision)

    def evaluate(inputs: Floats) -> tuple[Floats, Floats]:
        keep_to_one_core()
        with torch.inference_mode():
            logits, values = forward(torch.from_numpy(inputs).to(device, precision))
        seen = NO_VALUES if values is None else values.float().cpu().contiguous().numpy()
        return logits.float().cpu().contiguous().numpy(), seen

    return evaluate


def for_evaluation(
    network: nn.Module, precision: torch.dtype = torch.float32
) -> Callable[[Tensor], tuple[Tensor, Tensor | None]]:
    """Return a copy of the network's forward pass, with normalisations folded into convolutions.

    Its outputs are the network's up to rounding, and bit-reproducible for one batch size.
    """
    return _plain(without_normalizations(network).to(precision))  # type: ignore[no-any-return]


def _plain(module: nn.Module) -> Any:
    """Return a module as plain functions, which saves torch's 2 us for each module call."""
    match module:
        case Convolution():
            return _activated(module)
        case nn.Conv2d():
            return _sums(module)
        case nn.Linear():
            return _linear(module.weight, module.bias)
        case nn.ReLU():
            return torch.relu_
        case nn.ModuleList():
            return [_plain(each) for each in module]
        case nn.Sequential():
            steps = [_plain(each) for each in module]
            return lambda planes: reduce(lambda so_far, step: step(so_far), steps, planes)
    for name, part in [*module.named_children()]:
        del module._modules[name]
        vars(module)[name] = _plain(part)
    return module.forward


def _linear(weight: Tensor, bias: Tensor | None) -> Callable[[Tensor], Tensor]:
    """Return a linear layer; on the CPU, a product and a sum are faster than one call for both."""
    if weight.device.type != "cpu" or bias is None:
        return partial(nn.functional.linear, weight=weight, bias=bias)
    transposed = weight.t().contiguous()
    return lambda inputs: torch.matmul(inputs, transposed).add_(bias)


def _activated(module: Convolution) -> Callable[..., Tensor]:
    """Return the forward pass of a ``Convolution`` without normalisation."""
    sums, activation = _sums(module.convolution), _plain(module.activation)

    def activated(planes: Tensor, added: Tensor | None = None) -> Tensor:
        changed: Tensor = sums(planes) if added is None else sums(planes).add_(added)
        return activation(changed)  # type: ignore[no-any-return]

    return activated


def _sums(convolution: nn.Conv2d) -> Callable[[Tensor], Tensor]:
    """Return a convolution, channels last, with the fastest implementation for each batch size."""
    weight = convolution.weight.contiguous(memory_format=torch.channels_last)
    bias, padding, size = convolution.bias, convolution.padding, convolution.kernel_size
    if weight.device.type != "cpu" or not hasattr(torch.ops.mkldnn, "_convolution_pointwise"):
        return partial(torch.conv2d, weight=weight, bias=bias, padding=padding)
    if size == (1, 1):
        of_cells = _linear(weight.flatten(1), bias)
        return lambda planes: of_cells(planes.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
    shape = [128, convolution.in_channels, 9, 9]
    packed = torch.ops.mkldnn._reorder_convolution_weight(weight, padding, (1, 1), (1, 1), 1, shape)
    few: Callable[..., Tensor] = torch._C._nn.thnn_conv2d  # type: ignore[attr-defined]
    many: Callable[..., Tensor] = torch.ops.mkldnn._convolution_pointwise.default

    def sums(planes: Tensor) -> Tensor:
        if len(planes) <= _FEW:
            return few(planes, weight, size, bias, (1, 1), padding)
        return many(planes, packed, bias, padding, (1, 1), (1, 1), 1, "none", [], "")

    return sums
