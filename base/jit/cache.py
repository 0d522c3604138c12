"""The disk cache of compiled kernels: its folder, checks and expiry.

Numba's own cache looks only at the file that defines a kernel: it misses changes in files that it
calls into, and recompiles after edits of comments. Here the key is a digest of the kernel's file
and all files of the project that it imports, without comments and docstrings. Copies of the project
share the cache.

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
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.caching import FunctionCache
from numba.core.compiler import CompileResult
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps

from base.storage import naming_file, printable, write_bytes

_PROJECT = Path(__file__).resolve().parents[2]
_KERNEL_ROOMS = ("base", "state_manager", "mcts", "anet")
_PROGRAM, _FOLDER = "hex-mcts", "kernels"
_CACHES = {"darwin": "~/Library/Caches", "win32": "~/AppData/Local"}
"""The users' cache folders of systems other than Linux."""
_DAYS_KEPT = 30
_ROOM = 1 << 20
"""Bytes; a disk with less free space counts as full."""
_CHECKSUM_BYTES = 32
_VERSIONS = (sys.version, np.__version__, numba.__version__, llvmlite.__version__)

_warnings: list[str] = []


@cache
def source_digest(source: Path, project: Path = _PROJECT) -> str:
    """Return 16 hexadecimal digits that change with the code of a file or of its imports."""
    files: set[Path] = set()
    left = [source]
    while left:
        file = left.pop()
        if file not in files:
            files.add(file)
            left += _imports(file, project)
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(f"{os.path.relpath(file, project)} {_code_of(file)}".encode())
    return digest.hexdigest()[:16]


@cache
def _imports(source: Path, project: Path) -> list[Path]:
    """Return the files of rooms with kernels that a file imports by name."""
    names: set[str] = set()
    for node in _statements(_tree(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            # A name imported from a package may be one of its modules.
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    parts = [name.split(".") for name in names]
    paths = [project.joinpath(*each) for each in parts if each[0] in _KERNEL_ROOMS]
    candidates = [path.with_suffix(".py") for path in paths] + [p / "__init__.py" for p in paths]
    return [file for file in candidates if file.is_file()]


@cache
def _code_of(source: Path) -> str:
    """Return the syntax tree of a file without docstrings, as text."""
    tree = _tree(source)
    for node in _statements(tree):
        # A constant on its own line is a docstring, of a block or of a name.
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            code = [
                line
                for line in node.body
                if not (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))
            ]
            node.body = code or [ast.copy_location(ast.Pass(), node.body[0])]
    return ast.dump(tree)


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield a module and all its statements, nested ones included."""
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        yield node
        for block in ("body", "orelse", "finalbody", "handlers"):
            left += [each for each in getattr(node, block, ()) if isinstance(each, ast.AST)]


@cache
def _tree(source: Path) -> ast.Module:
    return ast.parse(source.read_bytes())


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
    """Warn that kernels cannot be cached, with the reason."""
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
    """Keeps the compiled form of one kernel in a file, for Numba to load.

    The ``source_digest`` names the folder. The file's name has a digest of the signature, the
    processor and the compiler's versions; its content begins with a checksum.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        """Read the sources now; an edit before compilation would change the digest."""
        self._py_func = function
        self._digest = source_digest(Path(inspect.getfile(function)).resolve())

    def holds(self, signature: Any, codegen: Any) -> bool:
        """Return whether the cache holds the compiled form, undamaged."""
        return self._read(self._file(signature, codegen)) is not None

    def load_overload(self, signature: Any, target: Any) -> CompileResult | None:
        """Return the compiled form, or ``None`` if the kernel must be compiled."""
        rtsys.initialize(target)  # all of the target that loading needs; the rest is slow
        data = self._read(self._file(signature, target.codegen()))
        return None if data is None else CompileResult._rebuild(target, *pickle.loads(data))

    def save_overload(self, signature: Any, compiled: CompileResult) -> None:
        """Write the compiled form to the cache, if possible."""
        if compiled.library.has_dynamic_globals:
            warnings.warn(
                f"{self._py_func!r} is compiled again at each start: "
                "expected a kernel without addresses of this process",
                stacklevel=2,
            )
            return
        file, data = self._file(signature, compiled.codegen), dumps(compiled._reduce())
        try:
            file.parent.mkdir(mode=0o700, exist_ok=True)
            write_bytes(file, _checksum(file, data) + data)
        except OSError as error:
            _warn_not_kept(error)

    def _file(self, signature: Any, codegen: Any) -> Path:
        key = f"{self._index_key(signature, codegen)} {_VERSIONS}"
        digest = hashlib.sha256(key.encode()).hexdigest()[:16]
        name = f"{self._py_func.__module__}.{self._py_func.__qualname__}.{digest}.kernel"
        return prepare_cache() / self._digest / name

    def _read(self, file: Path) -> bytes | None:
        """Return the content of a file after its checksum, if that matches."""
        try:
            content = file.read_bytes()
        except OSError:
            return None
        data = content[_CHECKSUM_BYTES:]
        if content[:_CHECKSUM_BYTES] != _checksum(file, data):
            _warn_once(f"{file}: damaged; such kernels are compiled again")
            return None
        with suppress(OSError):
            os.utime(file.parent)  # resets the expiry
        return data


def _checksum(file: Path, data: bytes) -> bytes:
    """Return the checksum of a file's content and name, so that files cannot be swapped."""
    return hashlib.sha256(file.name.encode() + data).digest()
