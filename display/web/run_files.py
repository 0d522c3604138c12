"""The files of a run as they grow, read by who only watches: nothing is opened for writing."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from base.params.yaml12 import parse
from base.storage import FileError, parse_json, read_file
from state_manager import GameError, game_schema, make_game

if TYPE_CHECKING:
    from state_manager import StateManager

PARAMS, METRICS, GAMES = "params.yaml", "metrics.jsonl", "games.jsonl"
STANDINGS = ("standings_running.json", "standings.json", "standings_incomplete.json")
_TAIL = 1 << 16
_MOST_PARAMS, _MOST_STANDINGS = 100_000, 1 << 24


@dataclass
class GrowingLog:
    """A log of JSON lines, of which only what is new is read each time.

    Half a line, and one that is no record, are left out.
    """

    file: Path
    _records: list[dict[str, Any]] = field(default_factory=list)
    _read: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def records(self) -> list[dict[str, Any]]:
        """Return all records that are there now."""
        with self._lock:
            size = self.file.stat().st_size if self.file.exists() else 0
            if size < self._read:  # cut back, or begun anew
                self._records, self._read = [], 0
            if size > self._read:
                with self.file.open("rb") as log:
                    log.seek(self._read)
                    *lines, rest = log.read(size - self._read).split(b"\n")
                self._read = size - len(rest)
                self._records += filter(None, map(_record, lines))
            return list(self._records)


@lru_cache(maxsize=64)
def growing_log(file: Path) -> GrowingLog:
    """Return the one log of a file."""
    return GrowingLog(file)


@lru_cache(maxsize=1000)
def params_of(file: Path, version: int) -> Mapping[str, Any]:
    """Return what a run's parameters say; a run may be of another version of the program.

    Args:
        file: The parameters.
        version: The time of the file.

    Raises:
        ParamsError: It is no YAML.
        FileError: It is too large, or cannot be read.
    """
    text = read_file(file, _MOST_PARAMS).decode("utf-8", "replace")
    params = parse(text, lambda line: f"{file}:{line}").plain
    return params if isinstance(params, dict) else {}


def game_of(params: Mapping[str, Any]) -> StateManager | None:
    """Return the game of a run's parameters; ``None`` if they name none."""
    try:
        about = params["game"]
        keys = game_schema(about["name"]).model_fields
        return make_game(about["name"], **{key: about[key] for key in keys if key in about})
    except (GameError, LookupError, TypeError, AttributeError):
        return None


def last_record(file: Path) -> dict[str, Any] | None:
    """Return the last whole record of a log, if it has one; only its end is read."""
    if not file.exists():
        return None
    with file.open("rb") as log:
        log.seek(-min(_TAIL, file.stat().st_size), 2)
        lines = log.read().split(b"\n")[:-1]
    return next(filter(None, map(_record, reversed(lines))), None)


def record_of_game(file: Path, number: int) -> dict[str, Any] | None:
    """Return the record of an episode, from 1; a log that was mended may lack some."""
    with file.open("rb") as log:
        for line in islice(log, max(0, number - 1), None):  # where it is if none is missing
            record = _record(line)
            if record is not None and record.get("episode") == number:
                return record
            break
        log.seek(0)
        records = map(_record, log)
        return next((each for each in records if each and each.get("episode") == number), None)


def standings_of(folder: Path, now: float, fresh: float) -> dict[str, Any] | None:
    """Return the standings of a tournament: one that goes on, if there is, else of the last one.

    Args:
        folder: Where it writes.
        now: The time, as files have it.
        fresh: Seconds; standings of one that goes on are no older.
    """
    for name in STANDINGS:
        file = folder / name
        try:
            is_stale = name == STANDINGS[0] and now - file.stat().st_mtime > fresh
            found = None if is_stale else parse_json(read_file(file, _MOST_STANDINGS))
        except (OSError, FileError, ValueError):
            continue
        if isinstance(found, dict):
            return {**found, "running": name == STANDINGS[0]}
    return None


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        record = parse_json(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None
