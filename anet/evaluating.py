"""Forward passes for evaluation alone, with fewer steps and less Python between them.

Letters: B states, C channels, R and K rows and columns of the grid.
"""

import copy
import threading
import warnings
from collections.abc import Callable
from functools import cache, partial, reduce
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils import fuse_conv_bn_eval

from anet.convolutional import Convolution

Evaluate = Callable[[Tensor], tuple[Tensor, Tensor | None]]

_FEW = 4
"""Up to this batch size, convolutions are faster without oneDNN, which takes 30 us a call."""


def for_evaluation(network: nn.Module) -> Evaluate:
    """Return a copy of the network's forward pass, with normalisations folded into convolutions.

    Its outputs are the network's up to rounding, and bit-reproducible for one batch size.
    """
    evaluate: Evaluate = _plain(copy.deepcopy(network).eval().requires_grad_(False))
    return evaluate


class _WithoutNone(nn.Module):
    """A network that returns no ``None``: only the logits, if it has no critic."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, inputs: Tensor) -> tuple[Tensor, ...]:
        return tuple(each for each in self.network(inputs) if each is not None)


def in_openvino(network: nn.Module, num_inputs: int, precision: str = "f32") -> Evaluate:
    """Return the forward pass in OpenVINO, which takes half a second to prepare.

    Towers of convolutions are a fifth to a quarter faster in it. The result is thread-safe.
    """
    from openvino.frontend import FrontEndManager
    from openvino.frontend.pytorch.ts_decoder import TorchScriptPythonDecoder

    still = _WithoutNone(copy.deepcopy(network)).eval().requires_grad_(False)
    with warnings.catch_warnings():  # torch has a newer form, which takes longer to make
        warnings.simplefilter("ignore", DeprecationWarning)
        traced = torch.jit.trace(still, torch.zeros(2, num_inputs), check_trace=False)  # type: ignore[no-untyped-call]
    decoder = TorchScriptPythonDecoder(traced)
    frontend = FrontEndManager().load_by_framework("pytorch")
    model = frontend.convert(frontend.load(decoder))
    # The defaults are all cores, and half precision where the processor has it.
    options = {"INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": precision}

    @cache
    def compiled(batch: int) -> Any:
        sized = model.clone()
        sized.reshape({0: [batch, num_inputs]})
        return _openvino().compile_model(sized, "CPU", options)

    local = threading.local()

    def evaluate(inputs: Tensor) -> tuple[Tensor, Tensor | None]:
        # A fixed batch size is faster; powers of two, the usual sizes, each have a model.
        batch = len(inputs) if len(inputs).bit_count() == 1 else -1
        requests = vars(local).setdefault("requests", {})
        if batch not in requests:
            requests[batch] = compiled(batch).create_infer_request()
        found = requests[batch].infer([inputs.numpy()], share_inputs=True)
        logits, *values = (torch.from_numpy(each) for each in found.to_tuple())
        return logits, values[0] if values else None

    return evaluate


@cache
def _openvino() -> Any:
    """Return OpenVINO's core, kept for ever: its end would free the stack of signal handlers."""
    import openvino

    return openvino.Core()


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
    """Return the forward pass of a ``Convolution``, with its normalisation folded in."""
    convolution = module.convolution
    if isinstance(module.normalization, nn.BatchNorm2d):
        convolution = fuse_conv_bn_eval(convolution, module.normalization)
    sums, activation = _sums(convolution), _plain(module.activation)

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
