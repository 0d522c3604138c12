"""Where commands put and find their files."""

from __future__ import annotations

import argparse
import unicodedata
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from storage import excerpt

RUNS = Path("runs")


def folder_name(text: str) -> Path:
    """Read the name of a folder: an empty one would be the folder that we are in.

    One that holds line ends or escape sequences would bring them wherever the folder is named.
    """
    if not text.strip() or any(unicodedata.category(each) == "Cc" for each in text):
        raise argparse.ArgumentTypeError(f"expected a folder, got {excerpt(text)}")
    return Path(text)


def new_folder(stem: str) -> Path:
    """Return a folder under ``runs/`` that does not exist yet, named by what it holds and when."""
    base = RUNS / f"{stem}-{datetime.now():%Y%m%d-%H%M%S}"
    path, number = base, 1
    while path.exists():
        number += 1
        path = base.with_name(f"{base.name}-{number}")
    return path


def make_new_folder(stem: str) -> Path:
    """Make such a folder, another one than any program that starts at the same moment."""
    while True:
        path = new_folder(stem)
        try:
            path.mkdir(parents=True)
        except FileExistsError:
            continue
        return path


def game_stem(name: str, params: Mapping[str, Any]) -> str:
    """Return a game in a few letters for a folder's name, such as ``hex-5``."""
    numbers = [str(value) for value in params.values() if isinstance(value, int)]
    return "-".join([name, *numbers])


def newest_run() -> Path | None:
    """Return the run directory under ``runs/`` that was written to last, if there is one."""
    runs = [path.parent for path in RUNS.glob("*/checkpoint.pt")]
    return max(runs, key=lambda run: (run / "checkpoint.pt").stat().st_mtime, default=None)
