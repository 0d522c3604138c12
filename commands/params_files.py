"""The parameters of a command: from a file, from a net, and from the command line."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from base.project import ROOT
from base.storage import locked, set_aside, write_text
from commands.exits import UsageError
from commands.outputs import RUNS
from hex_mcts.system import DEFAULT_PARAMS, PRESETS, System, read_params

if TYPE_CHECKING:
    from base.params import Params, Sections

_LEARNS_ALONE = 5
"""The largest board that earlier versions gave no preset without ``rl.scheme``."""


def read_system(arguments: argparse.Namespace, overrides: list[str]) -> System:
    """Return the system for a command: from ``--params``, a preset, a run, or params.yaml.

    ``arguments`` change: ``origin`` says where the parameters come from; ``run`` of ``topp``
    becomes the newest run if none is given (``newest``); ``start`` of ``train`` becomes a file if
    it is ``best``, and ``notes`` get a line if the parameters of the run were damaged.
    """
    of_run, trains = None, arguments.command == "train"
    net: Sections = {}
    if getattr(arguments, "preset", None) is not None:
        arguments.params = PRESETS[arguments.preset]
    if trains:
        arguments.notes = []
        of_run = _params_to_resume(arguments)
    elif arguments.command == "topp":
        arguments.random = "random" in arguments.words
        arguments.words = [word for word in arguments.words if word != "random"]
        arguments.newest = not arguments.words and arguments.run is None
        of_run = _params_of_nets(arguments)
    file = arguments.params or of_run or DEFAULT_PARAMS
    arguments.origin = _origin(file, overrides)
    if trains:
        if arguments.start is not None:
            arguments.start = _file_of(arguments.start, file, overrides)
            net = _values_of_net(arguments.start, with_game=file == DEFAULT_PARAMS)
        given = {"start": arguments.start and str(arguments.start), "minutes": arguments.minutes}
        overrides += [f"rl.{key}={json.dumps(value)}" for key, value in given.items() if value]
    params = read_params(file, overrides, net)
    if trains and file == arguments.params and not arguments.resume:
        arguments.notes += _notes_on_presets(file, params)
    return System(params, overrides)


def _origin(file: Path, overrides: list[str]) -> str:
    """Return the line that names the file of the parameters, its preset, and what changes it."""
    near = file.relative_to(ROOT) if file.is_relative_to(ROOT) else file
    preset = next((f" (preset {name})" for name, each in PRESETS.items() if each == file), "")
    return f"Parameters: {near}{preset}{', with ' if overrides else ''}{' '.join(overrides)}"


def _notes_on_presets(file: Path, params: Params) -> Iterator[str]:
    """Yield a line if earlier versions chose a preset for a file, by themselves.

    They did if it set no more of mcts, anet and rl than the scheme, for two of the three schemes,
    and without a scheme for large boards.
    """
    from base.params import Params, RLParams

    own = read_params(file)
    bare = Params(game=own.game, rl=RLParams(scheme=own.rl.scheme))
    is_large = getattr(params.game.options, "size", 0) > _LEARNS_ALONE
    if (own.mcts, own.anet, own.rl) == (bare.mcts, bare.anet, bare.rl) and (
        is_large or params.rl.scheme != "on_policy"
    ):
        yield f"{file}: without --preset no preset is chosen any more; unset keys have defaults"


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
        params = read_params(file)
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


def _file_of(start: Path, file: Path, overrides: list[str]) -> Path:
    """Return the net's file that ``--from`` names; ``best`` is the best net for the board."""
    from agents import AgentSpec, names_file, with_best_net

    if names_file(spec := AgentSpec("anet", start)):
        return start
    about_game = [word for word in overrides if word.startswith("game.")]
    found = with_best_net(spec, System(read_params(file, about_game)).game).net
    assert found is not None
    return found


def _values_of_net(path: Path, with_game: bool) -> Sections:
    """Return the architecture in a net's file, and its game if no file of parameters is named."""
    from agents.nets import load_anet
    from anet.anet import OF_LEARNING, WITHOUT_EFFECT
    from base.params import Given

    net = load_anet(path)
    params = net.params.model_dump(mode="json", exclude=WITHOUT_EFFECT | OF_LEARNING)
    values: dict[str, dict[str, object]] = {"anet": params}
    if with_game:
        values["game"] = {"name": net.game.name, **net.game.params}
    return {
        section: {key: Given(value, str(path)) for key, value in keys.items()}
        for section, keys in values.items()
    }
