"""Readers of option values; each error is one line, with the expected and the given value."""

import argparse
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from base.storage import excerpt
from base.words import nearest, one_of
from hex_mcts.system import PRESETS

_MOST_DIGITS = 20  # limit of a number's digits; Python refuses numbers of thousands of digits


def folder(text: str) -> Path:
    """Read the name of a folder: not empty, which would mean the current one; without controls."""
    if not text.strip() or any(unicodedata.category(each) == "Cc" for each in text):
        raise argparse.ArgumentTypeError(f"expected a folder, got {excerpt(text)}")
    return Path(text)


def number(
    expected: str, fits: Callable[[float], bool], kind: type[float] = float
) -> Callable[[str], float]:
    """Return a reader of numbers that pass ``fits``; ``expected`` describes them in errors."""

    def read(text: str) -> float:
        with suppress(ValueError):
            readable = len(text) <= _MOST_DIGITS and (kind is float or text.isdecimal())
            if readable and fits(value := kind(text)):
                return value
        raise argparse.ArgumentTypeError(f"expected {expected}, got {excerpt(text)}")

    return read


def whole_number(most: int, what: str = "a number") -> Callable[[str], float]:
    """Return a reader of whole numbers from 1 to ``most``."""
    return number(f"{what} from 1 to {most}", lambda value: 1 <= value <= most, int)


def temperatures(text: str) -> tuple[float, ...]:
    """Read temperatures in any order; return each once, ascending."""
    with suppress(ValueError):
        given = {float(word) for word in text.split(",")}
        if all(0.01 <= each <= 100 for each in given):
            return tuple(sorted(given))
    expected = "temperatures from 0.01 to 100 such as 0.5,1,2"
    raise argparse.ArgumentTypeError(f"expected {expected}, got {text!r}")


def sizes(text: str) -> range:
    """Read sizes of boards, one or a range."""
    first, _, last = text.partition("-")
    if all(each.isdecimal() and len(each) < 3 for each in (first, last or first)):
        given = range(int(first), int(last or first) + 1)
        if given and given[0] >= 3 and given[-1] <= 19:
            return given
    expected = "sizes from 3 to 19 such as 9 or 3-13"
    raise argparse.ArgumentTypeError(f"expected {expected}, got {excerpt(text)}")


def preset(text: str) -> str:
    """Read the name of a preset."""
    if text in PRESETS:
        return text
    near = nearest(text, list(PRESETS))
    got = f"{excerpt(text)}{f' (did you mean {near}?)' if near else ''}" if text else "none"
    raise argparse.ArgumentTypeError(f"expected {one_of(PRESETS)}, got {got}")


game_number = number("the number of a game from 1", lambda value: value >= 1, int)
ply_number = number("a number of moves", lambda value: value >= 0, int)
step_number = number("the number of a step from 1", lambda value: value >= 1, int)
port = number("a port from 0 to 65535", lambda value: 0 <= value <= 65_535, int)
demo_seconds = number("20 to 86400 seconds", lambda value: 20 <= value <= 86_400)
seconds = number("seconds above 0 and up to 3600", lambda value: 0 < value <= 3600)
move_seconds = number("0.1 to 60 seconds", lambda value: 0.1 <= value <= 60)
minutes = number("minutes above 0", lambda value: value > 0)
