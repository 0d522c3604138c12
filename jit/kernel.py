"""The ``kernel`` decorator."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import numba
from numba import types
from numba.core.dispatcher import Dispatcher

from jit.cache import prepare_cache
from jit.interrupts import deferred_interrupts

# Sums that are kept in variables side by side become vectors; Numba leaves this out unless asked.
numba.config.SLP_VECTORIZE = 1

F = TypeVar("F", bound=Callable[..., Any])


def kernel(signature: Any, *, allocates: bool = False, inlined: bool = False) -> Callable[[F], F]:
    """Compile a function for one explicit signature, without the GIL, cached on disk.

    Division by zero follows IEEE 754 rather than raising, which leaves inner loops free of
    branches; kernels divide only by what they know not to be zero.

    Args:
        signature: A Numba signature, such as ``types.int64(STATE, types.int64)``.
        allocates: Whether the kernel makes arrays of its own. One that does not is spared the
            counting of references to its arguments, which costs more than many a short kernel.
        inlined: Whether each kernel that calls it gets a copy of its code. That spares a short one
            the passing of its arguments, of which an array is seven numbers.

    Returns:
        A decorator; under ``NUMBA_DISABLE_JIT=1`` the decorated function is the plain one.
    """
    prepare_cache()
    compile_for = numba.njit(
        signature,
        nogil=True,
        cache=True,
        error_model="numpy",
        _nrt=allocates,
        forceinline=inlined,
    )

    def decorate(function: F) -> F:
        with deferred_interrupts():  # LLVM calls back into Python, where a Ctrl-C would be lost
            compiled = compile_for(function)
        if isinstance(compiled, Dispatcher):
            _hand_out_quickly(compiled)
        return compiled  # type: ignore[no-any-return]

    return decorate


def _hand_out_quickly(compiled: Any) -> None:
    """Spare a kernel that is passed as an argument the search for its compiled form.

    Each time that Python passes a kernel to another, Numba hashes the whole signature to find the
    compiled form that fits, then asks LLVM for its address. A kernel has exactly one form, which
    never moves, so both answers are always the same.
    """
    (only,) = compiled.overloads.values()
    only.library.get_pointer_to_function = cache(only.library.get_pointer_to_function)
    compiled.get_compile_result = lambda signature: only


def function_type(signature: Any) -> types.FunctionType:
    """Return the type of a kernel of this signature that is handed to another as an argument."""
    return types.FunctionType(signature)
