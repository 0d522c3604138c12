"""The parameters of a command: from a file, from presets and from the command line."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from base.storage import locked, set_aside, write_text
from commands.exits import UsageError
from commands.outputs import RUNS
from hex_mcts.system import DEFAULT_PARAMS, System, find_preset, read_params

if TYPE_CHECKING:
    from base.params import Preset


def read_system(arguments: argparse.Namespace, overrides: list[str]) -> System:
    """Return the system for a command: from ``--params``, the file of a run, or params.yaml.

    ``arguments`` change: ``run`` of ``topp`` becomes the newest run if none is given (``newest``);
    ``start`` of ``train`` becomes a file if it is ``best``, ``preset`` the preset of a new run, and
    ``notes`` get a line if the parameters of the run were damaged.
    """
    of_run = None
    if arguments.command == "train":
        arguments.notes, arguments.preset = [], None
        of_run = _params_to_resume(arguments)
    elif arguments.command == "topp":
        arguments.newest = not arguments.words and arguments.run is None
        of_run = _params_of_nets(arguments)
    file = arguments.params or of_run or DEFAULT_PARAMS
    presets = _presets(arguments, file, overrides) if arguments.command == "train" else []
    standard = file == DEFAULT_PARAMS
    params = read_params(file, overrides, presets, standard, of_run=of_run is not None)
    return System(params, overrides)


def _params_of_nets(arguments: argparse.Namespace) -> Path | None:
    """Return the parameter file of the run that ``topp`` plays off, if any."""
    if arguments.words and arguments.run is not None:
        raise UsageError("expected --run DIR or net files, got both")
    if arguments.words:
        return None
    if arguments.newest:
        checkpoints = RUNS.glob("*/checkpoint*.pt")
        newest = max(checkpoints, key=lambda file: file.stat().st_mtime, default=None)
        if newest is None:
            raise UsageError("expected --run DIR or net files; there is no run under runs/")
        arguments.run = newest.parent
    if not arguments.run.is_dir():
        raise UsageError(f"{arguments.run}: no such run directory")
    file: Path = arguments.run / "params.yaml"
    return file if file.exists() else None


def _params_to_resume(arguments: argparse.Namespace) -> Path | None:
    """Return the parameter file of the run that ``train`` resumes, if any; repair it if damaged."""
    if not arguments.resume:
        return None
    if arguments.start is not None:
        raise UsageError("expected --from NET or --resume, got both")
    if (run := arguments.run) is None:
        raise UsageError("--resume: expected --run DIR with it, the run to continue")
    if arguments.params is not None:
        return Path(arguments.params)
    from base.params import ParamsError
    from rl import RunError, check_resumable, newest_checkpoint
    from rl.run_directory import LOCK

    saved = newest_checkpoint(run)[0].meta
    file = Path(run) / "params.yaml"
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
        arguments.notes.append(f"{error}; {aside}now replaced by the checkpoint's parameters")
    return file


def _presets(arguments: argparse.Namespace, file: Path, overrides: list[str]) -> list[Preset]:
    """Return the presets of a new run; add options of ``train`` to ``overrides``."""
    if arguments.start is not None:
        from agents import AgentSpec, names_file, with_best_net

        if not names_file(spec := AgentSpec("anet", arguments.start)):
            about_game = [word for word in overrides if word.startswith("game.")]
            arguments.start = with_best_net(spec, System(read_params(file, about_game)).game).net
    given = {"start": arguments.start and str(arguments.start), "minutes": arguments.minutes}
    overrides += [f"rl.{key}={json.dumps(value)}" for key, value in given.items() if value]
    if arguments.resume and arguments.params is None:
        return []
    nets = [] if arguments.start is None else [_preset_of_net(arguments.start)]
    arguments.preset = find_preset(file, overrides, file == DEFAULT_PARAMS, nets)
    return [*filter(None, [arguments.preset]), *nets]


def _preset_of_net(path: Path) -> Preset:
    """Return the game, architecture and training scheme in a net's file, without other boards."""
    from agents.nets import load_net
    from anet.anet import WITHOUT_EFFECT
    from base.params import Preset
    from base.params.yaml12 import Given

    net = load_net(path)
    scheme = net.run_params.get("rl", {}).get("scheme")
    values = {
        "game": {"name": net.game.name, **net.game.params},
        "anet": net.params.model_dump(mode="json", exclude=WITHOUT_EFFECT),
        # No small boards first: this net has learned.
        "rl": {"sizes": {}} | ({} if scheme is None else {"scheme": scheme}),
    }
    given = {
        section: {key: Given(value, str(path)) for key, value in keys.items()}
        for section, keys in values.items()
    }
    return Preset(f"from {path}", given)
