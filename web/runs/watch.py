"""Watch any run through its files alone, without disturbing it."""

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from display.boards.cells import board_data
from display.reports.training_curves import PANELS, points_of, smoothed
from rl.run_directory import nets_of
from state_manager import StateManager, resized
from web.runs import run_files
from web.server.agent_pool import AgentPool, Deadline
from web.server.positions import shape_of
from web.server.requests import PageRequest, RequestError
from web.runs.run_files import GAMES, METRICS, PARAMS, STANDINGS, SavedStandings

_MOST_RUNS, _MOST_POINTS, _MOST_NETS = 300, 300, 200
_RECENT = 0.2  # the last share of a run, whose speed gives the estimate of the remaining time
_WATCHED = (PARAMS, METRICS, GAMES, *STANDINGS, *(f"{name}l" for name in STANDINGS))
_STRENGTH = {"elo": ("Elo in the tournament", "")}
_Data = dict[str, Any]
_Run = Annotated[str, Field(min_length=1, max_length=200)]


class RunRequest(PageRequest):
    """A run as it is now; ``stamp`` is that of the last response."""

    run: _Run
    stamp: Annotated[str, Field(max_length=1000)] = ""


class RunGameRequest(PageRequest):
    """A game of training or a comparison, or of a TOPP, by its number."""

    run: _Run
    number: Annotated[int, Field(ge=1, le=10_000_000)]
    topp: bool = False


class TrainingRequest(PageRequest):
    """Whether a small training shall run in this server's folder of runs."""

    wanted: bool


def training(pool: AgentPool, request: TrainingRequest, deadline: Deadline) -> dict[str, Any]:
    """Start or stop the training of this server; return the name of its run."""
    if request.wanted:
        return {"run": pool.training.start(deadline.is_over)}
    pool.training.stop()
    return {"run": ""}


def runs(pool: AgentPool, request: PageRequest, deadline: Deadline) -> dict[str, Any]:
    """Return the runs, newest first by last write; ``training`` is the one of this server."""
    ages = {folder: _age(folder) for folder in pool.runs.glob("*") if _files(folder)}
    newest = sorted(ages, key=lambda folder: ages[folder])[:_MOST_RUNS]
    episodes = [(run_files.last_record(folder / METRICS) or {}).get("episode") for folder in newest]
    states = map(run_files.state_of, newest)
    return {
        "runs": [
            {"name": folder.name, "running": state == "running", "episode": episode}
            for folder, state, episode in zip(newest, states, episodes, strict=True)
        ],
        "training": pool.training.name,
    }


def run(pool: AgentPool, request: RunRequest, deadline: Deadline) -> dict[str, Any]:
    """Return the data of a run's files, unless nothing has changed.

    In seconds: ``age`` since the last write of any file, ``idle`` since the last by training.
    ``state`` is that of ``run_files.state_of``.
    """
    folder = _folder(pool, request.run)
    files, idle = _files(folder).items(), _age(folder, (PARAMS, METRICS, GAMES))
    stamp = " ".join(f"{name}:{known.st_size}:{known.st_mtime_ns}" for name, known in files)
    about = {"stamp": stamp, "age": _age(folder), "idle": idle, "state": run_files.state_of(folder)}
    if not stamp:
        raise RequestError(f"{request.run}: expected files of a run")
    if stamp == request.stamp:
        return about
    records = [each for each in run_files.records_of(folder / METRICS) if "episode" in each]
    standings = run_files.standings_of(folder)
    params, nets = run_files.params_of(folder), nets_of(folder)
    panels = [_panel(label, curves, records) for label, curves in PANELS]
    shown = standings and standings.model_dump()
    rows = [row for row in (shown or {"rows": []})["rows"] if None not in row.values()]
    elos = [{"episode": row["episode"], "elo": round(row["elo"])} for row in rows]
    return {
        **about,
        "params": (folder / PARAMS).read_text("utf-8", "replace") if params else "",
        "progress": _progress(params, records),
        "panels": [*panels, _panel("strength of cached nets", _STRENGTH, elos)],
        "nets": [episode for episode, _ in nets[:: -(-len(nets) // _MOST_NETS) or 1]],
        "newest": _newest(pool, folder, standings),
        "standings": shown,
    }


def run_game(pool: AgentPool, request: RunGameRequest, deadline: Deadline) -> dict[str, Any]:
    """Return a game of a run, position by position."""
    folder, topp = _folder(pool, request.run), request.topp
    standings = run_files.standings_of(folder)
    game = _game(folder, standings, topp)
    record = run_files.record_of_game(folder / _log(standings, topp), request.number)
    if game is None or record is None:
        raise RequestError(f"{request.run}: expected the number of a game that it has played")
    return _game_json(pool, game, record, topp)


def _folder(pool: AgentPool, name: str) -> Path:
    """Return the folder of a run; a name cannot leave the folder of runs."""
    found = next((path for path in pool.runs.glob("*") if path.name == name), None)
    if found is None or not found.is_dir():
        raise RequestError(f"expected a run below {pool.runs.name}, got {name!r}")
    return found


def _age(folder: Path, names: Sequence[str] = _WATCHED) -> float:
    """Return the seconds since the latest write of some files; the age of 1970 without any."""
    files = _files(folder)
    written = max((files[name].st_mtime for name in names if name in files), default=0.0)
    return max(0.0, time.time() - written)


def _files(folder: Path) -> dict[str, os.stat_result]:
    """Return the status of a run's files; a tournament that ends may remove some meanwhile."""
    found = {}
    for name in _WATCHED:
        with suppress(OSError):
            known = (folder / name).stat()
            if S_ISREG(known.st_mode):
                found[name] = known
    return found


def _log(standings: SavedStandings | None, topp: bool) -> str:
    return (standings.log if standings else "") if topp else GAMES


def _game(folder: Path, standings: SavedStandings | None, topp: bool) -> StateManager | None:
    game = None if topp else run_files.game_of(run_files.params_of(folder))
    if game is not None or standings is None:
        return game
    setup = standings.setup
    return run_files.game_of({"game": {**setup.game_params, "name": setup.game}})


def _progress(params: Mapping[str, Any], records: Sequence[_Data]) -> _Data | None:
    """Return the progress of training, and the remaining seconds at its current speed."""
    budget = params.get("rl")
    if not isinstance(budget, Mapping):
        return None
    minutes, episodes = budget.get("minutes"), budget.get("episodes")
    unit, whole = ("seconds", minutes) if minutes else ("episode", episodes)
    if not isinstance(whole, int | float) or not 0 < whole < run_files.LARGEST:
        return None
    whole *= 60 if minutes else 1
    known = [each for each in records if {"episode", "seconds"} <= each.keys()]
    known = known or [{"episode": 0, "seconds": 0.0}]
    done, left, interval = [each[unit] for each in known], None, 0.0
    if len(done) > 1:
        first = min(int(len(done) * (1 - _RECENT)), len(done) - 2)
        gained, spent = done[-1] - done[first], known[-1]["seconds"] - known[first]["seconds"]
        left = spent * max(0, whole - done[-1]) / gained if gained > 0 else None
        interval = spent / (len(done) - 1 - first)
    return {
        **{key: known[-1][key] for key in ("episode", "seconds")},
        "done": done[-1],
        "whole": whole,
        "unit": unit,
        "left": left,
        "interval": interval,
        "over": done[-1] >= whole,
    }


def _panel(label: str, curves: dict[str, tuple[str, str]], records: Sequence[_Data]) -> _Data:
    shown = []
    for key, (name, _) in curves.items():
        episodes, values = points_of(records, key)
        if not values:
            continue
        mean = smoothed(np.array(values, float), max(1, len(values) // 20) | 1)
        places = np.unique(np.linspace(0, len(values) - 1, _MOST_POINTS).astype(int))
        points = [[episodes[n], round(values[n], 5), round(float(mean[n]), 5)] for n in places]
        shown.append({"name": name, "points": points, "last": values[-1]})
    return {"label": label, "curves": shown}


def _newest(pool: AgentPool, folder: Path, standings: SavedStandings | None) -> list[_Data]:
    """Return the last game of training or a comparison, and that of a TOPP; the newer first."""
    found = []
    for topp in sorted((True, False), key=lambda topp: _age(folder, [_log(standings, topp)])):
        game = _game(folder, standings, topp)
        record = run_files.last_game(folder / _log(standings, topp))
        with suppress(RequestError):
            if game and record:
                found.append(_game_json(pool, game, record, topp))
    return found


def _game_json(pool: AgentPool, game: StateManager, record: _Data, topp: bool) -> _Data:
    try:
        game = resized(game, record.get("size"))
        actions = [int(action) for action in record["actions"]]
        state = game.initial_state(record["starting_player"])
        boards = [board_data(game, state, None)]
        for action in actions:
            state = game.child_state(state, action)
            boards.append(board_data(game, state, action))
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise RequestError(f"expected a game of {game!r} in the log") from error
    names, players = pool.names(game), record.get("players")
    is_pair = isinstance(players, list) and [type(each) for each in players] == [str, str]
    return {
        "game": {"name": game.name, "params": game.params},
        "shape": shape_of(names),
        "number": record.get("episode"),
        "topp": topp,
        "players": players if is_pair else None,
        "start": record["starting_player"],
        "actions": actions,
        "names": [names.move(action) for action in actions],
        "states": boards,
    }
