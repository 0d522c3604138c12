"""A panel: 32 numbers that the processor adds and multiplies at once, in its registers.

The compiler finds such vectors by itself only where each number has a variable of its own, since
what is written to memory might be a weight, for all that it knows. So a panel is a type, with three
operations. Their plain twins, below, compute the same to the last bit.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.typing import Signature
from numba.extending import intrinsic, register_model
from numpy.typing import NDArray

PANEL = 32
"""How many numbers a panel has."""

Floats = NDArray[np.float32]


class PanelType(types.Type):  # type: ignore[misc]
    """The compiled type of a panel."""

    def __init__(self) -> None:
        """Name it; there is one such type."""
        super().__init__(name="Panel")


@register_model(PanelType)
class _PanelModel(models.PrimitiveModel):  # type: ignore[misc]
    """A panel is one vector of LLVM."""

    def __init__(self, manager: Any, panel: PanelType) -> None:
        super().__init__(manager, panel, _VECTOR)


_VECTOR = ir.VectorType(ir.FloatType(), PANEL)
_PANEL_TYPE = PanelType()


def _place(context: Any, builder: Any, array: types.Array, given: Any, indices: list[Any]) -> Any:
    """Return a pointer to the panel that begins at an element of an array."""
    made = context.make_array(array)(context, builder, given)
    element = cgutils.get_item_pointer(context, builder, array, made, indices)
    return builder.bitcast(element, _VECTOR.as_pointer())


def _compiled_panel_at(
    typing_context: object, weights: types.Array, place: types.Integer
) -> tuple[Signature, Any]:
    def generate(context: Any, builder: Any, signature: Signature, arguments: Any) -> Any:
        pointer = _place(context, builder, weights, arguments[0], [arguments[1]])
        return builder.load(pointer, align=4)

    return _PANEL_TYPE(weights, types.intp), generate


def _compiled_plus_two(
    typing_context: object,
    sums: PanelType,
    v: types.Float,
    panel_v: PanelType,
    w: types.Float,
    panel_w: PanelType,
) -> tuple[Signature, Any]:
    def generate(context: Any, builder: Any, signature: Signature, arguments: Any) -> Any:
        sums, v, panel_v, w, panel_w = arguments

        def times(number: Any, panel: Any) -> Any:
            first = builder.insert_element(
                ir.Constant(_VECTOR, ir.Undefined), number, ir.IntType(32)(0)
            )
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), PANEL), [0] * PANEL)
            return builder.fmul(builder.shuffle_vector(first, first, zeros), panel)

        return builder.fadd(sums, builder.fadd(times(v, panel_v), times(w, panel_w)))

    f32 = types.float32
    return _PANEL_TYPE(_PANEL_TYPE, f32, _PANEL_TYPE, f32, _PANEL_TYPE), generate


def _compiled_write_panel(
    typing_context: object,
    values: types.Array,
    row: types.Integer,
    column: types.Integer,
    panel: PanelType,
) -> tuple[Signature, Any]:
    def generate(context: Any, builder: Any, signature: Signature, arguments: Any) -> Any:
        pointer = _place(context, builder, values, arguments[0], list(arguments[1:3]))
        builder.store(arguments[3], pointer, align=4)
        return context.get_dummy_value()

    return types.void(values, types.intp, types.intp, _PANEL_TYPE), generate


def _panel_at(weights: Floats, place: int) -> Floats:
    """Return the panel of ``weights`` that begins at a place."""
    return weights[place : place + PANEL].copy()


def _plus_two(
    sums: Floats, v: np.float32, panel_v: Floats, w: np.float32, panel_w: Floats
) -> Floats:
    """Return ``sums + (v * panel_v + w * panel_w)``."""
    return sums + (v * panel_v + w * panel_w)


def _write_panel(values: Floats, row: int, column: int, panel: Floats) -> None:
    """Write a panel to a row of ``values``, beginning at a column."""
    values[row, column : column + PANEL] = panel


if numba.config.DISABLE_JIT:
    panel_at, plus_two, write_panel = _panel_at, _plus_two, _write_panel
else:
    panel_at = intrinsic(_compiled_panel_at)
    plus_two = intrinsic(_compiled_plus_two)
    write_panel = intrinsic(_compiled_write_panel)
