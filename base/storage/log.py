"""Append-only files of JSON lines: one record per line, written without a buffer."""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any

from base.storage.atomic import naming_file
from base.storage.outside import FileError, StrPath, excerpt, parse_json, printable, read_file

_MOST_BYTES = 2**30  # largest log that is read: one line per update, of millions of updates
_CHUNK_BYTES = 1 << 20


class LogError(ValueError):
    """A log is missing or damaged; ``str(error)`` is one line that names the file and place."""


class AppendLog(AbstractContextManager["AppendLog"]):
    """A file of JSON lines that only grows, or is cut back to the length in a checkpoint."""

    def __init__(self, path: StrPath) -> None:
        """Open or create the log at ``path`` for appending."""
        self.path = Path(path)
        # No buffer: after a full disk, it would write part of a record later.
        self._file = io.FileIO(self.path, "a+")
        self.length = self._file.seek(0, os.SEEK_END)
        self._hash = self._hash_of(self.length)

    def __exit__(self, *error: object) -> None:
        """Close the file."""
        self.close()

    def append(self, record: Mapping[str, Any]) -> None:
        """Add one record, whole or not at all, and hand it to the system, else an ``OSError``.

        What is no JSON data is a ``TypeError`` or ``ValueError``, a file with half a line a
        ``LogError``.
        """
        text = json.dumps(dict(record), ensure_ascii=False, allow_nan=False)
        line = text.encode(errors="backslashreplace") + b"\n"  # a lone surrogate is \udcff in JSON
        self._check_line_end(self.length)
        with naming_file(self.path):
            try:
                rest = memoryview(line)
                while rest:
                    rest = rest[self._file.write(rest) :]
            except BaseException:
                with suppress(OSError):
                    self._file.truncate(self.length)
                raise
        self.length += len(line)
        self._hash.update(line)

    def digest(self) -> str:
        """Return SHA-256 of the content in hex digits."""
        return self._hash.hexdigest()

    def begins_with(self, length: int, digest: str | None) -> bool:
        """Return whether a line ends at a length in bytes, after content of a digest, if given."""
        if not (0 <= length <= self.length and self._ends_line(length)):
            return False
        return digest in (None, self._hash_of(length).hexdigest())

    def truncate(self, length: int) -> None:
        """Cut the file back to ``length`` bytes; a ``LogError`` if no line ends there."""
        if not 0 <= length <= self.length:
            raise LogError(f"{self.path}: expected at least {length} bytes, got {self.length}")
        self._check_line_end(length)
        self._file.truncate(length)
        self.length, self._hash = length, self._hash_of(length)

    def sync(self) -> None:
        """Wait until all appended records are on the disk; an ``OSError`` names the file."""
        with naming_file(self.path):
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file; closing twice does no harm."""
        self._file.close()

    def _hash_of(self, length: int) -> hashlib._Hash:
        self._file.seek(0)
        digest = hashlib.sha256()
        while data := self._file.read(min(_CHUNK_BYTES, length)):
            digest.update(data)
            length -= len(data)
        return digest

    def _check_line_end(self, length: int) -> None:
        if not self._ends_line(length):
            raise LogError(f"{self.path}: expected the end of a line at byte {length}")

    def _ends_line(self, length: int) -> bool:
        self._file.seek(max(0, length - 1))
        return length == 0 or self._file.read(1) == b"\n"


def read_jsonl(path: StrPath) -> list[dict[str, Any]]:
    """Return the records of a log; a ``LogError`` if it is missing, or any line damaged."""
    name = printable(os.fspath(path))
    try:
        *lines, rest = read_file(path, _MOST_BYTES).split(b"\n")
    except FileError as error:
        raise LogError(f"{name}: {error}") from None
    records = []
    for number, line in enumerate(lines, start=1):
        if (record := record_in(line)) is None:
            raise LogError(f"{name}:{number}: expected one JSON object, got {_quote(line)}")
        records.append(record)
    if rest:
        raise LogError(f"{name}:{len(lines) + 1}: expected a whole line, got {_quote(rest)}")
    return records


def record_in(line: bytes) -> dict[str, Any] | None:
    """Return the record in a line of a log, ``None`` if it is none."""
    with suppress(ValueError):
        record = parse_json(line.decode())
        return record if isinstance(record, dict) else None
    return None


def _quote(line: bytes) -> str:
    return excerpt(line.decode(errors="replace"), 60)
