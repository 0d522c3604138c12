"""Where commands put and find their files."""

from __future__ import annotations

import argparse
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from base.storage import excerpt
from commands.errors import UsageError

if TYPE_CHECKING:
    from state_manager import StateManager

RUNS = Path("runs")


def folder_name(text: str) -> Path:
    """Read the name of a folder: an empty one would be the folder that we are in.

    One that holds line ends or escape sequences would bring them wherever the folder is named.
    """
    if not text.strip() or any(unicodedata.category(each) == "Cc" for each in text):
        raise argparse.ArgumentTypeError(f"expected a folder, got {excerpt(text)}")
    return Path(text)


@contextmanager
def output_folder(given: Path | None, stem: str, lock: str | None = None) -> Iterator[Path]:
    """Give the folder that results go to: the one that was asked for, or a new one under ``runs/``.

    One that was made here and that nothing was written to is removed in the end.

    Args:
        given: What was asked for.
        stem: How the name of a new one begins.
        lock: A file in the folder whose lock is held meanwhile, see ``base.storage.locked``.

    Raises:
        UsageError: If it is not a folder.
        LockedError: If another process holds the lock.
    """
    if given is not None and given.exists() and not given.is_dir():
        raise UsageError(f"{given}: expected a folder, got a file")
    made = [path for path in (given, *given.parents) if not path.exists()] if given else []
    folder = given or make_new_folder(stem)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        if lock is None:
            yield folder
        else:
            from base.storage import locked

            with locked(folder / lock):
                yield folder
    finally:
        for empty in made if given else (folder, RUNS):
            with suppress(OSError):  # it is not empty
                empty.rmdir()


def make_new_folder(stem: str) -> Path:
    """Make a folder under ``runs/``, named by what it holds and when, that nobody else has made."""
    base = RUNS / f"{stem}-{datetime.now():%Y%m%d-%H%M%S}"
    for number in count(1):
        path = base if number == 1 else base.with_name(f"{base.name}-{number}")
        with suppress(FileExistsError):
            path.mkdir(parents=True)
            break
    return path


def check_unused(folder: Path, names: Iterable[str], option: str) -> None:
    """Raise an error if results in files of these names would replace others.

    Args:
        folder: Where the results go.
        names: Their files.
        option: The one that names another folder.
    """
    for name in names:
        if (folder / name).exists():
            raise UsageError(f"{folder}: holds {name} already; name another {option} DIR")


def game_stem(game: StateManager) -> str:
    """Return a game in a few letters for a folder's name, such as ``hex-5``."""
    numbers = [str(value) for value in game.params.values() if isinstance(value, int)]
    return "-".join([game.name, *numbers])


def newest_run() -> Path | None:
    """Return the run directory under ``runs/`` that was written to last, if there is one."""
    checkpoints = RUNS.glob("*/checkpoint*.pt")
    newest = max(checkpoints, key=lambda file: file.stat().st_mtime, default=None)
    return newest and newest.parent
