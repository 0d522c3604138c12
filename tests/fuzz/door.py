"""What every door owes to whatever comes: it serves it, or refuses it in one line of its errors."""

from __future__ import annotations

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
class Door:
    """A way into the program.

    Attributes:
        errors: What it says to what it refuses.
        make: Given an empty folder, returns what makes an input from random numbers and enters.
        boards: Whether a message may show a board, which has lines.
    """

    errors: tuple[type[Exception], ...]
    make: Callable[[Path], Enter]
    boards: bool = False


class Answer(NamedTuple):
    """What a door said to an input.

    Attributes:
        served: Whether the input was let in.
        fault: What is wrong with the answer; nothing if it is as it should be.
    """

    served: bool
    fault: str = ""


def answer(door: Door, name: str, enter: Enter, number: int) -> Answer:
    """Enter the door of this name with input ``number``."""
    try:
        enter(random.Random(f"{name} {number}"))
    except door.errors as error:
        return Answer(False, fault_of(str(error), door.boards))
    except Exception:
        return Answer(False, traceback.format_exc())
    return Answer(True)


def fault_of(message: str, lines: bool = False) -> str:
    """Return what is wrong with a message, or nothing."""
    shown = message.replace("\n", "") if lines else message
    if not message or len(message) > LONGEST:
        return f"a message of {len(message)} characters: {message[:300]!r}"
    return "" if shown.isprintable() else f"not printable: {message!r}"
