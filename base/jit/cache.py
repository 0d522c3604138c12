"""Where compiled kernels are kept, how they are checked, and when they are thrown away.

Numba looks only at the file that defines a kernel, so it does not notice that a function which
the kernel calls has changed in another file; and it does notice what changes no code. Here a
kernel's compiled code belongs to a digest of what compiles: its file and all files of the project
that this one imports, without comments, docstrings and blank lines. So an edit of one game compiles
that game anew, and an edit of a docstring nothing. Copies of the project share it.

Compiled code is unpickled and run. So it is kept where only the user can write, and below a
checksum; what does not fit is compiled again.
"""

from __future__ import annotations

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
from types import CodeType
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.caching import FunctionCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from base.storage import naming_file, printable, write_bytes

_PROJECT = Path(__file__).resolve().parents[2]
_KERNEL_ROOMS = ("base", "state_manager", "mcts", "anet")
_PROGRAM, _FOLDER = "hex-mcts", "kernels"
_CACHES = {"darwin": "~/Library/Caches", "win32": "~/AppData/Local"}
"""Where programs keep what can be made again, elsewhere than on Linux."""
_DAYS_KEPT = 30
_ROOM = 1 << 20
"""Bytes; a disk that has not even these is full."""
_CHECKSUM_BYTES = 32
_VERSIONS = (sys.version, np.__version__, numba.__version__, llvmlite.__version__)

_told: list[str] = []


def source_digest(source: Path, project: Path = _PROJECT) -> str:
    """Return 16 hexadecimal digits that change when a file, or one that it imports, does other.

    Args:
        source: A Python file of the project.
        project: The folder that all imports begin at.
    """
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
    """Return which files of rooms with kernels a file imports by name."""
    names: set[str] = set()
    for node in _statements(_tree(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            # What is imported from a package may be a module of it, or a name in it.
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    parts = [name.split(".") for name in names]
    paths = [project.joinpath(*each) for each in parts if each[0] in _KERNEL_ROOMS]
    candidates = [path.with_suffix(".py") for path in paths] + [p / "__init__.py" for p in paths]
    return [file for file in candidates if file.is_file()]


@cache
def _code_of(source: Path) -> str:
    """Return what a file does, as text: its bytecode without docstrings."""
    tree = _tree(source)
    for node in _statements(tree):
        # A string that stands alone does nothing, whether at the beginning or below a name.
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            code = [
                line
                for line in node.body
                if not (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))
            ]
            node.body = code or [ast.copy_location(ast.Pass(), node.body[0])]
    return _described(compile(tree, "", "exec"))


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield a file and its statements, those within others too."""
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        yield node
        for block in ("body", "orelse", "finalbody", "handlers"):
            left += [each for each in getattr(node, block, ()) if isinstance(each, ast.AST)]


def _described(value: object) -> str:
    """Return a constant of a piece of bytecode, or such a piece with its constants, as text."""
    if isinstance(value, CodeType):
        names = (value.co_code, value.co_names, value.co_varnames, value.co_cellvars)
        return f"{names} {[_described(each) for each in value.co_consts]}"
    if isinstance(value, frozenset):  # whose order is another one in each process
        return f"{sorted(map(repr, value))}"
    return repr(value)


@cache
def _tree(source: Path) -> ast.Module:
    return ast.parse(source.read_bytes())


@cache
def prepare_cache() -> Path:
    """Choose, once, the folder in which compiled code is kept, and remove what is long unused.

    The folder is ``kernels`` in the user's ``NUMBA_CACHE_DIR`` if that is set, else in the folder
    of this program among the user's caches. Where this process cannot write to it, or other users
    can, it is a temporary one that goes when the machine tidies up.

    Returns:
        The folder in use; where no folder can be written to, one in which no file can be.
    """
    for choose in (_users_folder, tempfile.mkdtemp):
        try:
            # Named as elsewhere, so that a process which is told of the parent finds it.
            folder = Path(choose()).absolute() / _FOLDER
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _check_private(folder)
            with naming_file(folder), tempfile.TemporaryFile(dir=folder) as probe:
                probe.write(bytes(_ROOM))
        except (OSError, RuntimeError) as error:
            _tell_not_kept(error)
        else:
            _remove_long_unused(folder)
            return folder
    return Path(os.devnull) / _PROGRAM / _FOLDER


def _users_folder() -> Path:
    """Return the folder that the user has chosen, or that of this program.

    Raises:
        RuntimeError: The user has no home.
    """
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(chosen)
    caches = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not caches.is_absolute():  # which the XDG specification ignores
        caches = Path(_CACHES.get(sys.platform, "~/.cache")).expanduser()
    return caches / _PROGRAM


def _check_private(folder: Path) -> None:
    """Check that no other user can write to a folder; Windows sees to that itself.

    Raises:
        PermissionError: Others can.
    """
    if os.name == "posix":
        status, user = folder.stat(), os.geteuid()
        if status.st_uid != user or status.st_mode & 0o022:
            raise PermissionError(
                f"{folder}: expected a folder of user {user} that no other can write to, "
                f"got one of user {status.st_uid} with mode {status.st_mode & 0o777:o}"
            )


def _remove_long_unused(folder: Path) -> None:
    """Remove what no process has loaded for ``_DAYS_KEPT``."""
    for used in folder.iterdir():
        with suppress(OSError):  # another process has removed it
            if used.stat().st_mtime < time.time() - _DAYS_KEPT * 86_400:
                shutil.rmtree(used)


def _tell_not_kept(error: Exception) -> None:
    """Say that kernels cannot be kept, and why."""
    words = str(error)
    if isinstance(error, OSError) and error.filename is not None:
        words = f"{error.filename}: {error.strerror}"
    _tell_once(f"{words}; kernels are compiled again at each start")


def _tell_once(problem: str) -> None:
    """Log a warning, which Python writes to standard error, if none was logged before."""
    if not _told:
        _told.append(problem)
        logging.getLogger(__name__).warning("kernel cache: %s", printable(problem, 500))


class KernelCache(FunctionCache):  # type: ignore[misc]
    """Keeps the compiled form of one kernel in a file, for Numba to load.

    The file's folder is named after what compiles (``source_digest``). Its own name holds a digest
    of the signature, the processor and the versions of the compiler. It begins with a checksum.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        """Read the sources now: they may be edited before the kernel is compiled."""
        self._py_func = function
        self._digest = source_digest(Path(inspect.getfile(function)).resolve())

    def holds(self, signature: Any, codegen: Any) -> bool:
        """Tell whether the compiled form is there, undamaged."""
        return self._read(self._file(signature, codegen)) is not None

    def load_overload(self, signature: Any, target: Any) -> CompileResult | None:
        """Return the compiled form, unless the kernel must be compiled."""
        target.refresh()
        data = self._read(self._file(signature, target.codegen()))
        return None if data is None else CompileResult._rebuild(target, *pickle.loads(data))

    def save_overload(self, signature: Any, compiled: CompileResult) -> None:
        """Keep the compiled form, where that is possible."""
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
            _tell_not_kept(error)

    def _file(self, signature: Any, codegen: Any) -> Path:
        """Return the file of the compiled form."""
        key = f"{self._index_key(signature, codegen)} {_VERSIONS}"
        digest = hashlib.sha256(key.encode()).hexdigest()[:16]
        name = f"{self._py_func.__module__}.{self._py_func.__qualname__}.{digest}.kernel"
        return prepare_cache() / self._digest / name

    def _read(self, file: Path) -> bytes | None:
        """Return what is below the checksum of a file, if there is one and it fits."""
        try:
            content = file.read_bytes()
        except OSError:
            return None
        data = content[_CHECKSUM_BYTES:]
        if content[:_CHECKSUM_BYTES] != _checksum(file, data):
            _tell_once(f"{file}: damaged; such kernels are compiled again")
            return None
        with suppress(OSError):
            os.utime(file.parent)  # it is in use
        return data


def _checksum(file: Path, data: bytes) -> bytes:
    """Return the checksum of what a file holds; the name counts, so that no file is another's."""
    return hashlib.sha256(file.name.encode() + data).digest()
