"""Processes of all machines of a Ray cluster, or of a cluster started on this machine."""

import hashlib
import os
import secrets
import socket
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil

from base.cluster import TICK_SECONDS, Call, ClusterError, Workers, do_sent
from base.project import IMPORTED_FROM, ROOT
from base.storage import excerpt

_MOST_SECONDS, _GREETING_SECONDS = 60.0, 5.0
"""Limits for connecting to a cluster, and for its first bytes; Ray alone waits for minutes."""
_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
"""The first bytes of HTTP/2, Ray's protocol: settings, frames of type 4 (RFC 9113, section 3.4)."""
_RETRIES = 20  # retries of a task after a worker crash, before the whole call fails
_ELSEWHERE = "{}: expected this very program in {}, and the same numba, numpy and torch there"


class Cluster(Workers):
    """A connection to a Ray cluster."""

    def __init__(self, address: str | None) -> None:
        """Connect to the cluster at an address such as ``10.0.0.1:6379``, else a ``ClusterError``.

        ``auto`` is the cluster of this machine; ``None`` starts one here, for this process alone.
        """
        os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_task_oom_retries": str(_RETRIES)}
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else it warns
        if address is None:
            # Listen at the loopback address alone, as Ray does on macOS and Windows.
            os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
            if "RAY_AUTH_MODE" not in os.environ:  # a secret keeps this machine's other users out
                secret = secrets.token_hex(32)
                os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secret}
        import ray  # takes half a second to load, and need not be installed

        host, _, port = (address or "").rpartition(":")
        how = {"job_config": ray.job_config.JobConfig(_py_driver_sys_path=[str(IMPORTED_FROM)])}
        how |= {"include_dashboard": False, "log_to_driver": False, "logging_level": "CRITICAL"}
        begin = partial(ray.init, address or "local", **how)
        try:
            if port.isdecimal() and host and "/" not in host:
                with socket.create_connection((host, int(port)), _GREETING_SECONDS) as server:
                    if os.environ.get("RAY_USE_TLS", "0") == "0":
                        server.sendall(_GREETING)
                        if (greeting := server.recv(9))[3:4] != b"\4":
                            got = excerpt(greeting)
                            raise ConnectionError(f"expected HTTP/2 from it, got {got}")
            _wait_for(begin, None if address is None else _MOST_SECONDS)
        except Exception as error:  # Ray raises a bare Exception if it cannot start a cluster
            what = "rl.engine=ray" if address is None else f"rl.ray_address={address}"
            why = f"no Ray cluster that can be used ({_first_line(error)})"
            raise ClusterError(f"{what}: {why}") from error
        self._ray, self._pickled = ray, ray.cloudpickle.dumps
        mine = psutil.Process().children() if address is None else []
        self._raylets = [each for each in mine if each.name() == "raylet"]
        self._do = ray.remote(max_retries=_RETRIES, retry_exceptions=[MemoryError])(_do)

    @property
    def cores(self) -> int:
        """The number of jobs that run at the same time; it may change."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def share_out(
        self, job: Call, items: Sequence[Any], on_results: Call, meanwhile: Call = lambda: None
    ) -> None:
        """Run a job for each item; see ``Workers``."""
        # Tasks are never cancelled: if one has just finished, Ray then aborts this process.
        # Ray is given bytes: it would unpack read-only arrays, which kernels refuse.
        self._check_raylets()
        ray, kept = self._ray, self._ray.put(self._pickled(job))
        waiting = {
            self._do.remote(_program(), [kept], [items[place] for place in part]): part[0]
            for part in self._parts(items)
        }
        try:
            while waiting:
                done, _ = ray.wait(list(waiting), num_returns=len(waiting), timeout=TICK_SECONDS)
                for task in done:
                    on_results(waiting[task], ray.get(task))
                    del waiting[task]
                self._check_raylets()
                meanwhile()
        except ray.exceptions.RayTaskError as error:
            if "failed to import" in str(error.cause):
                raise ClusterError(_ELSEWHERE.format("a machine of the cluster", ROOT)) from None
            raise error.cause from None
        except ray.exceptions.RayError as error:
            raise ClusterError(f"Ray gave a job up: {_first_line(error)}") from error

    def _check_raylets(self) -> None:
        """Raise an error if the raylet of this machine has ended: Ray then ends us silently."""
        for each in self._raylets:
            if not each.is_running() or each.status() == psutil.STATUS_ZOMBIE:
                raise ClusterError("Ray's process on this machine, its raylet, has ended")


def _do(program: str, kept: Sequence[Any], items: Sequence[Any]) -> list[Any]:
    import ray

    if program != _program():
        raise ClusterError(_ELSEWHERE.format(socket.gethostname(), ROOT))
    return do_sent(ray.get(kept[0]), items)


@cache
def _program() -> str:
    rooms = sorted(init.parent for init in ROOT.glob("*/__init__.py"))
    files = [file for room in rooms for file in sorted(room.rglob("*.py"))]
    versions = [version(library) for library in ("numba", "numpy", "torch")]
    sources = b"".join(map(Path.read_bytes, files))
    return hashlib.sha256(sources + repr(versions).encode()).hexdigest()


def _wait_for(begin: Callable[[], object], seconds: float | None) -> None:
    """Call ``begin`` in another thread; here Ray would block all signals while it connects."""
    done: Future[object] = Future()

    def work() -> None:
        try:
            done.set_result(begin())
        except BaseException as error:
            done.set_exception(error)
        threading.Event().wait()  # Linux ends child processes with the thread that started them

    threading.Thread(target=work, daemon=True).start()
    try:
        done.result(seconds)
    except TimeoutError as error:
        raise TimeoutError(str(error) or f"it has not answered for {seconds:g} s") from error


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
