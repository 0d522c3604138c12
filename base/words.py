"""Helpers for the wording of error messages."""

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
"""The folder of all rooms, ``params.yaml`` and ``nets``: the clone's, or one in a package."""


def is_complete(error: Exception) -> bool:
    """Return whether an error is a ``ValueError`` of this program, which says all in one line."""
    room = type(error).__module__.partition(".")[0]
    return isinstance(error, ValueError) and (ROOT / room).is_dir()


def one_of(words: Iterable[object], conjunction: str = "or") -> str:
    """Return the words as English: ``linear, sigmoid, tanh or relu``."""
    *most, last = [str(word) for word in words]
    return f"{', '.join(most)} {conjunction} {last}" if most else last


def nearest(word: str, choices: Sequence[str]) -> str | None:
    """Return the choice with the spelling nearest to ``word``, ignoring case, if any is near."""
    by_lower_case = {choice.lower(): choice for choice in choices}
    near = difflib.get_close_matches(word.lower(), by_lower_case, n=1)
    return by_lower_case[near[0]] if near else None
