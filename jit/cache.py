"""Where compiled kernels are kept, and when they are thrown away.

Numba looks only at the file that defines a kernel, so it does not notice that a function which
the kernel calls has changed in another file. The cache folder is therefore named by a digest of
every source file that can hold kernels: any edit starts a new folder.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

import numba

_PROJECT = Path(__file__).resolve().parent.parent
_KERNEL_ROOMS = ("jit", "state_manager", "mcts", "anet")
_PREFIX = "kernels-"
_FOLDERS_KEPT = 4


def kernel_sources_digest(project: Path = _PROJECT) -> str:
    """Return 16 hexadecimal digits that change when any kernel source changes.

    Args:
        project: The folder that holds the rooms with kernels in them.
    """
    digest = hashlib.sha256()
    for room in _KERNEL_ROOMS:
        for source in sorted((project / room).glob("**/*.py")):
            digest.update(str(source.relative_to(project)).encode())
            digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


@cache
def prepare_cache() -> Path:
    """Tell Numba where to keep compiled code, once, before the first kernel is compiled.

    The folder lies under the user's ``NUMBA_CACHE_DIR`` if that is set, else in the project; where
    neither can be written to, it is a temporary one that goes when the machine tidies up.

    Returns:
        The folder in use.
    """
    parent = Path(os.environ.get("NUMBA_CACHE_DIR") or _PROJECT / ".kernel_cache")
    name = f"{_PREFIX}{kernel_sources_digest()}"
    folder = _writable(parent / name)
    if folder is None:
        # Named as elsewhere, so that a process which is told of the parent finds it.
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX)) / name
        folder.mkdir()
    else:
        os.utime(folder)
        _prune(parent, keep=folder)
    numba.config.CACHE_DIR = str(folder)
    return folder


def _writable(folder: Path) -> Path | None:
    """Make ``folder`` and return it, or ``None`` where nothing can be written into it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return None


def _prune(parent: Path, keep: Path) -> None:
    """Remove all but the most recently used cache folders; a folder in use elsewhere may stay."""
    folders = [path for path in parent.glob(f"{_PREFIX}*") if path != keep]
    folders.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for stale in folders[_FOLDERS_KEPT - 1 :]:
        shutil.rmtree(stale, ignore_errors=True)
