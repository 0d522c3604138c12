"""What is done about files that a crash, a full disk or a bad disk left behind."""

from __future__ import annotations

import os
import re
from itertools import count
from pathlib import Path


def set_aside(path: str | os.PathLike[str]) -> Path:
    """Rename a file that cannot be used, so that nothing takes it for what it was.

    Returns:
        The new path: ``log.damaged.jsonl`` for ``log.jsonl``, with a number if that is taken.
    """
    path = Path(path)
    names = (f"{path.stem}.damaged{number or ''}{path.suffix}" for number in count())
    aside = next(path.with_name(name) for name in names if not path.with_name(name).exists())
    return path.rename(aside)


def remove_leftovers(folder: str | os.PathLike[str], stems: str) -> None:
    """Remove the hidden files that atomic writes left behind when their process was killed.

    Args:
        folder: Where they lie.
        stems: A regular expression for the names, without suffixes, of what was to be written;
            nobody may be writing such a file now.
    """
    hidden = re.compile(rf"\.({stems})\.[0-9a-f]{{16}}(\.\w+)?")
    for file in Path(folder).iterdir():
        if hidden.fullmatch(file.name):
            file.unlink()
