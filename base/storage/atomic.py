"""Writing a file so that, whatever happens, its name holds the old content or the new one, whole.

The content goes to a hidden file in the same folder, reaches the disk, and takes the name in one
step. A process that is killed leaves at most that hidden file behind, which ``remove_leftovers``
removes. Where several processes may write, ``locked`` lets one at a time.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, count
from pathlib import Path

from base.storage.outside import StrPath


@contextmanager
def atomic_path(path: StrPath, previous: StrPath | None = None) -> Iterator[Path]:
    """Give a temporary path to write to, which becomes ``path`` when the block ends well.

    The temporary file exists, empty, when the block begins, and may be written in any way. It keeps
    the suffix of ``path``, by which libraries choose a format. It is removed if the block raises.

    Args:
        path: The file to create or replace; its folder must exist.
        previous: The name in the same folder under which a file that is replaced is kept. Between
            the two renamings there is no ``path``, but there is ``previous``.

    Yields:
        A path in the same folder.

    Raises:
        OSError: The folder is missing or cannot be written to; the error names ``path``.
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
    """Let errors of the operating system name a file: those of writing, a full disk's, name none.

    Raises:
        OSError: Of the same kind, with the file's name.
    """
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
    r"""Create or replace a file with ``text`` in UTF-8, line ends as they are.

    Half a character, as in the name of a file that is no UTF-8, becomes ``\udcff``, as in JSON.
    """
    write_bytes(path, text.encode(errors="backslashreplace"))


def write_json(path: StrPath, data: object) -> None:
    """Create or replace a file with ``data`` as indented JSON.

    Raises:
        TypeError: The data are of a type that JSON does not have.
        ValueError: A number is not finite, which JSON cannot say.
    """
    write_text(path, json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def write_csv(path: StrPath, rows: Sequence[Mapping[str, object]]) -> None:
    """Create or replace a file with ``rows`` as CSV, below a line with their keys.

    What a row does not have is empty. A mapping has a column for each of its keys; lists, for which
    a cell has no room, are left out.
    """
    plain = [dict(_cells(row)) for row in rows]
    text = io.StringIO()
    columns = list(dict.fromkeys(chain.from_iterable(plain)))
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(plain)
    write_text(path, text.getvalue())


def _cells(row: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for key, value in row.items():
        if isinstance(value, Mapping):
            yield from ((f"{key}.{name}", cell) for name, cell in _cells(value))
        elif not isinstance(value, list | tuple):
            yield key, value


def set_aside(path: StrPath) -> Path:
    """Rename a file that cannot be used, so that nothing takes it for what it was.

    Returns:
        The new path: ``log.damaged.jsonl`` for ``log.jsonl``, with a number if that is taken.
    """
    path = Path(path)
    names = (f"{path.stem}.damaged{number or ''}{path.suffix}" for number in count())
    aside = next(path.with_name(name) for name in names if not path.with_name(name).exists())
    return path.rename(aside)


def remove_leftovers(folder: StrPath, stems: str) -> None:
    """Remove the hidden files that atomic writes left behind when their process was killed.

    Args:
        folder: Where they lie.
        stems: A regular expression for the names, without suffixes, of what was to be written;
            nobody may be writing such a file now.
    """
    hidden = re.compile(rf"\.({stems})\.[0-9a-f]{{16}}(\.\w+)?")
    for file in Path(folder).iterdir():
        if hidden.fullmatch(file.name) and not file.is_dir():
            file.unlink()


class LockedError(ValueError):
    """Another process holds a lock; ``str(error)`` is one line that names the folder."""


@contextmanager
def locked(path: StrPath, wait: float = 0.0) -> Iterator[None]:
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
            path.unlink()  # while it is held: whoever then locks the removed file tries again
        lock.release()
