"""Other processes that compile kernels into the cache on disk."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import numba

from base.jit.cache import prepare_cache

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
    """Compile the kernels of a call graph in other processes, each after those that it calls.

    If a process dies, its kernels are missing from the cache.
    """
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
    """Start a process that runs ``serve``.

    A new interpreter works on every system: a fork would copy the locks of our threads, and
    ``multiprocessing`` imports the program once more.
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
