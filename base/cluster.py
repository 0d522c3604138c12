"""Processes that do jobs: of this machine, or of all machines of a Ray cluster.

A job is stateless: what it returns depends on what it is given alone, so it does not matter who
does it, or how often. Transport, scheduling, and doing again what died with its machine are Ray's;
on one machine they are loky's.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import suppress
from functools import partial
from typing import Any

TICK_SECONDS = 1.0
_TASKS_A_CORE = 4
"""Jobs are bundled into so many tasks: more cost transport, fewer leave cores idle in the end."""
_NO_LIMIT = "1e18"
"""Bytes. By default loky ends a process that has grown by 300 MB, as kernels and nets make it."""


class ClusterError(Exception):
    """There is no such cluster, or it cannot do the jobs."""


class Workers(ABC):
    """Who does jobs."""

    @property
    @abstractmethod
    def cores(self) -> int:
        """How many jobs they do at a time, as it is now."""

    @abstractmethod
    def share_out(
        self,
        job: Callable[[Any], Any],
        items: Sequence[Any],
        on_results: Callable[[int, list[Any]], object],
        meanwhile: Callable[[], object] = lambda: None,
    ) -> None:
        """Have a job done for each of some items; whatever ends this ends all jobs soon.

        Args:
            job: ``job(item) -> result``. It is sent once, with all that it holds.
            items: What it is done for.
            on_results: ``on_results(place, results)``: gets the results of the items from a place
                on, as soon as they are there, in any order, in this thread.
            meanwhile: Called at least about once a second, in this thread.

        Raises:
            ClusterError: They cannot do it.
        """

    @abstractmethod
    def end(self) -> None:
        """Send them home, whatever they are doing."""

    def map(self, job: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        """Do what ``map`` does, see ``anet.threads``; a single job is done here."""
        if len(items := list(items)) < 2:
            return [job(item) for item in items]
        results: dict[int, list[Any]] = {}
        self.share_out(job, items, results.__setitem__)
        return [result for place in sorted(results) for result in results[place]]

    def _parts(self, items: Sequence[Any]) -> list[range]:
        """Return the places of the items of each task."""
        places, size = range(len(items)), max(1, len(items) // (_TASKS_A_CORE * self.cores))
        return [places[place : place + size] for place in places[::size]]


class Processes(Workers):
    """Processes of this machine, which begin with the first job and end with this one."""

    def __init__(self, count: int) -> None:
        """Prepare so many."""
        import cloudpickle  # these take a tenth of a second to load, and most commands need neither
        import loky

        from base.jit import prepare_cache

        self._pickled = cloudpickle.dumps
        self._count = count
        env = {"OMP_NUM_THREADS": "1", "LOKY_MAX_MEMORY_LEAK_SIZE": _NO_LIMIT}
        env["NUMBA_CACHE_DIR"] = str(prepare_cache().parent)
        pool = partial(loky.ProcessPoolExecutor, count, env=env)
        self._begin = partial(pool, initializer=_begin_work, initargs=(os.getpid(),))
        self._pool = self._begin()

    @property
    def cores(self) -> int:
        """How many processes there are."""
        return self._count

    def share_out(
        self,
        job: Callable[[Any], Any],
        items: Sequence[Any],
        on_results: Callable[[int, list[Any]], object],
        meanwhile: Callable[[], object] = lambda: None,
    ) -> None:
        """Have a job done for each of some items; see ``Workers``."""
        sent = self._pickled(job)
        waiting: dict[Future[list[Any]], int] = {}
        try:
            for part in self._parts(items):
                waiting[self._pool.submit(do_sent, sent, [items[n] for n in part])] = part[0]
            while waiting:
                for task in wait(waiting, TICK_SECONDS, FIRST_COMPLETED).done:
                    on_results(waiting[task], task.result())
                    del waiting[task]
                meanwhile()
        except BrokenExecutor as error:
            self.end()
            raise ClusterError(
                "rl.engine=processes: one of them died; if memory ran out, lower rl.workers"
            ) from error
        finally:
            if waiting:
                self.end()

    def end(self) -> None:
        """End the processes; others begin with the next job."""
        self._pool.shutdown(kill_workers=True)
        self._pool = self._begin()


_connected: Workers | None = None


def begin(processes: int) -> None:
    """Let processes of this machine do from now on what is shared out, if nobody does so yet."""
    global _connected
    _connected = _connected or Processes(processes)


def connect(address: str | None) -> None:
    """Connect this process to a cluster, if it is not connected: work then goes there.

    Args:
        address: Of a running cluster, such as ``10.0.0.1:6379``, or ``auto`` for the one that this
            machine belongs to; ``None`` starts one on this machine, for this process alone.

    Raises:
        ClusterError: There is no such cluster.
        ModuleNotFoundError: Ray is not installed.
    """
    from base.ray_cluster import Cluster

    global _connected
    _connected = _connected or Cluster(address)


def connected() -> Workers | None:
    """Return whom this process shares work out to, if there is anybody."""
    return _connected


def disconnect() -> None:
    """Share nothing out any more."""
    global _connected
    if _connected is not None:
        _connected.end()
    _connected = None


def _begin_work(first: int) -> None:
    """Leave Ctrl-C, which a terminal sends to all processes, to the first one, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(first,), daemon=True).start()


def _end_with(process: int) -> None:
    """Wait until another process has ended, and end this one."""
    import psutil

    with suppress(psutil.NoSuchProcess):
        psutil.Process(process).wait()
    os._exit(1)


def do_sent(sent: bytes, items: Sequence[Any]) -> list[Any]:
    """Do a job, as it was sent, for some items, in another process."""
    job = pickle.loads(sent)  # from the process that has started this one
    return [job(item) for item in items]
