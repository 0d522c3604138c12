"""Read the growing files of a run; no file is opened for writing."""

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AliasChoices, BaseModel, Field, FiniteFloat, model_validator

from base.params import ParamsError
from base.params.yaml12 import parse
from base.storage import FileError, is_locked, parse_json, read_file, record_in
from rl.run_directory import LOCK
from state_manager import GameError, StateManager, game_schema, make_game

PARAMS, METRICS, GAMES = "params.yaml", "metrics.jsonl", "games.jsonl"
STANDINGS = (
    *("standings_running.json", "compare_running.json"),
    *("standings.json", "standings_incomplete.json", "compare.json"),
)
LARGEST = 1e12
"""Numbers larger than this are not drawn."""
_LOCKS = (LOCK, ".compare.lock")
_FRESH = 20.0  # seconds; a running TOPP, which has no lock, writes its standings more often
_TAIL, _MOST_PARAMS, _MOST_STANDINGS = 1 << 16, 100_000, 1 << 24


def records_of(file: Path) -> list[dict[str, float]]:
    """Return the numbers of each record of a log in JSON lines; what is no record is skipped."""
    with suppress(OSError):
        known = file.stat()
        return _read_records(file, known.st_mtime_ns, known.st_size)
    return []


@lru_cache(maxsize=16)
def _read_records(file: Path, *version: int) -> list[dict[str, float]]:
    lines = _read_from(file, 0).split(b"\n")[:-1]
    return [record for record in map(_numbers, lines) if record]


def params_of(folder: Path) -> Mapping[str, Any]:
    """Return a run's parameters, unchecked, as another version may have written them; or none."""
    with suppress(OSError, FileError, ParamsError):
        return _read_params(folder / PARAMS, (folder / PARAMS).stat().st_mtime_ns)
    return {}


@lru_cache(maxsize=1000)
def _read_params(file: Path, version: int) -> Mapping[str, Any]:
    text = read_file(file, _MOST_PARAMS).decode("utf-8", "replace")
    params = parse(text, lambda line: f"{file}:{line}").plain
    return params if isinstance(params, dict) else {}


def game_of(params: Mapping[str, Any]) -> StateManager | None:
    """Return the game named by a run's parameters; ``None`` if they name none."""
    try:
        about = params["game"]
        keys = game_schema(about["name"]).model_fields
        return make_game(about["name"], **{key: about[key] for key in keys if key in about})
    except (GameError, LookupError, TypeError, AttributeError):
        return None


def last_record(file: Path) -> dict[str, Any] | None:
    """Return the last complete record of a log, if any; reads only its end."""
    lines = _read_from(file, -_TAIL).split(b"\n")[:-1]
    return next(filter(None, map(record_in, reversed(lines))), None)


def record_of_game(file: Path, number: int) -> dict[str, Any] | None:
    """Return the record of an episode, from 1; a repaired log may lack some.

    A record without an episode, as of ``compare``, has the number of its line.
    """
    if not file.is_file():
        return None
    digits = str(number).encode()
    with file.open("rb") as log:
        for line_number, line in enumerate(log, start=1):
            if digits in line or line_number == number:  # parsing takes longer
                record = record_in(line)
                if record and record.setdefault("episode", line_number) == number:
                    return record
    return None


def last_game(file: Path) -> dict[str, Any] | None:
    """Return the last record of a log of games, with its number as ``episode``."""
    record = last_record(file)
    if record and "episode" not in record:
        with file.open("rb") as log:
            record["episode"] = sum(line.endswith(b"\n") for line in log)
    return record


def state_of(folder: Path) -> Literal["running", "crashed", ""]:
    """Return whether a process writes to a folder, or has died without an end.

    The locks tell; a dead process leaves their files.
    """
    locks = [folder / name for name in _LOCKS if (folder / name).is_file()]
    if any(map(is_locked, locks)) or _is_fresh(folder / STANDINGS[0]):
        return "running"
    return "crashed" if locks else ""


def _is_fresh(file: Path) -> bool:
    with suppress(OSError):
        return time.time() - file.stat().st_mtime <= _FRESH
    return False


class _Row(BaseModel):
    name: Annotated[str, Field(max_length=200)]
    episode: int | None = None
    win_rate: FiniteFloat
    elo: FiniteFloat | None = None


class _Setup(BaseModel):
    game: str = ""
    game_params: dict[str, Any] = {}


class SavedStandings(BaseModel):
    """Results of a TOPP or a comparison; see docs/formats.md. ``running`` marks unfinished ones."""

    rows: Annotated[
        list[_Row], Field(max_length=1000, validation_alias=AliasChoices("rows", "agents"))
    ]
    wins: list[list[FiniteFloat]]
    games: list[list[FiniteFloat]]
    total: int
    planned: int
    verdict: str = ""
    setup: _Setup = _Setup()
    running: bool = False
    log: str = ""  # the file with the games of a TOPP

    @model_validator(mode="after")
    def _tables_are_square(self) -> Self:
        size = len(self.rows)
        if any([len(row) for row in table] != [size] * size for table in (self.wins, self.games)):
            raise ValueError("expected a table with a row and a column for each net")
        return self


def standings_of(folder: Path) -> SavedStandings | None:
    """Return the standings of a running tournament or comparison, or the last ones."""
    for name in STANDINGS:
        file, is_topp = folder / name, name == STANDINGS[0]
        with suppress(OSError, FileError, ValueError):
            if not is_topp or _is_fresh(file):
                found = SavedStandings.model_validate(parse_json(read_file(file, _MOST_STANDINGS)))
                runs = is_topp or (name == STANDINGS[1] and state_of(folder) == "running")
                return found.model_copy(update={"running": runs, "log": f"{name}l"})
    return None


def _read_from(file: Path, place: int) -> bytes:
    """Return a file's bytes from an offset on, if negative from the end; empty if unreadable."""
    with suppress(OSError):
        if file.is_file():  # a pipe would block
            with file.open("rb") as log:
                size = log.seek(0, os.SEEK_END)
                log.seek(place if place >= 0 else max(0, size + place))
                return log.read()
    return b""


def _numbers(line: bytes) -> dict[str, float]:
    record = record_in(line) or {}
    numbers = {key: each for key, each in record.items() if type(each) in (int, float)}
    return {key: each for key, each in numbers.items() if abs(each) <= LARGEST}
