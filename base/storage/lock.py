"""One process at a time: a lock that vanishes with the process that holds it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout


class LockedError(ValueError):
    """Another process holds a lock; ``str(error)`` is one line that names the folder."""


@contextmanager
def locked(path: str | os.PathLike[str], wait: float = 0.0) -> Iterator[None]:
    """Hold the lock of a file's name while the block runs.

    The file is empty, made if need be and removed at the end. The operating system holds the lock,
    so that a file which a dead process left behind is no obstacle.

    Args:
        path: The file; its folder is what the lock is about.
        wait: Seconds to wait for another process that holds it.

    Raises:
        LockedError: Another process holds it.
        OSError: The file cannot be made.
    """
    path = Path(path)
    lock = FileLock(path, thread_local=False)
    try:
        lock.acquire(timeout=wait)
    except Timeout:
        raise LockedError(f"{path.parent}: in use by another process, which writes to it") from None
    try:
        yield
    finally:
        with suppress(OSError):  # Windows removes no file that is open
            path.unlink()  # while it is held: whoever then locks the removed file tries again
        lock.release()
