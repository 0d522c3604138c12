"""The output of commands: folders, files, JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, redirect_stdout, suppress
from datetime import datetime
from importlib.metadata import version
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from base.storage import locked, naming_file, read_jsonl, write_csv
from cli.exits import UsageError

if TYPE_CHECKING:
    from display.boards.cells import Coordinates
    from state_manager import StateManager

RUNS = Path("runs")


@contextmanager
def output_folder(given: Path | None, stem: str, lock: str | None = None) -> Iterator[Path]:
    """Yield the folder for results: the given one, or a new one under ``runs/``.

    A folder that was made here and is still empty is removed at the end. ``stem`` begins the name
    of a new folder; ``lock`` is a file in it to lock meanwhile, see ``base.storage.locked``. Raises
    a ``UsageError`` if it is not a folder.
    """
    if given is not None and given.exists() and not given.is_dir():
        raise UsageError(f"{given}: expected a folder, got a file")
    made = [path for path in (given, *given.parents) if not path.exists()] if given else []
    folder = given or _make_new_folder(stem)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with nullcontext() if lock is None else locked(folder / lock):
            yield folder
    finally:
        for empty in made if given else (folder, RUNS):
            with suppress(OSError):  # it is not empty
                empty.rmdir()


def _make_new_folder(stem: str) -> Path:
    name = f"{stem}-{datetime.now():%Y%m%d-%H%M%S}"
    for ending in chain([""], (f"-{number}" for number in count(2))):
        path = RUNS / f"{name}{ending}"
        with suppress(FileExistsError):
            path.mkdir(parents=True)
            break
    return path


def check_unused(folder: Path, names: Iterable[str], option: str) -> None:
    """Raise an error if files of these names exist; ``option`` chooses another folder."""
    for name in names:
        if (folder / name).exists():
            raise UsageError(f"{folder}: holds {name} already; name another {option} DIR")


def versions() -> dict[str, str]:
    """Return the versions of the libraries that can affect results."""
    return {library: version(library) for library in ("numba", "numpy", "torch")}


def check_new_file(file: Path, option: str) -> None:
    """Raise a ``UsageError`` if a new file cannot be made; ``option`` names it in errors."""
    if file.exists() or not file.parent.is_dir():
        what = "already exists" if file.exists() else "is in a missing folder"
        raise UsageError(f"{option}: expected a file to write, {file} {what}")


def game_stem(game: StateManager) -> str:
    """Return the start of a folder's name, such as ``hex-5`` or ``hex-5-swap``."""
    given = [(key, value) for key, value in game.params.items() if isinstance(value, int)]
    return "-".join([game.name, *(key if value is True else str(value) for key, value in given)])


Report = Callable[[Mapping[str, Any]], object]
"""Receives the result of a command."""


@contextmanager
def reporting_result(as_json: bool) -> Iterator[Report]:
    """Yield a function for a result, to print as JSON at the end, all else on standard error."""
    if not as_json:
        yield lambda result: None
        return
    results: list[Mapping[str, Any]] = []
    try:
        with redirect_stdout(sys.stderr):
            yield results.append
    finally:
        with naming_file("standard output"):
            for result in results:
                print(json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False))


def draw_curves(run: Path, names: Coordinates) -> None:
    """Draw the learning curves, and write them as CSV."""
    from display.reports.training_plot import plot_training  # most of a second to load

    records = read_jsonl(run / "metrics.jsonl")
    write_csv(run / "metrics.csv", records)
    plot_training(run / "training.png", records)
    if maps := [record for record in records if record.get("opening_map")]:
        from display.reports.opening_map import plot_opening_map

        plot_opening_map(run / "openings.png", names, maps[-1])
