"""The parameters of a command: from a file, from a net, and from the command line."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from base.project import ROOT
from base.storage import locked, set_aside, write_text
from cli.exits import UsageError
from cli.outputs import RUNS
from hex_mcts.system import DEFAULT_PARAMS, PRESETS, System, read_params

if TYPE_CHECKING:
    from base.params import Params, Sections

_LEARNS_ALONE = 5  # the largest board that earlier versions gave no preset without ``rl.scheme``


@dataclass(eq=False)
class Start(System):
    """The system of a command, and what it begins with."""

    params: Params
    overrides: list[str]
    file: Path  # of the parameters
    run: Path | None = None  # whose nets ``topp`` plays off
    net: Path | None = None  # with whose weights ``train`` starts
    notes: Sequence[str] = ()  # warnings of ``train``

    def __post_init__(self) -> None:
        """Prepare the system."""
        super().__init__(self.params, self.overrides)

    @property
    def origin(self) -> str:
        """The line that names the file of the parameters, its preset, and what changes it."""
        file, overrides = self.file, " ".join(self.overrides)
        near = file.relative_to(ROOT) if file.is_relative_to(ROOT) else file
        preset = next((f" (preset {name})" for name, each in PRESETS.items() if each == file), "")
        return f"Parameters: {near}{preset}{', with ' if overrides else ''}{overrides}"


def read_start(arguments: argparse.Namespace, overrides: list[str]) -> Start:
    """Return the start of a command: from ``--params``, a preset, a run, or params.yaml."""
    if arguments.command == "train":
        return _start_of_training(arguments, overrides)
    run = _run_of_nets(arguments) if arguments.command == "topp" else None
    of_run = run / "params.yaml" if run and (run / "params.yaml").exists() else DEFAULT_PARAMS
    file = arguments.params or of_run
    return Start(read_params(file, overrides), overrides, file, run)


def _start_of_training(arguments: argparse.Namespace, overrides: list[str]) -> Start:
    """Return the start of ``train``; repair the parameter file of a run to resume if damaged."""
    given: Path | None = arguments.params or PRESETS.get(arguments.preset or "")
    file, net, notes = given or DEFAULT_PARAMS, arguments.start, list[str]()
    if arguments.resume:
        if net is not None:
            raise UsageError("expected --from NET or --resume, got both")
        if arguments.run is None:
            raise UsageError("--resume: expected --run DIR with it, the run to continue")
        file = given or arguments.run / "params.yaml"
        notes += _repaired(arguments.run, file) if given is None else ()
    values: Sections = {}
    if net is not None:
        net = _file_of(net, file, overrides)
        values = _values_of_net(net, with_game=file == DEFAULT_PARAMS)
    options = {"start": net and str(net), "minutes": arguments.minutes}
    added = [f"rl.{key}={json.dumps(value)}" for key, value in options.items() if value]
    params = read_params(file, [*overrides, *added], values)
    if given is not None and not arguments.resume:
        notes += _notes_on_presets(file, params)
    return Start(params, overrides, file, net=net, notes=notes)


def _notes_on_presets(file: Path, params: Params) -> Iterator[str]:
    """Yield a line if earlier versions chose a preset for such a file by themselves."""
    from base.params import Params, RLParams

    own = read_params(file)
    bare = Params(game=own.game, rl=RLParams(scheme=own.rl.scheme))
    is_large = getattr(params.game.options, "size", 0) > _LEARNS_ALONE
    is_bare = (own.mcts, own.anet, own.rl) == (bare.mcts, bare.anet, bare.rl)
    if is_bare and (is_large or params.rl.scheme != "on_policy"):
        yield f"{file}: without --preset no preset is chosen any more; unset keys have defaults"


def _run_of_nets(arguments: argparse.Namespace) -> Path | None:
    run: Path | None = arguments.run
    if any(word != "random" for word in arguments.words):
        if run is not None:
            raise UsageError("expected --run DIR or net files, got both")
        return None
    if run is None:
        checkpoints = RUNS.glob("*/checkpoint*.pt")
        newest = max(checkpoints, key=lambda file: file.stat().st_mtime, default=None)
        if newest is None:
            raise UsageError("expected --run DIR or net files; there is no run under runs/")
        run = newest.parent
    if not run.is_dir():
        raise UsageError(f"{run}: no such run directory")
    return run


def _repaired(run: Path, file: Path) -> Iterator[str]:
    """Check the parameters of a run to resume; repair the file if it is damaged, with a line."""
    from base.params import ParamsError
    from rl import RunError, check_resumable, newest_checkpoint
    from rl.run_directory import LOCK

    saved = newest_checkpoint(run)[0].meta
    try:
        check_resumable(saved["params"], int(saved["episode"]), read_params(file), run)
    except (ParamsError, RunError) as error:
        game = saved["params"]["game"]
        game = {"name": game["name"], **game["options"], **game}
        del game["options"]
        with locked(run / LOCK):
            aside = f"set aside as {set_aside(file).name}, " if file.exists() else ""
            write_text(file, json.dumps({**saved["params"], "game": game}))
        yield f"{error}; {aside}now replaced by the checkpoint's parameters"


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
    values |= {"game": {"name": net.game.name, **net.game.params}} if with_game else {}
    return {
        section: {key: Given(value, str(path)) for key, value in keys.items()}
        for section, keys in values.items()
    }
