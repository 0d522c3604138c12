"""Jobs of processes, in a module that loads nothing else: each new process imports it."""

import os
import signal
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def fail(number: int) -> int:
    raise ValueError(f"no square of {number}")


def die(number: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)  # as the system kills a process that takes much memory


def process_number(number: int) -> int:
    return os.getpid()


_taken: list[bytes] = []


def take_much(number: int) -> int:
    executor = sys.modules["loky.process_executor"]
    executor.__dict__["_MEMORY_LEAK_CHECK_DELAY"] = -1.0  # else it looks once a second
    _taken.append(b"x" * 400_000_000)
    return sum(map(len, _taken))


def give_back(number: int) -> None:
    _taken.clear()


def square_or_die(folder: Path, number: int) -> int:
    """Return the square of a number; the first call for 7 or 17 runs out of memory."""
    mark = folder / f"{number} was here"
    if number in (7, 17) and not mark.exists():
        mark.touch()
        if number == 7:
            die(number)
        raise MemoryError
    return number**2


def first_of(numbers: NDArray[np.int64], place: int) -> int:
    numbers[place] += 1
    return int(numbers[place])
