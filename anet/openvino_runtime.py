"""Forward passes in OpenVINO, in float32, bfloat16 or int8.

The processor decides which is fastest: bfloat16 and int8 with AMX, int8 with VNNI alone. In int8,
8-bit weights, with a scale for each output, are multiplied by 8-bit inputs. Only the layers that
take most of the time are quantised: convolutions over neighbours, or a perceptron's wide layers.
The heads stay in float32, since an error there is an error of the evaluation.
"""

import threading
import timeit
import warnings
from functools import cache
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from anet.convolutional import without_normalizations
from anet.evaluating import NO_VALUES, PREPARING, Evaluate, Floats
from base.cluster import available_cores

_HINTS = {"float32": "f32", "bfloat16": "bf16", "int8": "f32"}
_LEAST_WIDTH = 64
"""Inputs and outputs of a perceptron's layer from which int8 pays."""
_WORTH_THREADS = 0.8
_RUNS = 10
"""Evaluations that are measured."""


class _WithoutNone(nn.Module):
    """A network that returns no ``None``: only the logits, if it has no critic."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, inputs: Tensor) -> tuple[Tensor, ...]:
        return tuple(each for each in self.network(inputs) if each is not None)


def in_openvino(network: nn.Module, precision: str, examples: Tensor, threads: int = 1) -> Evaluate:
    """Return the forward pass in OpenVINO, which takes a second or two to prepare.

    Bit-reproducible on one kind of processor, for one batch size. The result is thread-safe.

    Args:
        network: The network.
        precision: ``float32``, ``bfloat16`` or ``int8``, inside the network; its inputs and
            outputs are float32.
        examples: `[B, I]`, inputs that determine the ranges of int8.
        threads: Threads that evaluate a batch together where that saves a fifth of the time, as
            measured for each batch size; calls at the same time share them.
    """
    still, num_inputs = _WithoutNone(without_normalizations(network)), examples.shape[1]
    if precision == "int8":
        _quantize(still, examples)
    model = _converted(still, num_inputs)

    @cache
    def compiled(batch: int) -> Any:
        sized = model.clone()
        sized.reshape({0: [batch, num_inputs]})
        alone = _compiled(sized, precision, 1)
        if threads == 1 or batch < 2:
            return alone
        together = _compiled(sized, precision, threads)
        inputs = np.zeros((batch, num_inputs), np.float32)
        is_faster = _seconds(together, inputs) < _WORTH_THREADS * _seconds(alone, inputs)
        return together if is_faster else alone

    local = threading.local()

    def evaluate(inputs: Floats) -> tuple[Floats, Floats]:
        # A fixed batch size is faster; powers of two, the usual sizes, each have a model.
        batch = len(inputs) if len(inputs).bit_count() == 1 else -1
        requests = vars(local).setdefault("requests", {})
        if batch not in requests:
            with PREPARING:
                requests[batch] = compiled(batch).create_infer_request()
        logits, *values = requests[batch].infer(inputs, share_inputs=True).to_tuple()
        return logits, values[0] if values else NO_VALUES

    return evaluate


class _Quantized(nn.Module):
    """A layer with rounded inputs and weights, which OpenVINO computes in int8."""

    def __init__(self, layer: nn.Conv2d | nn.Linear, examples: Tensor) -> None:
        """Quantise a layer; ``examples`` are inputs of it, which determine their range."""
        super().__init__()
        low, high = float(examples.min()), float(examples.max())
        # Rounding leaves 0 as it is.
        self.lowest = 0 if low >= 0.0 else -128
        self.step = max(1e-8, high / 255 if low >= 0.0 else max(-low, high) / 127)
        weights = layer.weight.flatten(2) if layer.weight.ndim == 4 else layer.weight[:, :, None]
        self.scales = weights.abs().amax((1, 2)).clamp(min=1e-8) / 127
        self.zeros = torch.zeros(len(weights), dtype=torch.int32)
        self.layer = layer
        # An error of a weight shifts the output by the error times the mean input.
        errors = (layer.weight - self._rounded_weight()).reshape(weights.shape).sum(2)
        shift = errors @ examples.transpose(0, 1).flatten(1).mean(1)
        shifted = shift if layer.bias is None else layer.bias + shift
        layer.bias = nn.Parameter(shifted, requires_grad=False)

    def _rounded_weight(self) -> Tensor:
        weight, scales, zeros = self.layer.weight, self.scales, self.zeros
        return torch.fake_quantize_per_channel_affine(weight, scales, zeros, 0, -127, 127)

    def forward(self, inputs: Tensor) -> Tensor:
        """Do what the layer does."""
        last, weight = self.lowest + 255, self._rounded_weight()
        inputs = torch.fake_quantize_per_tensor_affine(inputs, self.step, 0, self.lowest, last)
        if isinstance(self.layer, nn.Linear):
            return nn.functional.linear(inputs, weight, self.layer.bias)
        return nn.functional.conv2d(inputs, weight, self.layer.bias, padding=self.layer.padding)


def _quantize(network: nn.Module, examples: Tensor) -> None:
    """Quantise a network's convolutions over neighbours; without any, its wide linear layers."""
    layers = {
        name: each
        for name, each in network.named_modules()
        if (isinstance(each, nn.Conv2d) and each.kernel_size > (1, 1))
        or (isinstance(each, nn.Linear) and min(each.weight.shape) >= _LEAST_WIDTH)
    }
    if any(isinstance(each, nn.Conv2d) for each in layers.values()):
        layers = {name: each for name, each in layers.items() if isinstance(each, nn.Conv2d)}
    seen: dict[nn.Module, Tensor] = {}

    def remember(layer: nn.Module, given: tuple[Tensor]) -> None:
        seen[layer] = given[0].clone()  # an activation may change it in place

    hooks = [each.register_forward_pre_hook(remember) for each in layers.values()]
    network(examples)
    for hook in hooks:
        hook.remove()
    for name, each in layers.items():
        parent, _, attribute = name.rpartition(".")
        setattr(network.get_submodule(parent), attribute, _Quantized(each, seen[each]))


def _converted(network: nn.Module, num_inputs: int) -> Any:
    """Return the network as a model of OpenVINO, for batches of any size."""
    import openvino
    from openvino import opset13 as operators
    from openvino.frontend import FrontEndManager
    from openvino.frontend.pytorch.ts_decoder import TorchScriptPythonDecoder

    with warnings.catch_warnings():  # torch has a newer form, which takes longer to make
        warnings.simplefilter("ignore", DeprecationWarning)
        traced = torch.jit.trace(network, torch.zeros(2, num_inputs), check_trace=False)  # type: ignore[no-untyped-call]
    decoder = TorchScriptPythonDecoder(traced)
    frontend = FrontEndManager().load_by_framework("pytorch")
    model = frontend.convert(frontend.load(decoder))
    # OpenVINO computes in int8 only where the ends of the ranges are constants.
    rounded = [node for node in model.get_ordered_ops() if node.get_type_name() == "FakeQuantize"]
    ends = [port for node in rounded for port in node.inputs()[1:]]
    if ends:
        sources = openvino.Model([port.get_source_output() for port in ends], [])
        found = _compiled(sources, "float32", 1)([]).to_tuple()
        for port, values in zip(ends, found, strict=True):
            port.replace_source_output(operators.constant(values.copy()).output(0))
    return model


def _compiled(model: Any, precision: str, threads: int) -> Any:
    """Return a model whose evaluations take ``threads`` threads, several at once on more cores."""
    streams = max(1, available_cores() // threads)
    options = {
        "INFERENCE_NUM_THREADS": threads * streams,
        "NUM_STREAMS": streams,
        # The default is half precision where the processor has it.
        "INFERENCE_PRECISION_HINT": _HINTS[precision],
        # Otherwise the threads of all models, and of other processes, share the first core.
        "ENABLE_CPU_PINNING": False,
    }
    return _core().compile_model(model, "CPU", options)


def _seconds(model: Any, inputs: Floats) -> float:
    """Return the shortest time of an evaluation, in seconds."""
    request = model.create_infer_request()
    return min(timeit.repeat(lambda: request.infer([inputs]), number=1, repeat=_RUNS))


@cache
def _core() -> Any:
    """Return OpenVINO's core, cached for the life of the process.

    Freeing it would free the stack of its signal handlers, and Ctrl-C would end the process with a
    segmentation fault.
    """
    import openvino

    return openvino.Core()
