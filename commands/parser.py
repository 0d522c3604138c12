"""The parser of the command line, and what it and all commands print to."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, NoReturn

from base.storage import naming_file
from commands.errors import error_line

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


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
