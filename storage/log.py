"""Append-only files of JSON lines: one record a line, on the way to the disk at once."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from storage.outside import FileError, excerpt, parse_json, read_file

_MOST_BYTES = 2**30
"""Of a log that is read: one line an update, of millions of updates."""


class LogError(ValueError):
    """A log is not what it should be; ``str(error)`` is one line that names file and place."""


class AppendLog:
    """A file of JSON lines that only grows, or is cut back to a length that it had.

    A checkpoint that states ``length`` fixes the log's content: whatever a crash left behind it is
    cut off by ``truncate``.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open the log at ``path`` for appending; it is made where there is none.

        Raises:
            OSError: The file cannot be opened.
        """
        self.path = Path(path)
        self._file = io.BufferedRandom(io.FileIO(self.path, "a+"))
        self._length = self._file.seek(0, os.SEEK_END)

    def __enter__(self) -> Self:
        """Return the log itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        self.close()

    @property
    def length(self) -> int:
        """The length of the file in bytes."""
        return self._length

    def append(self, record: Mapping[str, Any]) -> None:
        """Add one record and hand it to the operating system.

        Raises:
            TypeError: The record is not JSON data.
            ValueError: A number in it is not finite.
            LogError: The file ends in half a line; ``truncate`` cuts it off.
        """
        text = json.dumps(dict(record), ensure_ascii=False, allow_nan=False)
        line = text.encode(errors="backslashreplace") + b"\n"  # half a character is \udcff in JSON
        self._check_line_end(self._length)
        self._file.write(line)
        self._file.flush()
        self._length += len(line)

    def truncate(self, length: int) -> None:
        """Cut the file back to ``length`` bytes, the end of one of its lines.

        Raises:
            LogError: The file is shorter, or a line does not end there.
        """
        if not 0 <= length <= self._length:
            least = excerpt(length, 60)
            raise LogError(f"{self.path}: expected at least {least} bytes, got {self._length}")
        self._check_line_end(length)
        self._file.truncate(length)
        self._length = self._file.seek(0, os.SEEK_END)

    def sync(self) -> None:
        """Wait until everything appended so far is on the disk."""
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file; closing twice does no harm."""
        self._file.close()

    def _check_line_end(self, length: int) -> None:
        if length == 0:
            return
        self._file.seek(length - 1)
        if self._file.read(1) != b"\n":
            raise LogError(f"{self.path}: expected the end of a line at byte {length}")


def read_jsonl(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Return the records of a log, in order.

    Raises:
        LogError: The file is missing, or a line, the last one included, is not one whole record.
    """
    name = os.fspath(path)
    try:
        *lines, rest = read_file(name, _MOST_BYTES).split(b"\n")
    except FileError as error:
        raise LogError(f"{name}: {error}") from None
    records = [_record(line, name, number) for number, line in enumerate(lines, start=1)]
    if rest:
        raise LogError(f"{name}:{len(lines) + 1}: expected a whole line, got {_quote(rest)}")
    return records


def _record(line: bytes, name: str, number: int) -> dict[str, Any]:
    try:
        record = parse_json(line.decode())
    except ValueError:
        record = None
    if not isinstance(record, dict):
        raise LogError(f"{name}:{number}: expected one JSON object, got {_quote(line)}")
    return record


def _quote(line: bytes) -> str:
    return excerpt(line.decode(errors="replace"), 60)
