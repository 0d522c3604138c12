"""When kernels are compiled: those that are needed, together, on all cores, in sight of the user.

Numba compiles on one core, since LLVM works under a lock. So other processes compile into the cache
on disk, and this one loads what they have made. Whatever they leave out, for any reason, is
compiled here.
"""

from __future__ import annotations

import inspect
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from graphlib import TopologicalSorter
from types import FrameType
from typing import Any, TypeVar

import numba
from numba.core.compiler_lock import global_compiler_lock

from base.jit.cache import KernelCache, prepare_cache
from base.jit.processes import compile_elsewhere, processes_for
from base.storage import LockedError, locked

F = TypeVar("F", bound=Callable[..., Any])

Watch = Callable[[int, int], AbstractContextManager[Callable[[], object]]]
"""``with watch(kernels, processes) as one_is_compiled``: told how many kernels are to be compiled,
and by how many processes, then of each kernel when it is."""

_declared: dict[Any, Any] = {}
"""The signature of each kernel that is neither compiled nor loaded yet."""

_LONGEST_WAIT = 300.0
"""Seconds; then both compile."""
_UNSEEN = 3
"""So few kernels take about a second, of which nothing is said."""


@contextmanager
def in_turn() -> Iterator[None]:
    """Wait for another process that compiles: it may well be the same kernels."""
    with ExitStack() as held:
        with suppress(LockedError, OSError):
            file = prepare_cache() / "compiling.lock"
            held.enter_context(locked(file, wait=_LONGEST_WAIT))
        yield


def _see_nothing(kernels: int, processes: int) -> AbstractContextManager[Callable[[], object]]:
    """Show nothing."""
    return nullcontext(lambda: None)


_watch: Watch = _see_nothing
_seconds = 0.0


def watch_compiling(watch: Watch) -> None:
    """Let ``watch`` show from now on what is compiled; loading compiled code is not shown."""
    global _watch
    _watch = watch


def compiling_seconds() -> float:
    """Return for how many seconds the program has waited for kernels to be compiled."""
    return _seconds


def declared_kernels() -> list[Any]:
    """Return all kernels of the modules imported so far that are not in use yet."""
    return list(_declared)


def make_ready(*kernels: Any) -> None:
    """Compile, or load, kernels and all that they call, so that their first use takes no time.

    What is no kernel, such as the plain function that one is under ``NUMBA_DISABLE_JIT=1``, is
    passed over.
    """
    if any(_is_declared(kernel) for kernel in kernels):
        with global_compiler_lock:
            calls = _calls(kernels)
            missing = {kernel for kernel in calls if not _is_cached(kernel)}
            if missing:
                with in_turn():
                    missing = {kernel for kernel in missing if not _is_cached(kernel)}
                    _compile_together({kernel: calls[kernel] & missing for kernel in missing})
            for kernel in TopologicalSorter(calls).static_order():
                _load_or_compile(kernel)


def direct(kernel: F) -> F:
    """Return what calls a kernel without looking at the types of its arguments.

    That takes up to 20 us where records or kernels are among them. The caller vouches for the types
    and for contiguous arrays.
    """
    if not hasattr(kernel, "entry_point"):
        make_ready(kernel)
    return getattr(kernel, "entry_point", kernel)


def compile_on_first_use(kernel: Any, signature: Any) -> None:
    """Put off compiling a kernel, or loading it, until it is first called or handed to another."""
    _declared[kernel] = signature
    kernel._cache = KernelCache(kernel.py_func)
    call_template = kernel.get_call_template

    def refused(*arguments: object) -> Any:
        raise TypeError(
            f"{kernel.__module__}.{kernel.__qualname__} is an inner kernel: "
            "expected a call from another kernel, got one from Python"
        )

    def called_from_python(*arguments: object, **named: object) -> Any:
        make_ready(kernel, *arguments)
        return kernel  # which Numba then calls

    def called_by_a_kernel(*types_given: Any) -> Any:
        make_ready(kernel)
        return call_template(*types_given)

    def handed_over(signature: Any) -> Any:
        make_ready(kernel)
        return kernel.get_compile_result(signature)

    kernel._compile_for_args = called_from_python
    kernel.get_call_template = called_by_a_kernel
    kernel.get_compile_result = handed_over
    if kernel.targetoptions["no_cpython_wrapper"]:
        # Numba would jump to the entry from Python that there is not.
        kernel._insert = lambda *entry: None
        kernel._compile_for_args = kernel._explain_matching_error = refused


def _calls(kernels: Iterable[Any]) -> dict[Any, set[Any]]:
    """Return which kernels each of these calls, and each of those, as far as they are declared."""
    calls: dict[Any, set[Any]] = {}
    left = [kernel for kernel in kernels if _is_declared(kernel)]
    while left:
        kernel = left.pop()
        if kernel not in calls:
            names = inspect.getclosurevars(kernel.py_func).globals.values()
            calls[kernel] = {each for each in names if _is_declared(each)} - {kernel}
            left += calls[kernel]
    return calls


def _is_declared(value: object) -> bool:
    """Tell whether something is a kernel that is not compiled yet; arrays cannot even be hashed."""
    return callable(value) and value in _declared


def _is_cached(kernel: Any) -> bool:
    """Tell whether the cache on disk has a kernel, compiled by this Numba for this processor."""
    held: bool = kernel._cache.holds(_declared[kernel], kernel.targetctx.codegen())
    return held


def _compile_together(calls: dict[Any, set[Any]]) -> None:
    """Compile kernels that are not cached, on as many cores as they keep busy."""
    global _seconds
    began = time.perf_counter()
    processes = processes_for(len(calls))
    watch = _watch if len(calls) > _UNSEEN else _see_nothing
    with watch(len(calls), processes) as one_is_compiled:
        if processes > 1:
            with suppress(OSError):  # no process can be started
                compile_elsewhere(calls, processes, one_is_compiled)
        for kernel in TopologicalSorter(calls).static_order():
            _load_or_compile(kernel)
            if processes == 1:
                one_is_compiled()
    _seconds += time.perf_counter() - began


def _load_or_compile(kernel: Any) -> None:
    """Load a kernel from the cache, else compile it, and let it be used as what it is."""
    signature = _declared.get(kernel)
    if signature is None:
        return
    # LLVM calls back into Python, where a Ctrl-C would be lost.
    with deferred_interrupts(), _vectorized_sums():
        kernel.compile(signature)
        kernel.disable_compile()
        del _declared[kernel]
    # Until now, other threads that use it have come back here, to wait.
    for hook in ("_compile_for_args", "get_call_template", "get_compile_result"):
        kernel.__dict__.pop(hook, None)
    # A kernel has exactly one form, which never moves; see ``kernel.py`` for the addresses.
    (only,) = kernel.overloads.values()
    is_inner = kernel.targetoptions["no_cpython_wrapper"]
    kernel.entry_point = kernel._explain_matching_error if is_inner else only.entry_point

    def handed_over(signature: Any) -> Any:
        find = only.library.get_pointer_to_function
        kernel.c_addr = find(only.fndesc.llvm_cfunc_wrapper_name)
        kernel.jit_addr = find(only.fndesc.llvm_func_name)
        return only

    kernel.get_compile_result = handed_over


@contextmanager
def _vectorized_sums() -> Iterator[None]:
    """Let sums that are kept in variables side by side become vectors, while the block runs.

    Numba has one option for all functions; the caller holds the lock, so that no other compiles.
    """
    previous, numba.config.SLP_VECTORIZE = numba.config.SLP_VECTORIZE, 1
    try:
        yield
    finally:
        numba.config.SLP_VECTORIZE = previous


@contextmanager
def deferred_interrupts() -> Iterator[Callable[[], bool]]:
    """Hold Ctrl-C back while the block runs, or the function that this decorates.

    The block gets a function that tells whether it was pressed.

    It keeps a net from being half trained or half saved. And calls of kernels that take other
    kernels need it: Numba runs some Python on the way into them, and what is raised there comes
    out as another error, if at all.

    Outside the main thread, which alone hears signals, this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    pressed = False

    def remember(signal_number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        pressed = True

    previous = signal.signal(signal.SIGINT, remember)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, previous)
        if pressed:
            signal.raise_signal(signal.SIGINT)
