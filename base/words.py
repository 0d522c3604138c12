"""Helpers for the wording of error messages."""

import difflib
from collections.abc import Iterable, Sequence


def one_of(words: Iterable[object], conjunction: str = "or") -> str:
    """Return the words as English: ``linear, sigmoid, tanh or relu``."""
    *most, last = [str(word) for word in words]
    return f"{', '.join(most)} {conjunction} {last}" if most else last


def nearest(word: str, choices: Sequence[str]) -> str | None:
    """Return the choice with the spelling nearest to ``word``, ignoring case, if any is near."""
    by_lower_case = {choice.lower(): choice for choice in choices}
    near = difflib.get_close_matches(word.lower(), by_lower_case, n=1)
    return by_lower_case[near[0]] if near else None
