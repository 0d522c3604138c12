"""Atomic writes: after a crash a file holds its old content or the new one, whole.

The content is written to a hidden file in the same folder, flushed to the disk, and renamed in one
step. ``remove_leftovers`` removes the hidden files of killed processes.
"""

import csv
import io
import json
import os
import re
import secrets
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, count
from pathlib import Path

from base.storage.outside import StrPath


@contextmanager
def atomic_path(path: StrPath, previous: StrPath | None = None) -> Iterator[Path]:
    """Yield a temporary path to write to; it is renamed to ``path`` when the block succeeds.

    The temporary file is in the same folder, empty at first, with the suffix of ``path``, by which
    libraries choose a format; it is removed if the block raises. ``previous`` is a name in the
    folder that keeps the replaced file; between the two renames, only ``previous`` exists. If it
    cannot be written, the ``OSError`` names ``path``.
    """
    path = Path(path)
    temporary = path.with_name(f".{path.stem}.{secrets.token_hex(8)}{path.suffix}")
    with naming_file(path):
        # Made with the mode of an ordinary new file, not with the 0600 of the tempfile module.
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        try:
            yield temporary
            with open(temporary, "rb+") as written:
                os.fsync(written.fileno())
            if previous is not None and path.exists():
                os.replace(path, previous)
            os.replace(temporary, path)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
        if os.name == "posix":  # Windows has no such call and needs none
            folder = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


@contextmanager
def naming_file(path: StrPath) -> Iterator[None]:
    """Add a file's name to errors of the operating system; that of a full disk has none."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


def write_bytes(path: StrPath, data: bytes, previous: StrPath | None = None) -> None:
    """Create or replace a file with ``data``, whole or not at all; see ``atomic_path``."""
    with atomic_path(path, previous) as temporary:
        temporary.write_bytes(data)


def write_text(path: StrPath, text: str) -> None:
    r"""Create or replace a file with ``text`` in UTF-8, with unchanged line ends.

    A lone surrogate, as in a file name that is not UTF-8, becomes ``\udcff``, as in JSON.
    """
    write_bytes(path, text.encode(errors="backslashreplace"))


def write_json(path: StrPath, data: object) -> None:
    """Write ``data`` as indented JSON; what JSON does not support is a Type- or ValueError."""
    write_text(path, json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def write_csv(path: StrPath, rows: Sequence[Mapping[str, object]]) -> None:
    """Replace a file by ``rows`` as CSV; a mapping has a column for each key, a list none."""
    plain = [{k: v for k, v in flattened(row) if not isinstance(v, list | tuple)} for row in rows]
    text = io.StringIO()
    columns = list(dict.fromkeys(chain.from_iterable(plain)))
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(plain)
    write_text(path, text.getvalue())


def flattened(row: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Yield the items of a mapping, and those of mappings in it as ``key.name``."""
    for key, value in row.items():
        if isinstance(value, Mapping):
            yield from ((f"{key}.{name}", cell) for name, cell in flattened(value))
        else:
            yield key, value


def set_aside(path: StrPath) -> Path:
    """Rename a damaged ``log.jsonl`` to ``log.damaged.jsonl``, or with a number; return it."""
    path = Path(path)
    names = (f"{path.stem}.damaged{number or ''}{path.suffix}" for number in count())
    aside = next(path.with_name(name) for name in names if not path.with_name(name).exists())
    return path.rename(aside)


def remove_leftovers(folder: StrPath, stems: str) -> None:
    """Remove hidden files of killed writers; ``stems`` is a pattern of files not being written."""
    hidden = re.compile(rf"\.({stems})\.[0-9a-f]{{16}}(\.\w+)?")
    for file in Path(folder).iterdir():
        if hidden.fullmatch(file.name) and not file.is_dir():
            file.unlink()


class LockedError(ValueError):
    """Another process holds a lock; ``str(error)`` is one line that names the folder."""


@contextmanager
def locked(path: StrPath, wait: float = 0.1) -> Iterator[None]:
    """Hold the lock of a file's name, which protects its folder, while the block runs.

    The file is empty, created if missing and removed at the end. A file left by a dead process does
    not block, as the operating system holds the lock. A lock that another process holds longer than
    ``wait`` seconds is a ``LockedError``; the default outlasts ``is_locked``.
    """
    from filelock import FileLock, Timeout  # takes a while to load

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
            path.unlink()  # while locked: a process that then locks the removed file tries again
        lock.release()


def is_locked(path: StrPath) -> bool:
    """Return whether a process holds a lock (on Windows, whether its file exists)."""
    if sys.platform == "win32":
        return Path(path).exists()
    import fcntl  # Windows has none

    with suppress(OSError), Path(path).open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
    return False
