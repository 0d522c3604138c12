"""A panel: 32 numbers that the processor adds and multiplies at once, in its registers.

Only ``layers.py`` uses it. In whole searches of 2,000 simulations it is faster than tuned loops of
plain Numba: 2.1 times on 5x5 with layers of 64 and 64, 2.8 times on 7x7 with 256 and 32, 3.2 times
on 11x11. The compiler vectorises by itself only where each number has its own variable: a write to
memory might change a weight, as far as it can prove. So a panel is a type with a few operations.
Each is a function for plain Python, whose decorator has what the compiler generates instead.
"""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.typing import Signature
from numba.extending import intrinsic, register_model
from numpy.typing import NDArray

PANEL = 32  # numbers in a panel
LISTED_TOGETHER = 8  # limit on the places that ``list_positive`` writes behind those that it counts

Floats = NDArray[np.float32]
Indices = NDArray[np.int64]
F = TypeVar("F", bound=Callable[..., Any])


class PanelType(types.Type):  # type: ignore[misc]
    """The compiled type of a panel."""

    def __init__(self) -> None:
        """Name it; there is one such type."""
        super().__init__(name="Panel")


@register_model(PanelType)
class _PanelModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, panel: PanelType) -> None:
        super().__init__(manager, panel, _VECTOR)


_NUMBER, _WORD, _LONG = ir.FloatType(), ir.IntType(32), ir.IntType(64)
_VECTOR = ir.VectorType(_NUMBER, PANEL)
_PANEL = PanelType()
_FLOATS, _INDICES = types.float32[::1], types.int64[::1]


def _operation(signature: Signature, generate: Callable[..., Any]) -> Callable[[F], F]:
    """Compile a function to what ``generate(context, builder, *arguments)`` returns."""

    def compiled(plain: F) -> F:
        if numba.config.DISABLE_JIT:
            return plain

        def typed(typing_context: object, *arguments: object) -> tuple[Signature, Any]:
            return signature, lambda context, builder, _, values: generate(
                context, builder, *values
            )

        context = inspect.Parameter("typing_context", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        names = inspect.signature(plain).parameters.values()
        typed.__signature__ = inspect.Signature([context, *names])  # type: ignore[attr-defined]
        typed.__name__ = plain.__name__
        return intrinsic(typed)  # type: ignore[no-any-return]

    return compiled


def _pointer(context: Any, builder: Any, kind: types.Array, array: Any, place: Any) -> Any:
    made = context.make_array(kind)(context, builder, array)
    return cgutils.get_item_pointer(context, builder, kind, made, [place])


def _panel_pointer(context: Any, builder: Any, array: Any, place: Any) -> Any:
    element = _pointer(context, builder, _FLOATS, array, place)
    return builder.bitcast(element, _VECTOR.as_pointer())


def _repeated(builder: Any, number: Any, kind: Any = _VECTOR) -> Any:
    first = builder.insert_element(ir.Constant(kind, ir.Undefined), number, _WORD(0))
    zeros = ir.Constant(ir.VectorType(_WORD, kind.count), [0] * kind.count)
    return builder.shuffle_vector(first, first, zeros)


def _write(context: Any, builder: Any, array: Any, place: Any, panel: Any) -> Any:
    builder.store(panel, _panel_pointer(context, builder, array, place), align=4)
    return context.get_dummy_value()


def _fused(context: Any, builder: Any, sums: Any, number: Any, panel: Any) -> Any:
    kind = ir.FunctionType(_VECTOR, [_VECTOR] * 3)
    fused = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fmuladd.v{PANEL}f32")
    return builder.call(fused, [_repeated(builder, number), panel, sums])


def _larger(context: Any, builder: Any, one: Any, other: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", one, other), one, other)


def _part(builder: Any, vector: Any, begin: int, size: int) -> Any:
    places = ir.Constant(ir.VectorType(_WORD, size), list(range(begin, begin + size)))
    return builder.shuffle_vector(vector, vector, places)


def _largest(context: Any, builder: Any, panel: Any) -> Any:
    size = PANEL
    while size > 1:
        size //= 2
        halves = (_part(builder, panel, begin, size) for begin in (0, size))
        panel = _larger(context, builder, *halves)
    return builder.extract_element(panel, _WORD(0))


def _first(context: Any, builder: Any, panel: Any, number: Any) -> Any:
    equal = builder.fcmp_ordered("==", panel, _repeated(builder, number))
    bits = builder.bitcast(equal, ir.IntType(PANEL))
    return builder.zext(builder.cttz(bits, ir.IntType(1)(0)), _LONG)


def _list(context: Any, builder: Any, panel: Any, first: Any, places: Any, count: Any) -> Any:
    are_positive = builder.fcmp_ordered(">", panel, ir.Constant(_VECTOR, None))
    if "+avx512f" in context.codegen()._tm_features:
        lanes = LISTED_TOGETHER
        longs, truths = ir.VectorType(_LONG, lanes), ir.VectorType(ir.IntType(1), lanes)
        kind = ir.FunctionType(longs, [longs, longs, truths])
        name = "llvm.x86.avx512.mask.compress.v8i64"
        compress = cgutils.get_or_insert_function(builder.module, kind, name)
        base = _repeated(builder, first, longs)
        for begin in range(0, PANEL, lanes):
            numbers = builder.add(base, ir.Constant(longs, list(range(begin, begin + lanes))))
            part = _part(builder, are_positive, begin, lanes)
            pointer = _pointer(context, builder, _INDICES, places, count)
            packed = builder.call(compress, [numbers, ir.Constant(longs, None), part])
            builder.store(packed, builder.bitcast(pointer, longs.as_pointer()), align=8)
            bits = builder.bitcast(part, ir.IntType(lanes))
            count = builder.add(count, builder.zext(builder.ctpop(bits), _LONG))
        return count
    for place in range(PANEL):
        # Written always, counted only if positive: no branch that could be mispredicted.
        pointer = _pointer(context, builder, _INDICES, places, count)
        builder.store(builder.add(first, _LONG(place)), pointer)
        is_positive = builder.extract_element(are_positive, _WORD(place))
        count = builder.add(count, builder.zext(is_positive, _LONG))
    return count


@_operation(_PANEL(), lambda context, builder: ir.Constant(_VECTOR, None))
def zeros() -> Floats:
    """Return a panel of zeros."""
    return np.zeros(PANEL, np.float32)


@_operation(
    _PANEL(_FLOATS, types.intp),
    lambda context, builder, *element: builder.load(
        _panel_pointer(context, builder, *element), align=4
    ),
)
def panel_at(array: Floats, place: int) -> Floats:
    """Return the panel of an array that begins at a place."""
    return array[place : place + PANEL].copy()


@_operation(types.void(_FLOATS, types.intp, _PANEL), _write)
def write_panel(array: Floats, place: int, panel: Floats) -> None:
    """Write a panel to an array, beginning at a place."""
    array[place : place + PANEL] = panel


@_operation(_PANEL(_PANEL, _PANEL), lambda context, builder, *panels: builder.fadd(*panels))
def plus(one: Floats, other: Floats) -> Floats:
    """Return the sums of two panels' numbers."""
    return one + other


@_operation(_PANEL(_PANEL, types.float32, _PANEL), _fused)
def plus_times(sums: Floats, number: np.float32, panel: Floats) -> Floats:
    """Return ``sums + number * panel``, rounded once where the processor can."""
    return (sums + np.float64(number) * panel.astype(np.float64)).astype(np.float32)


@_operation(_PANEL(_PANEL, _PANEL), _larger)
def larger(one: Floats, other: Floats) -> Floats:
    """Return the larger numbers of two panels."""
    return np.where(one > other, one, other)


@_operation(types.float32(_PANEL), _largest)
def largest(panel: Floats) -> np.float32:
    """Return the largest number of a panel."""
    return np.float32(panel.max())


@_operation(types.int64(_PANEL, types.float32), _first)
def first_of(panel: Floats, number: np.float32) -> int:
    """Return the first place of a number in a panel; ``PANEL`` if it is not there."""
    return int(np.flatnonzero(np.append(panel == number, True))[0])


@_operation(types.int64(_PANEL, types.int64, _INDICES, types.int64), _list)
def list_positive(panel: Floats, first: int, places: Indices, count: int) -> int:
    """Append the places of a panel's positive numbers, counted from ``first``; return the count."""
    found = first + np.flatnonzero(panel > 0.0)
    places[count : count + len(found)] = found
    return count + len(found)
