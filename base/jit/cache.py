"""Where compiled kernels are kept, and when they are thrown away.

Numba looks only at the file that defines a kernel, so it does not notice that a function which
the kernel calls has changed in another file; and it does notice what changes no code. Here a
kernel's compiled code belongs to a digest of what compiles: its file and all files of the project
that this one imports, without comments, docstrings and blank lines. So an edit of one game compiles
that game anew, and an edit of a docstring nothing.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

import numba
from numba.core.caching import IndexDataCacheFile

_PROJECT = Path(__file__).resolve().parents[2]
_KERNEL_ROOMS = ("base", "state_manager", "mcts", "anet")
_FOLDER = "kernels"
_DAYS_KEPT = 30


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
    """Choose, once, the folder in which compiled code is kept.

    The folder lies under the user's ``NUMBA_CACHE_DIR`` if that is set, else in the project; where
    neither can be written to, it is a temporary one that goes when the machine tidies up. What was
    not used for long is removed.

    Returns:
        The folder in use.
    """
    folder = Path(os.environ.get("NUMBA_CACHE_DIR") or _PROJECT / ".kernel_cache") / _FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        # Named as elsewhere, so that a process which is told of the parent finds it.
        folder = Path(tempfile.mkdtemp(prefix=f"{_FOLDER}-")) / _FOLDER
        folder.mkdir()
    for used in folder.iterdir():
        if used.stat().st_mtime < time.time() - _DAYS_KEPT * 86_400:
            shutil.rmtree(used, ignore_errors=True)
    numba.config.CACHE_DIR = str(folder)
    return folder


def keep_code_of(kernel: Any) -> None:
    """Let a kernel's compiled code be found by what compiles, and not by the time of its file."""
    function = kernel.py_func
    digest = source_digest(Path(inspect.getfile(function)).resolve())
    place = prepare_cache() / digest
    place.mkdir(exist_ok=True)
    os.utime(place)
    name = f"{function.__module__}.{function.__qualname__}.{sys.implementation.cache_tag}"
    kernel._cache._cache_file = IndexDataCacheFile(str(place), name, digest)
