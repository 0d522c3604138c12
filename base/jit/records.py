"""Records: named tuples that compiled code takes as one argument.

A record may hold kernels. Numba would type each record of kernels anew, by the very functions in
it, and cache none of them; so the class gets one type here, with a signature for each field.
"""

from __future__ import annotations

import operator
from typing import Any, TypeVar

import numba
from numba import types
from numba.core.typing import Signature
from numba.extending import intrinsic, typeof_impl

Record = TypeVar("Record", bound=tuple[Any, ...])


def record_type(record: type[tuple[Any, ...]], *fields: types.Type) -> types.NamedTuple:
    """Return the compiled type of a named tuple, and let Numba know all its instances by it.

    Args:
        record: The class, which must live in a module that is imported, as its name goes into the
            cache.
        fields: The type of each field.
    """
    compiled = types.NamedTuple(fields, record)

    def type_of_instance(value: object, context: object) -> types.NamedTuple:
        return compiled

    typeof_impl.register(record)(type_of_instance)
    return compiled


def _row_of(record: Record, row: int) -> Record:
    """Return one row of a record of arrays: a record of views, with a dimension less each."""
    return type(record)(*(array[row] for array in record))


def _compiled_row_of(
    typing_context: object, record: types.NamedTuple, row: types.Integer
) -> tuple[Signature, Any]:
    """Do the same in compiled code."""
    views = [array.copy(ndim=array.ndim - 1) for array in record.types]
    view = types.NamedTuple(views, record.instance_class)

    def generate(context: Any, builder: Any, signature: Signature, arguments: Any) -> Any:
        arrays, index = arguments
        fields = []
        for place, (array, field) in enumerate(zip(record.types, views, strict=True)):
            look_up = context.get_function(operator.getitem, field(array, row))
            fields.append(look_up(builder, (builder.extract_value(arrays, place), index)))
        return context.make_tuple(builder, view, fields)

    return view(record, row), generate


row_of = _row_of if numba.config.DISABLE_JIT else intrinsic(_compiled_row_of)
