"""Compilation of kernels on first use: all that are needed at once, in parallel, with progress.

LLVM works under a lock. So other processes compile into the cache on disk, and this process loads
the results; it compiles the rest.
"""

import importlib
import inspect
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from graphlib import TopologicalSorter
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import numba
from numba.core.compiler_lock import global_compiler_lock

from base.jit.cache import KernelCache, prepare_cache
from base.storage import LockedError, locked

_KERNELS_EACH = 4
"""With fewer kernels per process, its start takes longer than it saves."""
_MOST_PROCESSES = 4
"""More processes would only wait for the longest chain of kernels that call each other."""


def processes_for(kernels: int) -> int:
    """Return how many processes should compile these kernels; 1 means this process alone."""
    # Python is embedded in another program, or no cache folder can hold the kernels.
    if not sys.executable or not prepare_cache().is_dir():
        return 1
    cores: int = numba.config.NUMBA_DEFAULT_NUM_THREADS
    return max(1, min(cores, _MOST_PROCESSES, kernels // _KERNELS_EACH))


def compile_elsewhere(
    calls: Mapping[Any, set[Any]], processes: int, one_is_compiled: Callable[[], object]
) -> None:
    """Compile kernels in other processes, each after those that it calls; some may fail."""
    order, work = TopologicalSorter(calls), _work_from(calls)
    order.prepare()
    ready: list[Any] = []
    team: list[subprocess.Popen[str]] = []
    idle: queue.SimpleQueue[subprocess.Popen[str]] = queue.SimpleQueue()

    def compile_one(kernel: Any) -> Any:
        process = idle.get()
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(OSError):  # it has died
            process.stdin.write(f"{kernel.__module__}:{kernel.__qualname__}\n")
            process.stdin.flush()
            process.stdout.readline()
        idle.put(process)
        return kernel

    threads = ThreadPoolExecutor(processes)
    running: set[Future[Any]] = set()
    try:
        for _ in range(processes):
            team.append(_start())
            idle.put(team[-1])
        while order.is_active():
            ready = sorted([*ready, *order.get_ready()], key=work.__getitem__)
            while ready and len(running) < processes:
                running.add(threads.submit(compile_one, ready.pop()))
            # Windows handles Ctrl-C only between two short waits.
            done, running = wait(running, timeout=0.1, return_when=FIRST_COMPLETED)
            for each in done:
                order.done(each.result())
                one_is_compiled()
    finally:
        for process in team:
            process.kill()  # the cache's files are whole at any moment
        threads.shutdown(cancel_futures=True)
        for process in team:
            with suppress(OSError), process:  # closes its pipes
                pass


def _work_from(calls: Mapping[Any, set[Any]]) -> dict[Any, int]:
    """Return the work from each kernel on: its own, and that of the longest chain of callers.

    The code of the kernels that it calls becomes part of a kernel.
    """
    order = [*TopologicalSorter(calls).static_order()]
    own: dict[Any, int] = {}
    for kernel in order:
        own[kernel] = 1 + sum(own[called] for called in calls[kernel])
    work = dict(own)
    for kernel in reversed(order):
        for called in calls[kernel]:
            work[called] = max(work[called], own[called] + work[kernel])
    return work


def _start() -> subprocess.Popen[str]:
    """Start a process that runs ``serve``, in a new interpreter.

    A fork would copy the locks of our threads, and ``multiprocessing`` imports the program again.
    """
    return subprocess.Popen(
        [sys.executable, "-c", "from base.jit.compiling import serve; serve()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=Path(__file__).resolve().parents[2],
        env={
            **os.environ,
            "NUMBA_CACHE_DIR": str(prepare_cache().parent),
            "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path),
        },
        text=True,
    )


F = TypeVar("F", bound=Callable[..., Any])

Watch = Callable[[int, int], AbstractContextManager[Callable[[], object]]]
"""``with watch(kernels, processes) as one_is_compiled``: a progress display. It receives the number
of kernels to compile and of processes; ``one_is_compiled()`` is called after each kernel."""

_declared: dict[Any, Any] = {}
"""The signature of each kernel that is neither compiled nor loaded yet."""

_LONGEST_WAIT = 300.0
"""Seconds to wait for another process; then both compile."""
_UNSEEN = 3
"""Up to this number, about a second, kernels are compiled without a message."""

_is_worker = False
"""Whether this process compiles for another one, which holds the lock."""


def _see_nothing(kernels: int, processes: int) -> AbstractContextManager[Callable[[], object]]:
    return nullcontext(lambda: None)


_watch: Watch = _see_nothing
_seconds = 0.0


def watch_compiling(watch: Watch) -> None:
    """Use ``watch`` from now on as the progress display of compilation; loading is not shown."""
    global _watch
    _watch = watch


def compiling_seconds() -> float:
    """Return the seconds that the program has spent on compilation."""
    return _seconds


def declared_kernels() -> list[Any]:
    """Return all kernels of the imported modules that are not compiled or loaded yet."""
    return list(_declared)


def make_ready(*kernels: Any) -> None:
    """Compile or load kernels and all that they call; ignore other arguments."""
    if any(_is_declared(kernel) for kernel in kernels):
        with global_compiler_lock:
            calls = _calls(kernels)
            missing = {kernel for kernel in calls if not _is_cached(kernel)}
            if missing:
                with ExitStack() as held:
                    # Another process may compile the same kernels.
                    with suppress(LockedError, OSError):
                        file = prepare_cache() / "compiling.lock"
                        if not _is_worker:
                            held.enter_context(locked(file, wait=_LONGEST_WAIT))
                    missing = {kernel for kernel in missing if not _is_cached(kernel)}
                    _compile_together({kernel: calls[kernel] & missing for kernel in missing})
            for kernel in TopologicalSorter(calls).static_order():
                _load_or_compile(kernel)


def direct(kernel: F) -> F:
    """Return an entry point for the right, contiguous arguments, without their check (20 us)."""
    if not hasattr(kernel, "entry_point"):
        make_ready(kernel)
    return getattr(kernel, "entry_point", kernel)


def compile_on_first_use(kernel: Any, signature: Any) -> None:
    """Defer compiling or loading a kernel until it is first called or passed to another."""
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
        return kernel  # Numba then calls it

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
        # An inner kernel has no entry from Python; Numba would jump to it.
        kernel._insert = lambda *entry: None
        kernel._compile_for_args = kernel._explain_matching_error = refused


def _calls(kernels: Iterable[Any]) -> dict[Any, set[Any]]:
    """Return the call graph of the declared kernels that are reachable from some kernels."""
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
    """Return whether a value is a kernel not compiled yet; arrays, for one, cannot be hashed."""
    return callable(value) and value in _declared


def _is_cached(kernel: Any) -> bool:
    held: bool = kernel._cache.holds(_declared[kernel], kernel.targetctx.codegen())
    return held


def _compile_together(calls: dict[Any, set[Any]]) -> None:
    """Compile kernels that are not cached, in parallel where that pays."""
    global _seconds
    began = time.perf_counter()
    processes = 1 if _is_worker else processes_for(len(calls))
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


def serve() -> None:
    """Compile the kernels named on standard input, one per line; write a line after each."""
    global _is_worker
    _is_worker = True
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process ends this one
    for line in sys.stdin:
        module, _, name = line.strip().partition(":")
        with suppress(Exception):  # the parent compiles it again and raises its error
            make_ready(getattr(importlib.import_module(module), name))
        sys.stdout.write("\n")
        sys.stdout.flush()


def _load_or_compile(kernel: Any) -> None:
    """Load a kernel from the cache, else compile it, and remove the hooks of the first use."""
    signature = _declared.get(kernel)
    if signature is None:
        return
    # SLP vectorizes sums in neighbouring variables; Numba has one option for all functions.
    previous, numba.config.SLP_VECTORIZE = numba.config.SLP_VECTORIZE, 1
    try:
        with deferred_interrupts():  # LLVM calls back into Python, where a Ctrl-C would be lost
            kernel.compile(signature)
            kernel.disable_compile()
            del _declared[kernel]
    finally:
        numba.config.SLP_VECTORIZE = previous
    # Until now, other threads that use the kernel wait here.
    for hook in ("_compile_for_args", "get_call_template", "get_compile_result"):
        kernel.__dict__.pop(hook, None)
    # A kernel has exactly one compiled form, at a fixed address; ``kernel.py`` uses the addresses.
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
def deferred_interrupts() -> Iterator[Callable[[], bool]]:
    """Defer Ctrl-C while the block, or the decorated function, runs.

    The block receives a function that returns whether Ctrl-C was pressed. This keeps a net from
    being half trained or half saved. Calls of kernels that take other kernels need it too: Numba
    runs some Python on the way into them, and would lose or change an exception raised there. Only
    the main thread receives signals; in others this does nothing.
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
