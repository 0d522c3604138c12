"""A panel: 32 numbers that the processor adds and multiplies at once, in its registers.

The compiler vectorises by itself only where each number has its own variable: a write to memory
might change a weight, as far as it can prove. So a panel is a type with a few operations. Their
plain twins, below, compute the same.
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
"""Numbers in a panel."""
LISTED_TOGETHER = 8
"""Limit on the places that ``list_positive`` writes behind those that it counts."""

Floats = NDArray[np.float32]
Indices = NDArray[np.int64]


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


_NUMBER, _WORD = ir.FloatType(), ir.IntType(32)
_VECTOR = ir.VectorType(_NUMBER, PANEL)
_PANEL_TYPE = PanelType()


def _pointer(context: Any, builder: Any, array: types.Array, given: Any, place: Any) -> Any:
    """Return a pointer to the panel that begins at an element of an array."""
    made = context.make_array(array)(context, builder, given)
    element = cgutils.get_item_pointer(context, builder, array, made, [place])
    return builder.bitcast(element, _VECTOR.as_pointer())


def _repeated(builder: Any, number: Any) -> Any:
    """Return a panel that holds one number everywhere."""
    first = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), number, _WORD(0))
    zeros = ir.Constant(ir.VectorType(_WORD, PANEL), [0] * PANEL)
    return builder.shuffle_vector(first, first, zeros)


def _larger(builder: Any, one: Any, other: Any) -> Any:
    """Return the larger numbers of two vectors."""
    return builder.select(builder.fcmp_ordered(">", one, other), one, other)


def _compiled_zeros(typing_context: object) -> tuple[Signature, Any]:
    def generate(context: Any, builder: Any, signature: Signature, arguments: Any) -> Any:
        return ir.Constant(_VECTOR, None)

    return _PANEL_TYPE(), generate


def _compiled_panel_at(
    typing_context: object, array: types.Array, place: types.Integer
) -> tuple[Signature, Any]:
    def generate(context: Any, builder: Any, signature: Signature, arguments: Any) -> Any:
        return builder.load(_pointer(context, builder, array, *arguments), align=4)

    return _PANEL_TYPE(array, types.intp), generate


def _compiled_write_panel(
    typing_context: object, array: types.Array, place: types.Integer, panel: PanelType
) -> tuple[Signature, Any]:
    def generate(context: Any, builder: Any, signature: Signature, arguments: Any) -> Any:
        given, place, panel = arguments
        builder.store(panel, _pointer(context, builder, array, given, place), align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, _PANEL_TYPE), generate


def _compiled_plus(
    typing_context: object, one: PanelType, other: PanelType
) -> tuple[Signature, Any]:
    def generate(context: Any, builder: Any, signature: Signature, arguments: Any) -> Any:
        return builder.fadd(*arguments)

    return _PANEL_TYPE(_PANEL_TYPE, _PANEL_TYPE), generate


def _compiled_plus_times(
    typing_context: object, sums: PanelType, number: types.Float, panel: PanelType
) -> tuple[Signature, Any]:
    def generate(context: Any, builder: Any, signature: Signature, arguments: Any) -> Any:
        sums, number, panel = arguments
        fused = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(_VECTOR, [_VECTOR] * 3), f"llvm.fmuladd.v{PANEL}f32"
        )
        return builder.call(fused, [_repeated(builder, number), panel, sums])

    return _PANEL_TYPE(_PANEL_TYPE, types.float32, _PANEL_TYPE), generate


def _compiled_larger(
    typing_context: object, one: PanelType, other: PanelType
) -> tuple[Signature, Any]:
    def generate(context: Any, builder: Any, signature: Signature, arguments: Any) -> Any:
        return _larger(builder, *arguments)

    return _PANEL_TYPE(_PANEL_TYPE, _PANEL_TYPE), generate


def _compiled_largest(typing_context: object, panel: PanelType) -> tuple[Signature, Any]:
    def generate(context: Any, builder: Any, signature: Signature, arguments: Any) -> Any:
        (part,), size = arguments, PANEL
        while size > 1:
            size //= 2
            halves = (
                ir.Constant(ir.VectorType(_WORD, size), list(range(begin, begin + size)))
                for begin in (0, size)
            )
            part = _larger(builder, *(builder.shuffle_vector(part, part, each) for each in halves))
        return builder.extract_element(part, _WORD(0))

    return types.float32(_PANEL_TYPE), generate


def _compiled_first_of(
    typing_context: object, panel: PanelType, number: types.Float
) -> tuple[Signature, Any]:
    def generate(context: Any, builder: Any, signature: Signature, arguments: Any) -> Any:
        panel, number = arguments
        equal = builder.fcmp_ordered("==", panel, _repeated(builder, number))
        bits = builder.bitcast(equal, ir.IntType(PANEL))
        return builder.zext(builder.cttz(bits, ir.IntType(1)(0)), ir.IntType(64))

    return types.int64(_PANEL_TYPE, types.float32), generate


def _compiled_list_positive(
    typing_context: object,
    panel: PanelType,
    first: types.Integer,
    places: types.Array,
    count: types.Integer,
) -> tuple[Signature, Any]:
    def generate(context: Any, builder: Any, signature: Signature, arguments: Any) -> Any:
        panel, first, given, count = arguments
        made = context.make_array(places)(context, builder, given)
        long, truth = ir.IntType(64), ir.IntType(1)
        are_positive = builder.fcmp_ordered(">", panel, ir.Constant(_VECTOR, None))
        if "+avx512f" in context.codegen()._tm_features:
            lanes = LISTED_TOGETHER
            longs, truths = ir.VectorType(long, lanes), ir.VectorType(truth, lanes)
            base = builder.insert_element(ir.Constant(longs, ir.Undefined), first, _WORD(0))
            none = ir.Constant(ir.VectorType(_WORD, lanes), [0] * lanes)
            base = builder.shuffle_vector(base, base, none)
            compress = cgutils.get_or_insert_function(
                builder.module,
                ir.FunctionType(longs, [longs, longs, truths]),
                "llvm.x86.avx512.mask.compress.v8i64",
            )
            for begin in range(0, PANEL, lanes):
                ks = list(range(begin, begin + lanes))
                numbers = builder.add(base, ir.Constant(longs, ks))
                part = builder.shuffle_vector(
                    are_positive, are_positive, ir.Constant(ir.VectorType(_WORD, lanes), ks)
                )
                pointer = cgutils.get_item_pointer(context, builder, places, made, [count])
                pointer = builder.bitcast(pointer, longs.as_pointer())
                builder.store(
                    builder.call(compress, [numbers, ir.Constant(longs, None), part]),
                    pointer,
                    align=8,
                )
                bits = builder.bitcast(part, ir.IntType(lanes))
                count = builder.add(count, builder.zext(builder.ctpop(bits), long))
            return count
        for place in range(PANEL):
            # Written always, counted only if positive: no branch that could be mispredicted.
            pointer = cgutils.get_item_pointer(context, builder, places, made, [count])
            builder.store(builder.add(first, long(place)), pointer)
            is_positive = builder.extract_element(are_positive, _WORD(place))
            count = builder.add(count, builder.zext(is_positive, long))
        return count

    return types.int64(_PANEL_TYPE, types.int64, places, types.int64), generate


def _zeros() -> Floats:
    """Return a panel of zeros."""
    return np.zeros(PANEL, np.float32)


def _panel_at(array: Floats, place: int) -> Floats:
    """Return the panel of an array that begins at a place."""
    return array[place : place + PANEL].copy()


def _write_panel(array: Floats, place: int, panel: Floats) -> None:
    """Write a panel to an array, beginning at a place."""
    array[place : place + PANEL] = panel


def _plus(one: Floats, other: Floats) -> Floats:
    """Return the sums of two panels' numbers."""
    return one + other


def _plus_times(sums: Floats, number: np.float32, panel: Floats) -> Floats:
    """Return ``sums + number * panel``, rounded once where the processor can."""
    return (sums + np.float64(number) * panel.astype(np.float64)).astype(np.float32)


def _larger_of(one: Floats, other: Floats) -> Floats:
    """Return the larger numbers of two panels."""
    return np.where(one > other, one, other)


def _largest(panel: Floats) -> np.float32:
    """Return the largest number of a panel."""
    return np.float32(panel.max())


def _first_of(panel: Floats, number: np.float32) -> int:
    """Return the first place of a number in a panel; ``PANEL`` if it is not there."""
    return int(np.flatnonzero(np.append(panel == number, True))[0])


def _list_positive(panel: Floats, first: int, places: Indices, count: int) -> int:
    """Append the places of a panel's positive numbers, counted from ``first``; return the count."""
    found = first + np.flatnonzero(panel > 0.0)
    places[count : count + len(found)] = found
    return count + len(found)


if numba.config.DISABLE_JIT:
    list_positive = _list_positive
    panel_at, write_panel, plus, plus_times = _panel_at, _write_panel, _plus, _plus_times
    larger, largest, first_of, zeros = _larger_of, _largest, _first_of, _zeros
else:
    list_positive = intrinsic(_compiled_list_positive)
    zeros = intrinsic(_compiled_zeros)
    panel_at = intrinsic(_compiled_panel_at)
    write_panel = intrinsic(_compiled_write_panel)
    plus = intrinsic(_compiled_plus)
    plus_times = intrinsic(_compiled_plus_times)
    larger = intrinsic(_compiled_larger)
    largest = intrinsic(_compiled_largest)
    first_of = intrinsic(_compiled_first_of)
