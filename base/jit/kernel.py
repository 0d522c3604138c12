"""The ``kernel`` decorator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba import types
from numba.core.dispatcher import Dispatcher

from base.jit.cache import keep_code_of, prepare_cache
from base.jit.compiling import compile_on_first_use

# Sums that are kept in variables side by side become vectors; Numba leaves this out unless asked.
numba.config.SLP_VECTORIZE = 1

F = TypeVar("F", bound=Callable[..., Any])


def kernel(
    signature: Any, *, allocates: bool = False, inlined: bool = False, inner: bool = False
) -> Callable[[F], F]:
    """Compile a function for one explicit signature, without the GIL, cached on disk.

    It is compiled, or loaded, when it is first called, handed over, or asked for by
    ``base.jit.make_ready``: a program compiles nothing that it does not use.

    Division by zero follows IEEE 754 rather than raising, which leaves inner loops free of
    branches; kernels divide only by what they know not to be zero.

    Args:
        signature: A Numba signature, such as ``types.int64(STATE, types.int64)``.
        allocates: Whether the kernel makes arrays of its own. One that does not is spared the
            counting of references to its arguments, which costs more than many a short kernel.
        inlined: Whether each kernel that calls it gets a copy of its code. That spares a short one
            the passing of its arguments, of which an array is seven numbers.
        inner: Whether only kernels call it, and never Python. Taking records and functions over
            from Python is code too, often more than the kernel's own, and all of it is compiled.

    Returns:
        A decorator; under ``NUMBA_DISABLE_JIT=1`` the decorated function is the plain one.
    """
    prepare_cache()
    defer = numba.njit(
        nogil=True,
        cache=True,
        error_model="numpy",
        _nrt=allocates,
        forceinline=inlined,
        no_cpython_wrapper=inner,
    )

    def decorate(function: F) -> F:
        deferred = defer(function)
        if isinstance(deferred, Dispatcher):
            keep_code_of(deferred)
            compile_on_first_use(deferred, signature)
        return deferred  # type: ignore[no-any-return]

    return decorate


def function_type(signature: Any) -> types.FunctionType:
    """Return the type of a kernel of this signature that is handed to another as an argument."""
    return types.FunctionType(signature)
