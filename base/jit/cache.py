"""The disk cache of compiled kernels: its folder, checks and expiry.

A folder holds the kernels of a room: its name is a digest of all files of the room and of the rooms
below that have kernels, without comments and docstrings. Copies of the project share it.

Numba's own cache would do less for as many lines around it: a file with one wrong bit crashes the
program, an edited comment compiles all kernels of its file, and its first look-up fills tables of
the compiler for 0.17 s. ``play`` takes 0.6 s of the processor to the end of a short game on 5x5
from a full cache (0.7 s when each file's imports were followed), and 7 s from an empty one.

Compiled code is unpickled and run. So the cache is a folder that only the user can write to, and
each file has a checksum; a file that does not match is compiled again.
"""

import ast
import hashlib
import inspect
import logging
import os
import pickle
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.caching import FunctionCache
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps

from base.project import ROOT, room_of
from base.storage import naming_file, printable, write_bytes
from base.syntax import syntax_tree

_LOWEST = "base/jit", "state_manager"
_ROOMS = {room: (*_LOWEST, room) for room in ("judge", "mcts", "anet")} | {"state_manager": _LOWEST}
"""The rooms with kernels; each with those that it imports, and itself."""
_PROGRAM, _FOLDER = "hex-mcts", "kernels"
_CACHES = {"darwin": "~/Library/Caches", "win32": "~/AppData/Local"}
"""The users' cache folders of systems other than Linux."""
_DAYS_KEPT = 30
_ROOM = 1 << 20  # bytes; a disk with less free space counts as full
_CHECKSUM_BYTES = 32
_VERSIONS = (sys.version, np.__version__, numba.__version__, llvmlite.__version__)

_warnings: list[str] = []


@cache
def kernels_folder(rooms: tuple[str, ...]) -> Path:
    """Return the folder of kernels of the present code of some rooms.

    Parsing their files takes up to 0.2 seconds. So the folder has an empty file for each state of
    them with this code: such states differ in comments and docstrings alone.
    """
    caches, state = prepare_cache(), _state(rooms)
    known = next(caches.glob(f"*/{state}"), None)
    folder = caches / code_digest(rooms) if known is None else known.parent
    with suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        (folder / state).touch()
        os.utime(folder)  # resets the expiry
    return folder


def code_digest(rooms: tuple[str, ...], project: Path = ROOT) -> str:
    """Return a digest of the code of some rooms, without comments and docstrings."""
    return _digest([(name, _code_of(text)) for name, text in _sources(rooms, project)])


@cache
def _state(rooms: tuple[str, ...]) -> str:
    """Return a digest of the files of some rooms, as they were when this was called first."""
    return _digest(_sources(rooms, ROOT))


def _sources(rooms: tuple[str, ...], project: Path) -> list[tuple[str, bytes]]:
    files = (file for room in rooms for file in sorted((project / room).rglob("*.py")))
    return [(file.relative_to(project).as_posix(), file.read_bytes()) for file in files]


def _digest(content: object) -> str:
    return hashlib.sha256(repr(content).encode()).hexdigest()[:16]


@cache
def _code_of(source: bytes) -> str:
    tree = syntax_tree(source)
    for node in ast.walk(tree):
        # A constant on its own line is a docstring, of a block or of a name.
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            code = [
                line
                for line in node.body
                if not (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))
            ]
            node.body = code or [ast.copy_location(ast.Pass(), node.body[0])]
    return ast.dump(tree)


@cache
def prepare_cache() -> Path:
    """Choose the cache folder, once per process, and remove entries that are long unused.

    It is ``kernels`` in the user's ``NUMBA_CACHE_DIR`` if that is set, else in this program's
    folder among the user's caches; if this process cannot write to it, or other users can, in a
    temporary folder. If no folder is writable, return a path that cannot hold files.
    """
    for choose in (_users_folder, tempfile.mkdtemp):
        try:
            # The same name everywhere, so that a process given the parent finds the folder.
            folder = Path(choose()).absolute() / _FOLDER
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _check_private(folder)
            with naming_file(folder), tempfile.TemporaryFile(dir=folder) as probe:
                probe.write(bytes(_ROOM))
        except (OSError, RuntimeError) as error:
            _warn_not_kept(error)
        else:
            _remove_long_unused(folder)
            return folder
    return Path(os.devnull) / _PROGRAM / _FOLDER


def _users_folder() -> Path:
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(chosen)
    caches = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not caches.is_absolute():  # the XDG specification ignores relative paths
        caches = Path(_CACHES.get(sys.platform, "~/.cache")).expanduser()
    return caches / _PROGRAM


def _check_private(folder: Path) -> None:
    """Raise a ``PermissionError`` if others can write to a folder; Windows ensures that itself."""
    if os.name == "posix":
        status, user = folder.stat(), os.geteuid()
        if status.st_uid != user or status.st_mode & 0o022:
            raise PermissionError(
                f"{folder}: expected a folder of user {user} that no other can write to, "
                f"got one of user {status.st_uid} with mode {status.st_mode & 0o777:o}"
            )


def _remove_long_unused(folder: Path) -> None:
    for used in folder.iterdir():
        with suppress(OSError):  # another process has removed it
            if used.stat().st_mtime < time.time() - _DAYS_KEPT * 86_400:
                shutil.rmtree(used)


def _warn_not_kept(error: Exception) -> None:
    words = str(error)
    if isinstance(error, OSError) and error.filename is not None:
        words = f"{error.filename}: {error.strerror}"
    _warn_once(f"{words}; kernels are compiled again at each start")


def _warn_once(problem: str) -> None:
    """Log the first warning of a process; Python writes it to standard error."""
    if not _warnings:
        _warnings.append(problem)
        logging.getLogger(__name__).warning("kernel cache: %s", printable(problem, 500))


class KernelCache(FunctionCache):  # type: ignore[misc]
    """Keeps the compiled form of one kernel in a file, which begins with a checksum."""

    def __init__(self, function: Callable[..., Any], signature: Any) -> None:
        """Read the sources now; an edit before compilation would change their digest."""
        self._py_func, self._signature = function, signature
        room, self._outside = room_of(function.__module__), b""
        self._rooms = _ROOMS.get(room, (*_LOWEST, "mcts", "anet"))
        if room not in _ROOMS:
            self._outside = Path(inspect.getfile(function)).read_bytes()
        _state(self._rooms)

    @cached_property
    def file(self) -> Path:
        """The file of the compiled form."""
        key = self._index_key(self._signature, cpu_target.target_context.codegen())
        digest = _digest((str(key), _VERSIONS, self._outside))
        name = f"{self._py_func.__module__}.{self._py_func.__qualname__}.{digest}.kernel"
        return kernels_folder(self._rooms) / name

    def load_overload(self, signature: Any, target: Any) -> CompileResult | None:
        """Return the compiled form, or ``None`` if the kernel must be compiled."""
        try:
            content = self.file.read_bytes()
        except OSError:
            return None
        data = content[_CHECKSUM_BYTES:]
        if content[:_CHECKSUM_BYTES] != _checksum(self.file, data):
            _warn_once(f"{self.file}: damaged; such kernels are compiled again")
            return None
        rtsys.initialize(target)  # all of the target that loading needs; the rest is slow
        return CompileResult._rebuild(target, *pickle.loads(data))

    def save_overload(self, signature: Any, compiled: CompileResult) -> None:
        """Write the compiled form to the cache, if possible."""
        if compiled.library.has_dynamic_globals:
            warnings.warn(
                f"{self._py_func!r} is compiled again at each start: "
                "expected a kernel without addresses of this process",
                stacklevel=2,
            )
            return
        data = dumps(compiled._reduce())
        try:
            self.file.parent.mkdir(mode=0o700, exist_ok=True)
            write_bytes(self.file, _checksum(self.file, data) + data)
        except OSError as error:
            _warn_not_kept(error)


def _checksum(file: Path, data: bytes) -> bytes:
    """Return the checksum of a file's content and name, so that files cannot be swapped."""
    return hashlib.sha256(file.name.encode() + data).digest()
