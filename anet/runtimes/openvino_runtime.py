"""Forward passes in OpenVINO, in float32, bfloat16 or int8; and strangers' ONNX files.

The processor decides which is fastest: bfloat16 and int8 with AMX, int8 with VNNI alone.
"""

import io
import threading
import timeit
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from anet.errors import NetError
from anet.runtimes.int8 import quantized
from anet.runtimes.torch_runtime import NO_VALUES, PREPARING, Floats, Forward, traced
from base.cluster import available_cores

_HINTS = {"float32": "f32", "bfloat16": "bf16", "int8": "f32"}
_WORTH_THREADS = 0.8
_RUNS = 10  # evaluations that are measured


def in_openvino(network: nn.Module, precision: str, examples: Tensor, threads: int = 1) -> Forward:
    """Return the forward pass in OpenVINO, thread-safe, which takes a second or two to prepare.

    It is bit-reproducible on one kind of processor, for one batch size. Inputs and outputs are
    float32; ``precision`` is that inside the network. ``examples``, `[B, I]`, determine the ranges
    of int8. That many threads evaluate a batch together where that saves a fifth of the time, as
    measured for each batch size; calls at the same time share them.
    """
    num_inputs = examples.shape[1]
    if precision == "int8":
        network = quantized(network, examples)
    model = _converted(traced(network, torch.zeros(2, num_inputs)))

    @cache
    def compiled(batch: int) -> Any:
        sized = model.clone()
        sized.reshape({0: [batch, num_inputs]})
        if threads == 1 or batch < 2:
            return compiled_model(sized, precision, 1)
        models = {count: compiled_model(sized, precision, count) for count in (1, threads)}
        inputs = np.zeros((batch, num_inputs), np.float32)
        return models[threads_for(threads, lambda count: _seconds(models[count], inputs))]

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


def threads_for(threads: int, seconds: Callable[[int], float]) -> int:
    """Return ``threads`` if they evaluate a batch clearly faster than one, else 1."""
    return threads if seconds(threads) < _WORTH_THREADS * seconds(1) else 1


def _converted(graph: Any) -> Any:
    import openvino
    from openvino import opset13 as operators
    from openvino.frontend import FrontEndManager
    from openvino.frontend.pytorch.ts_decoder import TorchScriptPythonDecoder

    decoder = TorchScriptPythonDecoder(graph)
    frontend = FrontEndManager().load_by_framework("pytorch")
    model = frontend.convert(frontend.load(decoder))
    # OpenVINO computes in int8 only where the ends of the ranges are constants.
    rounded = [node for node in model.get_ordered_ops() if node.get_type_name() == "FakeQuantize"]
    ends = [port for node in rounded for port in node.inputs()[1:]]
    if ends:
        sources = openvino.Model([port.get_source_output() for port in ends], [])
        found = compiled_model(sources, "float32", 1)([]).to_tuple()
        for port, values in zip(ends, found, strict=True):
            port.replace_source_output(operators.constant(values.copy()).output(0))
    return model


def compiled_model(model: Any, precision: str, threads: int) -> Any:
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
    request = model.create_infer_request()
    return min(timeit.repeat(lambda: request.infer([inputs]), number=1, repeat=_RUNS))


@cache
def _core() -> Any:
    """Return OpenVINO's core, never freed: its signal handlers would then crash at Ctrl-C."""
    import openvino

    return openvino.Core()


class Model(NamedTuple):
    """A stranger's net: its input's shape, its outputs' names, and ``run_one``, thread-safe."""

    shape: tuple[int, ...]
    outputs: tuple[str, ...]
    run_one: Callable[[NDArray[Any]], tuple[NDArray[Any], ...]]

    def run(self, inputs: NDArray[Any]) -> dict[str, NDArray[np.float64]]:
        """Return each output, `[B, numbers]`, for inputs `[B, ...]`; a ``NetError`` if it fails."""
        try:
            rows = [map(np.ravel, self.run_one(each)) for each in np.split(inputs, len(inputs))]
            arrays = [np.stack(each).astype(np.float64) for each in zip(*rows, strict=True)]
        except Exception:  # of any kind: the file decides what goes wrong
            expected = "expected a net from boards to numbers, got one that computes none from an"
            raise NetError(f"{expected} input of shape {[*self.shape[1:]]}") from None
        return dict(zip(self.outputs, arrays, strict=True))


def model_of(data: bytes) -> Model:
    """Read the content of a file; a ``NetError`` if it is no ONNX file with one input."""
    if b"location" in data:  # the key of every external tensor
        raise NetError("expected all weights in this one file, got one that may name others")
    from openvino.frontend import FrontEndManager

    try:
        frontend = FrontEndManager().load_by_framework("onnx")
        model = frontend.convert(frontend.load(io.BytesIO(data)))
    except Exception:
        expected = "expected an ONNX file with operators of OpenVINO, got another one"
        raise NetError(expected) from None
    if len(model.inputs) != 1:
        raise NetError(f"expected an ONNX file with one input, got {len(model.inputs)}")
    given, sizes = model.input(0), [*model.input(0).get_partial_shape()]
    if not sizes or any(each.is_dynamic for each in sizes[1:]):
        got = [-1 if each.is_dynamic else each.get_length() for each in sizes]
        raise NetError(f"expected an input of fixed sizes, batch first, got {got} (-1: open)")
    batch, *rest = sizes
    shape = 1 if batch.is_dynamic else batch.get_length(), *(each.get_length() for each in rest)
    try:
        model.reshape({0: shape})
        compiled, local = compiled_model(model, "float32", 1), threading.local()
    except Exception:
        raise NetError(f"expected operators that fit an input of shape {[*shape[1:]]}") from None
    dtype = given.get_element_type().to_dtype()

    def run_one(inputs: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        if not hasattr(local, "request"):
            local.request = compiled.create_infer_request()
        found: tuple[NDArray[Any], ...] = local.request.infer([inputs.astype(dtype)]).to_tuple()
        return found

    return Model(shape, tuple(each.get_any_name() for each in model.outputs), run_one)
