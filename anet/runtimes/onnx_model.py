"""A stranger's ONNX file in OpenVINO: its operators compute numbers, and run no code."""

import io
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anet.errors import NetError

Floats = NDArray[np.float64]


class Model(NamedTuple):
    """A model that evaluates one board at a time.

    Attributes:
        shape: Of its only input.
        outputs: Their names.
        run_one: The outputs for an input of numbers of any type; thread-safe.
    """

    shape: tuple[int, ...]
    outputs: tuple[str, ...]
    run_one: Callable[[NDArray[Any]], tuple[NDArray[Any], ...]]

    def run(self, inputs: NDArray[Any]) -> dict[str, Floats]:
        """Return each output, `[B, numbers]`, for inputs `[B, ...]`; a ``NetError`` if it fails."""
        try:
            rows = [map(np.ravel, self.run_one(each)) for each in np.split(inputs, len(inputs))]
            arrays = [np.stack(each).astype(np.float64) for each in zip(*rows, strict=True)]
        except Exception:  # of any kind: the file decides what goes wrong
            shape = [*self.shape[1:]]
            raise NetError(
                f"expected a net from boards to numbers, got one that computes none from an input "
                f"of shape {shape}"
            ) from None
        return dict(zip(self.outputs, arrays, strict=True))


def model_of(data: bytes) -> Model:
    """Read the content of a file; a ``NetError`` if it is no ONNX file with one input."""
    if b"location" in data:  # the key of every external tensor
        raise NetError("expected all weights in this one file, got one that may name others")
    from openvino.frontend import FrontEndManager

    from anet.runtimes.openvino_runtime import compiled_model

    try:
        frontend = FrontEndManager().load_by_framework("onnx")
        model = frontend.convert(frontend.load(io.BytesIO(data)))
    except Exception:
        raise NetError(
            "expected an ONNX file with operators of OpenVINO, got another one"
        ) from None
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
