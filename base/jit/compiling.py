"""Compilation of many kernels at once: in several processes, with progress; and Ctrl-C.

LLVM works under a lock. So other processes compile some kernels into the cache on disk, and this
process loads them; it compiles others meanwhile.
"""

import importlib
import io
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import (
    AbstractContextManager,
    ExitStack,
    contextmanager,
    nullcontext,
    redirect_stderr,
    suppress,
)
from graphlib import TopologicalSorter
from types import FrameType
from typing import Any

import numba

from base.jit.cache import prepare_cache
from base.storage import LockedError, locked

Watch = Callable[[int, int], AbstractContextManager[Callable[[], object]]]
"""``with watch(kernels, processes) as one_is_compiled``: a progress display. It receives the number
of kernels to compile and of processes; ``one_is_compiled()`` is called after each kernel."""

_KERNELS_EACH = 4  # with fewer kernels per process, its start takes longer than it saves
_TASKS_EACH = 2  # kernels given to each other process: one waits while this process is busy
_MOST_PROCESSES = 4
"""More processes would only wait for the longest chain of kernels that call each other."""
_LONGEST_WAIT = 300.0  # seconds to wait for another process; then both compile
_UNSEEN = 3  # up to this number, about a second, kernels are compiled without a message

_is_locked = False  # whether this process, or the one that it compiles for, holds the lock


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


def processes_for(kernels: int) -> int:
    """Return how many processes should compile these kernels; 1 means this process alone."""
    # Python is embedded in another program, or no cache folder can hold the kernels.
    if not sys.executable or not prepare_cache().is_dir():
        return 1
    cores: int = numba.config.NUMBA_DEFAULT_NUM_THREADS
    return max(1, min(cores, _MOST_PROCESSES, kernels // _KERNELS_EACH))


def compile_together(calls: Mapping[Any, set[Any]]) -> None:
    """Compile the kernels of a call graph that are not cached, in parallel where that pays."""
    global _seconds
    began = time.perf_counter()
    with _lock() as is_nested:
        missing = {kernel for kernel in calls if not kernel.is_cached()}
        calls = {kernel: calls[kernel] & missing for kernel in missing}
        processes = 1 if is_nested else processes_for(len(calls))
        watch = _watch if len(calls) > _UNSEEN else _see_nothing
        with watch(len(calls), processes) as one_is_compiled:
            if processes > 1:
                with suppress(OSError, BrokenExecutor):  # no process can be started, or one died
                    _compile_in_parallel(calls, processes, one_is_compiled)
            for kernel in TopologicalSorter(calls).static_order():
                kernel.load()
                if processes == 1:
                    one_is_compiled()
    _seconds += time.perf_counter() - began


@contextmanager
def _lock() -> Iterator[bool]:
    """Wait while another process compiles, perhaps the same kernels; yield whether it is held."""
    global _is_locked
    with ExitStack() as held:
        if not _is_locked:
            with suppress(LockedError, OSError):
                held.enter_context(locked(prepare_cache() / "compiling.lock", wait=_LONGEST_WAIT))
        before, _is_locked = _is_locked, True
        try:
            yield before
        finally:
            _is_locked = before


def _compile_in_parallel(
    calls: Mapping[Any, set[Any]], processes: int, one_is_compiled: Callable[[], object]
) -> None:
    """Compile kernels here and in other processes, each after those that it calls.

    The others take the most urgent kernels, and this one the next; some may fail there.
    """
    from base.cluster import process_pool

    order, work = TopologicalSorter(calls), _work_from(calls)
    order.prepare()
    ready: list[Any] = []
    running: dict[Future[None], Any] = {}
    pool = process_pool(processes - 1)
    try:
        while order.is_active():
            ready = sorted([*ready, *order.get_ready()], key=work.__getitem__)
            while ready and len(running) < _TASKS_EACH * (processes - 1):
                kernel = ready.pop()
                task = pool.submit(_compile_for_another, kernel.__module__, kernel.__qualname__)
                running[task] = kernel
            has_more = bool(ready)
            if has_more:
                kernel = ready.pop()
                kernel.load()
                order.done(kernel)
                one_is_compiled()
            # Windows handles Ctrl-C only between two short waits.
            patience = 0.0 if has_more else 0.1
            for task in wait(running, timeout=patience, return_when=FIRST_COMPLETED).done:
                task.result()
                order.done(running.pop(task))
                one_is_compiled()
    finally:
        pool.shutdown(kill_workers=True)  # the cache's files are whole at any moment


def _compile_for_another(module: str, name: str) -> None:
    """Compile a kernel into the cache, in a worker process."""
    global _is_locked
    _is_locked = True
    # The parent compiles again what has failed or cannot be kept, and tells why.
    with suppress(Exception), redirect_stderr(io.StringIO()):
        getattr(importlib.import_module(module), name).load()


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


@contextmanager
def deferred_interrupts() -> Iterator[Callable[[], bool]]:
    """Defer Ctrl-C while the block, or the decorated function, runs.

    The block receives a function that returns whether Ctrl-C was pressed. This keeps a net from
    being half trained or half saved. Calls of kernels that take records or kernels need it too:
    Numba runs some Python on the way into them, and would lose or change an exception raised there.
    Only the main thread receives signals; in others this does nothing.
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
