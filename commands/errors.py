"""How a command ends early."""

from __future__ import annotations

from collections.abc import Sequence


class UsageError(ValueError):
    """The command line asks for what cannot be; exit status 2."""


def check_command(word: str, commands: Sequence[str]) -> None:
    """Check the first word of the command line, unless it is an option.

    Raises:
        UsageError: There is no such command; it says which was meant.
    """
    from params.errors import nearest, one_of

    if not word.startswith("-") and word not in commands:
        near = nearest(word, commands)
        hint = f" (did you mean {near}?)" if near else ""
        raise UsageError(f"expected a command, {one_of(commands)}, got {word!r}{hint}")
