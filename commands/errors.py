"""How a command ends early, and what is said then."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

_LONGEST_ERROR, _LONGEST_WORD = 500, 200
"""Characters."""

PACKAGES = {
    **{name: name for name in ("cryptography", "filelock", "matplotlib", "numba", "numpy")},
    **{name: name for name in ("psutil", "pydantic", "rich", "scipy", "torch")},
    **{"PIL": "pillow", "yaml": "pyyaml"},
}
"""What an installation brings: the name in an import, and that of the package."""


class UsageError(ValueError):
    """The command line asks for what cannot be; exit status 2."""


def check_command(word: str, commands: Sequence[str]) -> None:
    """Check the first word of the command line, unless it is an option.

    Raises:
        UsageError: There is no such command; it says which was meant.
    """
    from base.storage import excerpt
    from base.words import nearest, one_of

    if not word.startswith("-") and word not in commands:
        near = nearest(word, commands)
        hint = f" (did you mean {near}?)" if near else ""
        raise UsageError(f"expected a command, {one_of(commands)}, got {excerpt(word)}{hint}")


def exit_status(error: Exception) -> int | None:
    """Return the exit status for an error whose message says it all; ``None`` for a defect."""
    from agents import AgentError
    from anet import DivergedError, NetError
    from base.params import ParamsError
    from base.storage import CheckpointError, LockedError, LogError
    from display.live import DisplayError
    from oht_client.errors import AddressError, OfficialClientError, OHTError
    from rl import RunError
    from state_manager import GameError

    if isinstance(error, DivergedError | OHTError | OSError):
        return 1
    usage = (
        UsageError, ParamsError, AgentError, GameError, RunError, NetError, CheckpointError,
        LockedError, LogError, DisplayError, AddressError, OfficialClientError,
    )  # fmt: skip
    return 2 if isinstance(error, usage) else None


def error_line(name: str, words: str) -> str:
    """Return an error as the one line that is printed, whatever names from outside stand in it."""
    from base.storage import printable

    # Words that no sentence holds are somebody's names.
    short = re.sub(rf"\S{{{_LONGEST_WORD},}}", lambda word: printable(word[0]), words)
    return f"{name}: {printable(short, _LONGEST_ERROR)}\n"


def words_of(error: Exception) -> str:
    """Return what to say of an error, and of others that it took with it as notes.

    Of one of the operating system, its number is left out.
    """
    from base.storage import printable

    words = str(error)
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        words = f"{printable(os.fsdecode(error.filename))}: {error.strerror}"
    return "; ".join([words, *getattr(error, "__notes__", ())])


def missing_package(error: ModuleNotFoundError) -> str | None:
    """Return which package is missing and how to get it; ``None`` if an import of ours is wrong."""
    package = PACKAGES.get((error.name or "").partition(".")[0])
    if package is None:
        return None
    if os.name == "nt":
        how = r"install as README.md says, then .venv\Scripts\activate"
    else:
        how = "run `make venv`, then `. .venv/bin/activate`"
    return f"the package {package} is missing; {how}"
