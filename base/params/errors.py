"""The error of this room, and how its messages show values and keys."""

from __future__ import annotations

import re

_LONGEST_VALUE = 60
_PLAIN_KEY = re.compile(r"\w{1,40}", re.ASCII)


class ParamsError(ValueError):
    """A parameter is wrong; ``str(error)`` is the whole message, always a single line."""


def show_value(value: object) -> str:
    """Return a value as it would be written in YAML, on one line; strings are quoted."""
    text = _flow(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 3]}..."


def show_key(key: str) -> str:
    """Return a key as it is, or quoted where it is not a plain word."""
    return key if _PLAIN_KEY.fullmatch(key) else show_value(key)


def _flow(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_flow, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{show_key(key)}: {_flow(item)}' for key, item in value.items())}}}"
    return repr(value)
