"""Processes that do jobs: of this machine, or of all machines of a Ray cluster.

A job is stateless: what it returns depends on what it is given alone, so it does not matter who
does it, or how often. Transport, scheduling, and doing again what died with its machine are Ray's;
on one machine they are loky's.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import secrets
import signal
import socket
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import suppress
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

_PROJECT = Path(__file__).resolve().parents[1]
_TICK_SECONDS = 1.0
_TASKS_A_CORE = 4
"""Jobs are bundled into so many tasks: more cost transport, fewer leave cores idle in the end."""
_NO_LIMIT = "1e18"
"""Bytes. By default loky ends a process that has grown by 300 MB, as kernels and nets make it."""
_NO_CLUSTER = (ImportError, OSError, OverflowError, RuntimeError, ValueError)
"""What Ray, or the network, raises for an address that is none."""
_RETRIES = 20
"""How often a task may die with its process before all ends; a job may kill whoever does it."""
_ELSEWHERE = "{}: expected this very program in {}, and the same numba, numpy and torch there"


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
                waiting[self._pool.submit(_do_sent, sent, [items[n] for n in part])] = part[0]
            while waiting:
                for task in wait(waiting, _TICK_SECONDS, FIRST_COMPLETED).done:
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


class Cluster(Workers):
    """A connection to a Ray cluster."""

    def __init__(self, address: str | None) -> None:
        """Connect; see ``connect``."""
        os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_task_oom_retries": str(_RETRIES)}
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else it warns
        if address is None and "RAY_AUTH_MODE" not in os.environ:
            # Its ports are open to the network: a secret keeps everybody else out.
            os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
        import ray  # takes half a second to load, and need not be installed

        on_stop = signal.getsignal(signal.SIGTERM)
        host, _, port = (address or "").rpartition(":")
        try:
            if port.isdecimal() and host and "/" not in host:
                socket.create_connection((host, int(port)), 5.0).close()  # Ray tries for minutes
            ray.init(
                address or "local",
                include_dashboard=False,
                log_to_driver=False,
                logging_level="CRITICAL",
                job_config=ray.job_config.JobConfig(_py_driver_sys_path=[str(_PROJECT)]),
            )
        except (*_NO_CLUSTER, ray.exceptions.RayError) as error:
            what = f"rl.ray_address={address}: no Ray cluster that can be used"
            raise ClusterError(f"{what} ({_first_line(error)})") from error
        finally:
            if threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGTERM, on_stop)  # which Ray has replaced
        self._ray = ray
        self._do = ray.remote(max_retries=_RETRIES, retry_exceptions=[MemoryError])(_do)

    @property
    def cores(self) -> int:
        """How many jobs it does at a time, as it is now."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def share_out(
        self,
        job: Callable[[Any], Any],
        items: Sequence[Any],
        on_results: Callable[[int, list[Any]], object],
        meanwhile: Callable[[], object] = lambda: None,
    ) -> None:
        """Have a job done for each of some items; see ``Workers``."""
        # Nothing is cancelled: of a task that is just done, that makes Ray abort this process.
        ray, kept = self._ray, self._ray.put(job)
        waiting = {
            self._do.remote(_program(), [kept], [items[place] for place in part]): part[0]
            for part in self._parts(items)
        }
        try:
            while waiting:
                done, _ = ray.wait(list(waiting), num_returns=len(waiting), timeout=_TICK_SECONDS)
                for task in done:
                    on_results(waiting[task], ray.get(task))
                    del waiting[task]
                meanwhile()
        except ray.exceptions.RayTaskError as error:
            if "failed to import" in str(error.cause):
                raise ClusterError(
                    _ELSEWHERE.format("a machine of the cluster", _PROJECT)
                ) from None
            raise error.cause from None
        except ray.exceptions.RayError as error:
            raise ClusterError(f"Ray gave a job up: {_first_line(error)}") from error

    def end(self) -> None:
        """Leave the cluster, or end the one that was started for this process."""
        self._ray.shutdown()


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


def _do_sent(sent: bytes, items: Sequence[Any]) -> list[Any]:
    """Do a job, as it was sent, for some items, in another process."""
    job = pickle.loads(sent)  # from the process that has started this one
    return [job(item) for item in items]


def _do(program: str, kept: Sequence[Any], items: Sequence[Any]) -> list[Any]:
    """Do a job for some items, in another process."""
    import ray

    if program != _program():
        raise ClusterError(_ELSEWHERE.format(socket.gethostname(), _PROJECT))
    job = ray.get(kept[0])
    return [job(item) for item in items]


@cache
def _program() -> str:
    """Return a digest of what the results of jobs depend on besides what they are given."""
    rooms = sorted(init.parent for init in _PROJECT.glob("*/__init__.py"))
    files = [file for room in rooms for file in sorted(room.rglob("*.py"))]
    versions = [version(library) for library in ("numba", "numpy", "torch")]
    return hashlib.sha256(
        b"".join(map(Path.read_bytes, files)) + repr(versions).encode()
    ).hexdigest()


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
