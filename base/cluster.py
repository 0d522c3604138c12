"""A Ray cluster that does jobs: processes of this machine, or of many.

A job is stateless: what it returns depends on what it is given alone, so it does not matter who
does it, or how often. Transport, scheduling, and doing again what died with its machine are Ray's.
"""

from __future__ import annotations

import hashlib
import os
import platform
import secrets
import signal
import socket
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

_PROJECT = Path(__file__).resolve().parents[1]
_TICK_SECONDS = 1.0
_TASKS_A_CORE = 4
"""Jobs are bundled into so many tasks: more cost transport, fewer leave cores idle in the end."""
_NO_CLUSTER = (ImportError, OSError, OverflowError, RuntimeError, ValueError)
"""What Ray, or the network, raises for an address that is none."""
_RETRIES = 20
"""How often a task may die with its process before all ends; a job may kill whoever does it."""
_ELSEWHERE = (
    "{}: expected this very program in " + str(_PROJECT) + ", and the same numba, numpy and torch; "
    "it has others, or none"
)


class ClusterError(Exception):
    """There is no such cluster, or it cannot do the jobs."""


class Cluster:
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
        """Have a job done for each of some items; whatever ends this early ends all jobs.

        Args:
            job: ``job(item) -> result``. It is sent once, with all that it holds.
            items: What it is done for.
            on_results: ``on_results(place, results)``: gets the results of the items from a place
                on, as soon as they are there, in any order, in this thread.
            meanwhile: Called at least about once a second, in this thread.

        Raises:
            ClusterError: The cluster cannot do it.
        """
        ray, kept = self._ray, self._ray.put(job)
        size = max(1, len(items) // (_TASKS_A_CORE * self.cores))
        waiting = {
            self._do.remote(_program(), [kept], items[place : place + size]): place
            for place in range(0, len(items), size)
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
                raise ClusterError(_ELSEWHERE.format("a machine of the cluster")) from None
            raise error.cause from None
        except ray.exceptions.RayError as error:
            raise ClusterError(f"Ray gave a job up: {_first_line(error)}") from error
        finally:
            for task in waiting:
                ray.cancel(task)

    def map(self, job: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        """Do what ``map`` does, see ``anet.threads``; a single job is done here."""
        items, results = list(items), dict[int, list[Any]]()
        if len(items) < 2:
            return [job(item) for item in items]
        self.share_out(job, items, results.__setitem__)
        return [result for place in sorted(results) for result in results[place]]


_connected: Cluster | None = None


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


def connected() -> Cluster | None:
    """Return the cluster that this process shares work out to, if there is one."""
    return _connected


def disconnect() -> None:
    """Leave the cluster, or end the one that ``connect`` has started."""
    global _connected
    if _connected is not None:
        _connected = _connected._ray.shutdown()


def _do(program: str, kept: Sequence[Any], items: Sequence[Any]) -> list[Any]:
    """Do a job for some items, in another process."""
    import ray

    if program != _program():
        raise ClusterError(_ELSEWHERE.format(platform.node()))
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
    """Return the beginning of a message that may have many lines."""
    return str(error).strip().partition("\n")[0]
