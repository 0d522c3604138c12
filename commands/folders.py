"""The files and folders of commands."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from datetime import datetime
from importlib.metadata import version
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING

from base.storage import locked, set_aside, write_text
from commands.exits import UsageError
from hex_mcts.system import System, find_preset, read_params

if TYPE_CHECKING:
    from base.params import Preset
    from state_manager import StateManager

RUNS = Path("runs")


@contextmanager
def output_folder(given: Path | None, stem: str, lock: str | None = None) -> Iterator[Path]:
    """Yield the folder for results: the given one, or a new one under ``runs/``.

    A folder that was made here and is still empty is removed at the end.

    Args:
        given: The folder, or ``None`` for a new one.
        stem: Prefix of the name of a new folder.
        lock: A file in the folder to lock meanwhile; see ``base.storage.locked``.

    Raises:
        UsageError: It is not a folder.
        LockedError: Another process holds the lock.
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
    """Make a new folder under ``runs/``, named by its contents and the time."""
    name = f"{stem}-{datetime.now():%Y%m%d-%H%M%S}"
    for path in (RUNS / each for each in chain([name], (f"{name}-{n}" for n in count(2)))):
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
    """Check that a new file can be made; ``option`` names it in errors.

    Raises:
        UsageError: The file exists, or its folder does not.
    """
    if file.exists() or not file.parent.is_dir():
        what = "is there already" if file.exists() else "is in no folder"
        raise UsageError(f"{option}: expected a file to write, {file} {what}")


def game_stem(game: StateManager) -> str:
    """Return a game in a few letters for a folder's name, such as ``hex-5``."""
    numbers = [str(value) for value in game.params.values() if isinstance(value, int)]
    return "-".join([game.name, *numbers])


def overrides_of(arguments: argparse.Namespace, file: Path, words: Sequence[str]) -> list[str]:
    """Return the overrides for the options of ``train`` that set parameters.

    If ``arguments.start`` is ``best``, it becomes the file of the best net for the game, given by
    a file of parameters and the words of the command line.
    """
    if arguments.command != "train":
        return []
    if arguments.start is not None:
        from agents import AgentSpec, names_file, with_best_net

        said = AgentSpec("anet", arguments.start)
        if not names_file(said):
            about_the_game = [word for word in words if word.startswith("game.")]
            game = System(read_params(file, about_the_game)).game
            arguments.start = with_best_net(said, game).net
    given = {"start": arguments.start and str(arguments.start), "minutes": arguments.minutes}
    return [f"rl.{key}={json.dumps(value)}" for key, value in given.items() if value is not None]


def presets_of(
    arguments: argparse.Namespace, file: Path, overrides: Sequence[str], standard: bool
) -> list[Preset]:
    """Return the presets for a new run of ``train``: a preset, then that of a net.

    ``arguments.preset`` of ``train`` becomes that preset.
    """
    if arguments.command != "train" or (arguments.resume and arguments.params is None):
        return []
    nets = [] if arguments.start is None else [_described(arguments.start)]
    arguments.preset = find_preset(file, overrides, standard, nets)
    return [*([] if arguments.preset is None else [arguments.preset]), *nets]


def _described(path: Path) -> Preset:
    """Return the game, architecture and training scheme in a net's file."""
    from agents.nets import load_net
    from base.params import Preset
    from base.params.yaml12 import Given

    net = load_net(path)
    scheme = net.run_params.get("rl", {}).get("scheme")
    values = {
        "game": {"name": net.game.name, **net.game.params},
        "anet": net.params.model_dump(mode="json", exclude={"device", "runtime"}),
        "rl": {} if scheme is None else {"scheme": scheme},
    }
    given = {
        section: {key: Given(value, str(path)) for key, value in keys.items()}
        for section, keys in values.items()
    }
    return Preset(f"from {path}", given)


def params_file(arguments: argparse.Namespace) -> Path | None:
    """Return the parameter file of the run that ``train`` resumes or ``topp`` plays off.

    ``arguments.run`` becomes the newest run if ``topp`` has none; ``arguments.notes`` of ``train``
    gets a line if the file was damaged.
    """
    if arguments.command == "train":
        arguments.notes, arguments.preset = [], None
        if not arguments.resume:
            return None
        if arguments.start is not None:
            raise UsageError("expected --from NET or --resume, got both")
        if arguments.run is None:
            raise UsageError("--resume: expected --run DIR with it, the run to go on with")
        return arguments.params or _repaired_params(arguments.run, arguments.notes)
    if arguments.command != "topp":
        return None
    if arguments.nets:
        if arguments.run is not None:
            raise UsageError("expected --run DIR or net files, got both")
        return None
    if arguments.run is None:
        checkpoints = RUNS.glob("*/checkpoint*.pt")
        newest = max(checkpoints, key=lambda file: file.stat().st_mtime, default=None)
        if newest is None:
            raise UsageError("expected --run DIR or net files; there is no run under runs/")
        arguments.run, arguments.newest = newest.parent, True
    if not arguments.run.is_dir():
        raise UsageError(f"{arguments.run}: no such run directory")
    file: Path = arguments.run / "params.yaml"
    return file if file.exists() else None


def _repaired_params(run: Path, notes: list[str]) -> Path:
    """Return the file of a run's parameters; repair it if it differs from the checkpoint."""
    from base.params import ParamsError
    from rl import RunError, check_resumable, newest_checkpoint
    from rl.run_directory import LOCK

    saved = newest_checkpoint(run)[0].meta
    file = run / "params.yaml"
    try:
        params = read_params(file, of_run=True)
        check_resumable(saved["params"], int(saved["episode"]), params, run)
    except (ParamsError, RunError) as error:
        game = saved["params"]["game"]
        game = {"name": game["name"], **game["options"], **game}
        del game["options"]
        with locked(run / LOCK):
            aside = f"set aside as {set_aside(file).name}, " if file.exists() else ""
            write_text(file, json.dumps({**saved["params"], "game": game}))
        notes.append(f"{error}; {aside}the checkpoint's own parameters serve")
    return file


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
