"""Forward passes in OpenVINO, in float32, bfloat16 or int8.

The processor decides which is fastest: bfloat16 and int8 with AMX, int8 with VNNI alone.
"""

import threading
import timeit
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from anet.runtimes.int8 import quantized
from anet.runtimes.torch_runtime import NO_VALUES, PREPARING, Floats, Forward, traced
from base.cluster import available_cores

_HINTS = {"float32": "f32", "bfloat16": "bf16", "int8": "f32"}
_WORTH_THREADS = 0.8
_RUNS = 10
"""Evaluations that are measured."""


def in_openvino(network: nn.Module, precision: str, examples: Tensor, threads: int = 1) -> Forward:
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
    """Return a traced network as a model of OpenVINO, for batches of any size."""
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
