"""The ``kernel`` decorator: functions compiled for one signature, when they are first needed."""

import inspect
from collections.abc import Callable, Iterator
from functools import update_wrapper
from graphlib import TopologicalSorter
from typing import Any, TypeVar

import numba
from numba import types
from numba.core.compiler_lock import global_compiler_lock
from numba.extending import typeof_impl

from base.jit.cache import KernelCache
from base.jit.compiling import compile_together, deferred_interrupts

F = TypeVar("F", bound=Callable[..., Any])


def kernel(
    signature: Any, *, allocates: bool = False, inlined: bool = False, inner: bool = False
) -> Callable[[F], F]:
    """Compile a function for one explicit signature, without the GIL, cached on disk.

    It is compiled or loaded when it is first called, passed to another kernel, or given to
    ``make_ready``. Under ``NUMBA_DISABLE_JIT=1`` the decorator returns the plain function. Division
    by zero follows IEEE 754 instead of raising, which keeps inner loops free of branches; kernels
    divide only by numbers that cannot be zero.

    If it ``allocates`` no arrays, references to its arguments are not counted, which costs more
    than many short kernels. If it is ``inlined``, each calling kernel gets a copy of its code: a
    short one then saves the passing of its arguments; an array alone is seven numbers. ``inner``
    kernels are never called from Python, whose conversion of arguments is often more code.
    """
    if numba.config.DISABLE_JIT:
        return lambda function: function
    options = {"_nrt": allocates, "forceinline": inlined, "no_cpython_wrapper": inner}
    options["no_cfunc_wrapper"] = True
    return lambda function: Kernel(function, signature, options)  # type: ignore[return-value]


class Kernel:
    """A function to compile for one signature; ``py_func`` is the plain one.

    ``dispatcher`` is Numba's compiled function, and ``entry_point`` is called from Python with the
    right, contiguous arguments, unchecked; both are made when they are first looked up.
    """

    def __init__(
        self, function: Callable[..., Any], signature: Any, options: dict[str, bool]
    ) -> None:
        """Declare a kernel; the options are those of ``numba.njit``."""
        update_wrapper(self, function)
        self.py_func, self._signature, self._options = function, signature, options
        self._is_inner = options["no_cpython_wrapper"]
        self.in_making: Any = None  # the dispatcher, from the begin of compilation on
        self._cache = KernelCache(function, signature)
        PENDING[self] = None

    def __call__(self, *arguments: object) -> Any:
        """Call the compiled function from Python."""
        if self._is_inner:
            raise TypeError(
                f"{self.__module__}.{self.__qualname__} is an inner kernel: "
                "expected a call from another kernel, got one from Python"
            )
        if self in PENDING:
            make_ready(self, *arguments)
        return self.dispatcher(*arguments)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute that only a compiled kernel has."""
        if name in ("dispatcher", "entry_point"):
            make_ready(self)
        elif name == "address":
            (compiled,) = self.dispatcher.overloads.values()
            self.address = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
        if name not in self.__dict__:
            raise AttributeError(f"a kernel has no attribute {name!r}")
        return self.__dict__[name]

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Pickle its name; in the main program, which others cannot import, its function."""
        if self.__module__ != "__main__":
            return str(self.__qualname__)
        return Kernel, (self.py_func, self._signature, self._options)

    def is_cached(self) -> bool:
        """Return whether the cache has a compiled form."""
        return self._cache.file.is_file()

    def load(self) -> None:
        """Load the compiled form from the cache, else compile it."""
        if self not in PENDING:
            return
        dispatcher = numba.njit(nogil=True, error_model="numpy", **self._options)(self.py_func)
        dispatcher._cache = self._cache
        self.in_making = dispatcher
        # SLP vectorizes sums in neighbouring variables; Numba has one option for all functions.
        previous, numba.config.SLP_VECTORIZE = numba.config.SLP_VECTORIZE, 1
        try:
            with deferred_interrupts():  # LLVM calls back into Python, where a Ctrl-C would be lost
                entry_point = dispatcher.compile(self._signature)
                dispatcher.disable_compile()
                self.entry_point = self if self._is_inner else entry_point
                self.dispatcher = dispatcher
                del PENDING[self]
        finally:
            numba.config.SLP_VECTORIZE = previous


class Shared:
    """A function without a signature, see ``shared``; Python calls the plain function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        """Declare a function."""
        update_wrapper(self, function)
        self.py_func = function
        self.targetoptions = {"inline": "always"}  # by which Numba recognises it

    def __call__(self, *arguments: object) -> Any:
        """Call the plain function."""
        return self.py_func(*arguments)


def shared(function: F) -> F:
    """Compile a function of kernels into each kernel that calls it, for the types given there.

    Kernels in its arguments that the caller names itself, instead of passing them on, become part
    of it: the same source makes a general loop and a fast one.
    """
    return function if numba.config.DISABLE_JIT else Shared(function)  # type: ignore[return-value]


PENDING: dict[Kernel, None] = {}
"""The kernels of the imported modules that are neither compiled nor loaded yet."""


@typeof_impl.register(Shared)  # type: ignore[untyped-decorator]
def _type_of_shared(function: Shared, context: object) -> types.Dispatcher:
    return types.Dummy("shared")  # its calls are gone before


@typeof_impl.register(Kernel)  # type: ignore[untyped-decorator]
def _type_in_kernels(kernel: Kernel, context: object) -> types.Dispatcher:
    # A recursive kernel is not compiled yet.
    return types.Dispatcher(kernel.in_making or kernel.dispatcher)


def direct(kernel: F) -> F:
    """Return an entry point for the right, contiguous arguments, without their check (20 us)."""
    entry_point: F = getattr(kernel, "entry_point", kernel)
    return entry_point


def make_ready(*kernels: object) -> None:
    """Compile or load kernels and all that they call; ignore other arguments."""
    if any(_is_pending(each) for each in kernels):
        with global_compiler_lock:  # other threads that use these kernels wait here
            calls = _calls(kernels)
            if not all(each.is_cached() for each in calls):
                compile_together(calls)
            for each in TopologicalSorter(calls).static_order():
                each.load()


def _is_pending(value: object) -> bool:
    return isinstance(value, Kernel) and value in PENDING


def _pending_in(function: Callable[..., Any]) -> Iterator[Kernel]:
    """Yield the pending kernels that a function calls, or that those call which it shares."""
    for each in inspect.getclosurevars(function).globals.values():
        if isinstance(each, Shared):
            yield from _pending_in(each.py_func)
        elif _is_pending(each):
            yield each


def _calls(kernels: tuple[object, ...]) -> dict[Kernel, set[Kernel]]:
    """Return the calls between all pending kernels that are reachable from some kernels."""
    calls: dict[Kernel, set[Kernel]] = {}
    left: list[Any] = [kernel for kernel in kernels if _is_pending(kernel)]
    while left:
        kernel = left.pop()
        if kernel not in calls:
            calls[kernel] = set(_pending_in(kernel.py_func)) - {kernel}
            left += calls[kernel]
    return calls
