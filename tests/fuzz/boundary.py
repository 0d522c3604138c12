"""An input boundary accepts each input, or refuses it with a one-line message of its errors."""

import random
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

LONGEST = 1000
"""Characters of a message."""

Enter = Callable[[random.Random], object]


@dataclass(frozen=True)
class Boundary:
    """A function that reads outside input.

    Attributes:
        errors: The errors with which it refuses an input.
        make: Given an empty folder, returns a function that makes an input from random numbers and
            reads it.
        boards: Whether a message may show a board, which has lines.
    """

    errors: tuple[type[Exception], ...]
    make: Callable[[Path], Enter]
    boards: bool = False


class Outcome(NamedTuple):
    served: bool
    fault: str = ""


def try_input(boundary: Boundary, name: str, enter: Enter, number: int) -> Outcome:
    """Pass input ``number`` to the boundary of this name."""
    try:
        enter(random.Random(f"{name} {number}"))
    except boundary.errors as error:
        return Outcome(False, fault_of(str(error), boundary.boards))
    except Exception:
        return Outcome(False, traceback.format_exc())
    return Outcome(True)


def fault_of(message: str, lines: bool = False) -> str:
    """Return the fault of a message, or an empty text."""
    shown = message.replace("\n", "") if lines else message
    if not message or len(message) > LONGEST:
        return f"a message of {len(message)} characters: {message[:300]!r}"
    return "" if shown.isprintable() else f"not printable: {message!r}"
