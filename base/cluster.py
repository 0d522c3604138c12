"""Worker processes: on this machine, or on all machines of a Ray cluster.

A job's result depends on its input alone, so it may run anywhere, and more than once. Ray has the
transport, the scheduling and the retries after a machine has failed; loky has the first two.
"""

import os
import pickle
import signal
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from typing import Any

TICK_SECONDS = 1.0
_TASKS_A_CORE = 4
"""Tasks per core, bundles of jobs: more cost transport, fewer leave cores idle in the end."""
_NO_LIMIT = "1e18"
"""Bytes. By default loky ends a process that has grown by 300 MB; kernels and nets need more."""


Call = Callable[..., Any]


class ClusterError(Exception):
    """The cluster does not exist, or cannot do the jobs."""


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Workers(ABC):
    """A pool of workers."""

    @property
    @abstractmethod
    def cores(self) -> int:
        """The number of jobs that run at the same time; it may change."""

    @abstractmethod
    def share_out(
        self, job: Call, items: Sequence[Any], on_results: Call, meanwhile: Call = lambda: None
    ) -> None:
        """Run ``job(item)`` for each item; an exception in this call ends all jobs soon.

        The job is sent once, with all that it holds. ``on_results(place, results)`` receives the
        results of consecutive items, from index ``place`` on, as soon as they arrive, in any order;
        ``meanwhile`` is called about once a second or more often. Both are called in this thread.
        Workers that cannot do the job raise a ``ClusterError``.
        """

    def map(self, job: Call, items: Iterable[Any]) -> list[Any]:
        """Map a job over items, see ``Map``; a single job runs in this process."""
        if len(items := list(items)) < 2:
            return [job(item) for item in items]
        results: dict[int, list[Any]] = {}
        self.share_out(job, items, results.__setitem__)
        return [result for place in sorted(results) for result in results[place]]

    def _parts(self, items: Sequence[Any]) -> list[range]:
        places, size = range(len(items)), max(1, len(items) // (_TASKS_A_CORE * self.cores))
        return [places[place : place + size] for place in places[::size]]


class LocalProcesses(Workers):
    """Processes of this machine; they start with the first job and end with this process."""

    def __init__(self, count: int) -> None:
        """Prepare ``count`` processes."""
        import cloudpickle  # takes a while to load, and most commands do not need it

        self._pickled = cloudpickle.dumps
        self._count = count
        self._pool = process_pool(count)

    @property
    def cores(self) -> int:
        """The number of processes."""
        return self._count

    def share_out(
        self, job: Call, items: Sequence[Any], on_results: Call, meanwhile: Call = lambda: None
    ) -> None:
        """Run a job for each item; see ``Workers``."""
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
            words = "rl.engine=processes: one of them died; if memory ran out, lower rl.workers"
            raise ClusterError(words) from error
        finally:
            if waiting:
                self.end()

    def end(self) -> None:
        """End the processes; new ones start with the next job."""
        self._pool.shutdown(kill_workers=True)
        self._pool = process_pool(self._count)


def process_pool(count: int) -> Any:
    """Return an executor with processes that end with this one, and leave Ctrl-C to it."""
    import loky  # takes a while to load

    from base.jit.cache import prepare_cache

    env = {"OMP_NUM_THREADS": "1", "LOKY_MAX_MEMORY_LEAK_SIZE": _NO_LIMIT}
    env["NUMBA_CACHE_DIR"] = str(prepare_cache().parent)
    return loky.ProcessPoolExecutor(
        count, env=env, initializer=_begin_work, initargs=(os.getpid(),)
    )


def _begin_work(first: int) -> None:
    """Leave Ctrl-C, which a terminal sends to all processes, to process ``first``; end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(first,), daemon=True).start()


def _end_with(process: int) -> None:
    import psutil

    with suppress(psutil.NoSuchProcess):
        psutil.Process(process).wait()
    os._exit(1)


def do_sent(sent: bytes, items: Sequence[Any]) -> list[Any]:
    """Run a pickled job for some items, in a worker process."""
    job = pickle.loads(sent)  # from the parent process
    return [job(item) for item in items]


Map = Callable[..., Iterable[Any]]
"""A ``map`` that may make its calls at any time; results are in order."""


@contextmanager
def side_by_side(threads: int, cluster: Workers | None = None) -> Iterator[Map]:
    """Yield a ``map`` that makes its calls on several threads, or on a cluster.

    An exception in a call is raised in place of its result; calls not begun when the block ends are
    cancelled. Each torch call uses its own thread alone (``on_one_core``).
    """
    if cluster is not None or threads == 1:
        yield map if cluster is None else cluster.map
        return
    with ThreadPoolExecutor(threads) as pool:
        try:
            yield pool.map
        finally:
            pool.shutdown(cancel_futures=True)
