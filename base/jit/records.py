"""Types of kernels' arguments: kernels, random generators, and records of them.

A record is a named tuple that compiled code takes as one argument. It may hold kernels. Numba alone
would type each such record by its functions, and cache none; so the class has one type here, with a
signature for each field.
"""

import operator
from typing import Any, TypeVar

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel.models import OpaqueModel
from numba.core.pythonapi import NativeValue
from numba.core.typeconv import Conversion
from numba.core.typing import Signature, make_concrete_template
from numba.extending import (
    intrinsic,
    lower_builtin,
    lower_cast,
    register_model,
    typeof_impl,
    unbox,
)
from numba.np.random.generator_core import NumPyRandomGeneratorTypeModel
from numpy.typing import NDArray

_BIT_GENERATOR = ("state", "fnptr_next_uint64", "fnptr_next_uint32", "fnptr_next_double")
"""Numba's names for the first four fields of NumPy's ``bitgen_t``, in order, all addresses."""

Record = TypeVar("Record", bound=tuple[Any, ...])


class KernelType(types.Callable):  # type: ignore[misc]
    """The address of a kernel; Numba's type of functions has three, and compiles calls thrice."""

    def __init__(self, signature: Signature) -> None:
        """Take the signature of the kernel."""
        super().__init__(f"{type(self).__name__}[{signature}]")
        self.signature, self.nargs = signature, len(signature.args)

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Signature:
        """Check the types of arguments; return the signature with this type as the receiver."""
        template = make_concrete_template(self.name, self.name, [self.signature])
        return template(context).apply(args, kws).replace(recvr=self)

    def get_call_signatures(self) -> tuple[list[Signature], bool]:
        """Return the signature."""
        return [self.signature], False

    def get_impl_key(self, signature: Signature) -> type:
        """Return the key of ``_call`` in Numba's table."""
        return type(self)

    def can_convert_from(self, context: object, other: types.Type) -> Conversion | None:
        """Allow a kernel as an argument."""
        return Conversion.safe if isinstance(other, types.Dispatcher) else None


function_type = KernelType
"""``function_type(signature)``: the type of a kernel as an argument of another kernel."""


class GeneratorType(types.NumPyRandomGeneratorType):  # type: ignore[misc]
    """Numba's type of random generators, converted from Python without a reference."""

    def __init__(self) -> None:
        """Set the type's name, which Numba's class would replace by its own."""
        super().__init__("")
        self.name = type(self).__name__

    def can_convert_from(self, context: object, other: types.Type) -> Conversion | None:
        """Allow the conversion from any random generator."""
        return Conversion.safe if isinstance(other, types.NumPyRandomGeneratorType) else None


def _take_over_kernel(expected: KernelType, kernel: Any, c: Any) -> NativeValue:
    """Convert a kernel by its address, which Numba would compute anew in 7 us."""
    found = c.pyapi.object_getattr_string(kernel, "address")
    with c.builder.if_then(cgutils.is_null(c.builder, found), likely=False):
        c.builder.ret(c.pyapi.get_null_object())
    address = c.pyapi.long_as_voidptr(found)
    c.pyapi.decref(found)
    return NativeValue(address)


def _address_of(
    context: Any, builder: Any, given: types.Dispatcher, expected: KernelType, kernel: Any
) -> Any:
    """Take the address of a kernel that another names as an argument."""
    compiled = given.dispatcher.get_compile_result(expected.signature)
    context.active_code_library.add_linking_library(compiled.library)
    function = context.declare_function(builder.module, compiled.fndesc)
    return builder.bitcast(function, context.get_value_type(expected))


@lower_builtin(KernelType, KernelType, types.VarArg(types.Any))  # type: ignore[untyped-decorator]
def _call(context: Any, builder: Any, signature: Signature, arguments: Any) -> Any:
    convention, returned, expected = context.call_conv, signature.return_type, signature.args[1:]
    function = convention.get_function_type(returned, expected).as_pointer()
    address = builder.bitcast(arguments[0], function)
    status, result = convention.call_function(builder, address, returned, expected, arguments[1:])
    with cgutils.if_unlikely(builder, status.is_error):
        convention.return_status_propagate(builder, status)
    return result


def _take_over_generator(expected: GeneratorType, generator: Any, c: Any) -> NativeValue:
    """Convert a generator by its capsule's addresses; kernels would never release a reference."""
    address = c.context.get_value_type(types.uintp)
    bit_generator = c.pyapi.object_getattr_string(generator, "bit_generator")
    capsule = c.pyapi.object_getattr_string(bit_generator, "capsule")
    module, kind = c.builder.module, types.NumPyRandomBitGeneratorType("bits")
    signature = ir.FunctionType(address.as_pointer(), [c.pyapi.pyobj, cgutils.voidptr_t])
    pointer = cgutils.get_or_insert_function(module, signature, "PyCapsule_GetPointer")
    name = c.context.insert_const_string(module, "BitGenerator")
    fields = c.builder.call(pointer, [capsule, name])
    bits = cgutils.create_struct_proxy(kind)(c.context, c.builder)
    for place, field in enumerate(_BIT_GENERATOR):
        element = c.builder.gep(fields, [c.context.get_constant(types.intp, place)])
        setattr(bits, field, c.builder.load(element))
    c.pyapi.decref(capsule)
    c.pyapi.decref(bit_generator)
    taken = cgutils.create_struct_proxy(expected)(c.context, c.builder)
    taken.bit_generator, taken.parent = bits._getvalue(), generator
    return NativeValue(taken._getvalue())


register_model(KernelType)(OpaqueModel)
unbox(KernelType)(_take_over_kernel)
register_model(GeneratorType)(NumPyRandomGeneratorTypeModel)
unbox(GeneratorType)(_take_over_generator)
lower_cast(types.Dispatcher, KernelType)(_address_of)
# Compiled code passes on a generator that other compiled code has converted from Python.
lower_cast(types.NumPyRandomGeneratorType, GeneratorType)(lambda *given: given[-1])


def record_type(record: type[tuple[Any, ...]], *fields: types.Type) -> types.NamedTuple:
    """Return the compiled type of a named tuple of an importable class, and register it."""
    compiled = types.NamedTuple(fields, record)
    typeof_impl.register(record)(lambda value, context: compiled)
    return compiled


def _row_of(record: Record, row: int) -> Record:
    """Return one row of a record of arrays: a record of views with one dimension less."""
    return type(record)(*(array[row] for array in record))


def _compiled_row_of(
    typing_context: object, record: types.NamedTuple, row: types.Integer
) -> tuple[Signature, Any]:
    views = [
        array.copy(ndim=array.ndim - 1) if array.ndim > 1 else array.dtype for array in record.types
    ]
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


def _scratch(length: int) -> NDArray[np.int64]:
    """Return an uninitialised int64 vector on the stack, of a constant length."""
    return np.empty(length, np.int64)


def _compiled_scratch(
    typing_context: object, length: types.Integer
) -> tuple[Signature, Any] | None:
    if not isinstance(length, types.IntegerLiteral):
        return None
    vector, count = types.int64[::1], length.literal_value

    def generate(context: Any, builder: Any, signature: Signature, arguments: Any) -> Any:
        number, size = context.get_value_type(types.int64), context.get_constant(types.intp, count)
        made = context.make_array(vector)(context, builder)
        step = context.get_constant(types.intp, 8)  # bytes from a number to the next
        memory = {"data": cgutils.alloca_once(builder, number, size=count), "meminfo": None}
        context.populate_array(made, shape=(size,), strides=(step,), itemsize=step, **memory)
        return made._getvalue()

    return vector(length), generate


scratch = (
    _scratch if numba.config.DISABLE_JIT else intrinsic(prefer_literal=True)(_compiled_scratch)
)
