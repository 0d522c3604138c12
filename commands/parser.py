"""The parser of the command line, what it reads, and what it and all commands print to."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn, TypeVar

from base.storage import excerpt, naming_file
from commands.errors import error_line

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

N = TypeVar("N", int, float)

MOST_GAMES = 100_000
MOST_SIMULATIONS = 10_000_000
MOST_WORKERS = 256

_MOST_DIGITS = 20
"""Python itself reads no number of thousands of digits."""


class Parser(argparse.ArgumentParser):
    """A parser that says in one line what is wrong, as all of the program does."""

    def options(self) -> list[str]:
        """Return all options in their long form."""
        words = [word for action in self._actions for word in action.option_strings]
        return [word for word in words if word.startswith("--")]

    def error(self, message: str) -> NoReturn:
        """End the program."""
        self.exit(2, error_line(self.prog, message))

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Write to a stream; argparse would not say that a disk is full."""
        if message and (stream := file or sys.stderr) is not None:
            with naming_file("standard output"):
                stream.write(message)
            flush_output()


def number_reader(
    expected: str, kind: Callable[[str], N], fits: Callable[[N], bool]
) -> Callable[[str], N]:
    """Return what reads a number on the command line: one that fits, as the words say."""

    def read(text: str) -> N:
        with suppress(ValueError):
            if len(text) <= _MOST_DIGITS and (kind is float or text.isdecimal()):
                value = kind(text)
                if fits(value):
                    return value
        raise argparse.ArgumentTypeError(f"expected {expected}, got {excerpt(text)}")

    return read


def whole_number(most: int, what: str = "a number") -> Callable[[str], int]:
    """Return what reads a whole number from 1 to ``most`` on the command line."""
    return number_reader(f"{what} from 1 to {most}", int, lambda value: 1 <= value <= most)


def flush_output() -> None:
    """Write what is left of our output.

    Raises:
        OSError: It cannot be written.
    """
    with naming_file("standard output"):
        print(end="", flush=True)


def forget_output() -> None:
    """Let Python not try once more, when it ends, to write what cannot be written."""
    try:
        flush_output()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
