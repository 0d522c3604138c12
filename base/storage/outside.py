"""Untrusted input: regular files of limited size, JSON, text to display."""

import json
import math
import os
import reprlib
import stat

# Without O_NONBLOCK, an idle pipe would block; without O_BINARY, Windows would convert line ends.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_DEVICES = dict.fromkeys((stat.S_IFCHR, stat.S_IFBLK), "a device")
_KINDS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", **_DEVICES}
_SHORT = reprlib.Repr()
_SHORT.maxlevel = 3
_SHORT.maxlist = _SHORT.maxtuple = 100
_SHORT.maxstring = _SHORT.maxother = 200
StrPath = str | os.PathLike[str]


class FileError(ValueError):
    """A file cannot be used; ``str(error)`` is the reason, without the file's name."""


def read_file(path: StrPath, most: int) -> bytes:
    """Return a regular file of at most ``most`` bytes, without waiting; else a ``FileError``."""
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
    """Return a JSON text's value; a ``ValueError`` if it is none, not finite or too deep."""
    try:
        return json.loads(text, parse_constant=_finite, parse_float=_finite)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _finite(digits: str) -> float:
    """Return a number, unless it is NaN or infinite, which Python accepts but JSON does not."""
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"expected JSON, got {digits}")
    return number


def printable(text: str, most: int = 200) -> str:
    r"""Return a text as one printable line, with control characters as ``\x1b``.

    Of more than ``most`` characters, it has the beginning and the end.
    """
    if len(text) > 2 * most:  # the middle is left out below
        text = text[:most] + text[-most:]
    shown = "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)
    if len(shown) <= most:
        return shown
    end = most // 3
    return f"{shown[: most - end - 3]}...{shown[-end:]}"


def excerpt(value: object, most: int = 200) -> str:
    """Return a short ``repr`` of any value for an error message."""
    try:
        return printable(_SHORT.repr(value), most)
    except Exception:  # raised by the value's repr, or an integer too long to print
        return f"a value of type {type(value).__name__}"
