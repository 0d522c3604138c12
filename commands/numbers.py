"""Whole numbers on the command line: each has a range, and says so."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from base.storage import excerpt

MOST_GAMES = 100_000
MOST_SIMULATIONS = 10_000_000
MOST_WORKERS = 256

_MOST_DIGITS = 20
"""Python itself reads no number of thousands of digits."""


def whole_number(most: int, what: str = "a number") -> Callable[[str], int]:
    """Return what reads a whole number from 1 to ``most``."""

    def read(text: str) -> int:
        if text.isdecimal() and len(text) <= _MOST_DIGITS and 1 <= int(text) <= most:
            return int(text)
        raise argparse.ArgumentTypeError(f"expected {what} from 1 to {most}, got {excerpt(text)}")

    return read
