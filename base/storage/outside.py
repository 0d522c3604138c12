"""What comes from outside: files of a bounded size and kind, JSON, words to show."""

from __future__ import annotations

import json
import math
import os
import reprlib
import stat

# A pipe that nobody writes to would be waited for; Windows would read text.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_SHORT = reprlib.Repr()
_SHORT.maxlevel = 3
_SHORT.maxlist = _SHORT.maxtuple = 100
_SHORT.maxstring = _SHORT.maxother = 200
StrPath = str | os.PathLike[str]


class FileError(ValueError):
    """A file cannot be used; ``str(error)`` says why, and leaves its name to the caller."""


def read_file(path: StrPath, most: int) -> bytes:
    """Return what is in a regular file; nothing else is waited for.

    Args:
        path: The file.
        most: Bytes that it may have.

    Raises:
        FileError: There is no such file, it is larger, it is a folder, a pipe or a device, or it
            cannot be read.
    """
    try:
        descriptor = os.open(path, _FLAGS)
        try:
            return _read(descriptor, most)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        raise FileError("no such file") from None
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}") from None
    except FileError:
        raise
    except ValueError as error:
        raise FileError(f"cannot be the name of a file: {error}") from None


def _read(descriptor: int, most: int) -> bytes:
    """Return what is in an open file, unless it is none."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "something else")
        raise FileError(f"expected a file, got {kind}")
    if status.st_size > most:
        raise FileError(f"expected a file of at most {most} bytes, got {status.st_size}")
    if status.st_size == 0 and os.read(descriptor, 1) and os.fstat(descriptor).st_size == 0:
        raise FileError("expected a file, got what the system makes up as it is read")
    with open(descriptor, "rb", closefd=False) as file:
        return file.read(status.st_size)


def parse_json(text: str | bytes) -> object:
    """Return what JSON says; NaN, the infinities and numbers that become them are none.

    Raises:
        ValueError: The text is no such JSON, or nested too deeply.
    """
    try:
        return json.loads(text, parse_constant=_finite, parse_float=_finite)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _finite(digits: str) -> float:
    """Read a number, unless it is NaN or infinite, which Python reads but JSON does not have."""
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"expected JSON, got {digits}")
    return number


def printable(text: str, most: int = 200) -> str:
    r"""Return a text in one line that can be shown: control characters as ``\x1b``, not too long.

    Args:
        text: From a file's name, a command line, a server.
        most: Characters that are shown; of a longer text the beginning and the end.
    """
    if len(text) > 2 * most:  # of which the middle is left out below
        text = text[:most] + text[-most:]
    shown = "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)
    if len(shown) <= most:
        return shown
    end = most // 3
    return f"{shown[: most - end - 3]}...{shown[-end:]}"


def excerpt(value: object, most: int = 200) -> str:
    """Return any value in words that an error message can hold: as ``repr``, but not too long."""
    try:
        return printable(_SHORT.repr(value), most)
    except Exception:  # of the value's own repr; or Python writes no number that long
        return f"a value of type {type(value).__name__}"
