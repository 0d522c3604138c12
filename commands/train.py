"""``train``: play episodes and train the net."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commands.errors import UsageError
from commands.files import check_unused, folder_name, game_stem, output_folder
from commands.shell import command_line
from commands.system import System, read_params

if TYPE_CHECKING:
    from display.live.display import Display
    from rl import RLSystem
    from state_manager import StateManager


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command line may hold."""
    parser.add_argument("--run", type=folder_name, metavar="DIR", help="the run directory to write")
    parser.add_argument("--resume", action="store_true", help="go on with the run in --run DIR")


def params_file(arguments: argparse.Namespace) -> Path | None:
    """Return the parameters of the run that is to be resumed."""
    arguments.notes = []
    if not arguments.resume:
        return None
    if arguments.run is None:
        raise UsageError("--resume: expected --run DIR with it, the run to go on with")
    return arguments.params or _file_of_run(arguments.run, arguments.notes)


def _file_of_run(run: Path, notes: list[str]) -> Path:
    """Return the file of a run's parameters; if they are not those of its checkpoint, mend it.

    Args:
        run: The run directory.
        notes: Gets a line if the file is damaged.
    """
    from base.params import ParamsError
    from base.storage import locked, set_aside, write_text
    from rl import RunError, check_resumable, newest_checkpoint
    from rl.run_directory import LOCK

    saved = newest_checkpoint(run)[0].meta
    file = run / "params.yaml"
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
        notes.append(f"{error}; {aside}the checkpoint's own parameters serve")
    return file


def run(system: System, arguments: argparse.Namespace) -> int:
    """Train, and say where everything is."""
    from display.live import make_display
    from rl import cached_nets

    params = system.params
    if arguments.run is not None and not arguments.resume:
        _check_unused(arguments.run)
    # A display that cannot be had is found out before anything is written.
    with (
        output_folder(arguments.run, game_stem(system.game)) as folder,
        make_display(params.display, system.game, folder / "games") as display,
        closing(system.rl_system(folder)) as rl_system,
    ):
        if arguments.resume:
            rl_system.resume()
        else:
            _check_unused(folder)  # again, now that no other process can write to it
        episodes = params.rl.episodes
        display.message(f"{system.game!r}: {episodes} episodes, run directory {folder}")
        for note in (*arguments.notes, *rl_system.run.notes):
            display.message(f"WARNING: {note}")
        if (nets := len(params.rl.save_episodes)) < params.rl.cached_nets:
            display.message(
                f"{nets} nets will be cached, not {params.rl.cached_nets}: there is an update, and "
                f"so a new net, after every {params.rl.episodes_per_update} episodes only."
            )
        if (cut_short := rl_system.run.taken_back) is not None:
            display.message(
                f"The last update, after episode {cut_short}, is taken back: the end of the run "
                f"had cut it short. {_games(rl_system.waiting)} kept, to be learnt from again."
            )
        left = rl_system.episode < episodes
        if left:
            train_with_display(rl_system, display, params.display.every)
        else:
            display.message(
                f"All {episodes} episodes are already finished; to go on, add rl.episodes=N, "
                f"such as rl.episodes={2 * episodes}."
            )
        display.message(f"Nets: {', '.join(path.name for path in cached_nets(folder))}")
        display.message(f"Next: {command_line('topp', '--run', folder)}")
        if left:
            draw_curves(folder)
    return 0


def _check_unused(folder: Path) -> None:
    """Raise an error if there is a run in the folder, or files that a run would replace or mix."""
    from rl import holds_run

    if holds_run(folder):
        raise UsageError(f"{folder}: holds a run already; add --resume, or name another --run DIR")
    if any(folder.glob("anet_*.pt")):
        raise UsageError(f"{folder}: holds nets already; name another --run DIR")
    files = [folder / name for name in ("params.yaml", "metrics.jsonl", "games.jsonl")]
    with_content = (file.name for file in files if not file.is_file() or file.stat().st_size)
    check_unused(folder, with_content, "--run")


class _StopError(Exception):
    """Training is to end before its last episode."""


def train_with_display(
    rl_system: RLSystem,
    display: Display,
    every: int,
    should_stop: Callable[[int], bool] = lambda episode: False,
) -> None:
    """Train with a progress bar and boards; draw the learning curves if it breaks off.

    Args:
        rl_system: What trains.
        display: What shows it.
        every: Episode 1 and each episode that this divides are shown.
        should_stop: Asked after each update whether to end now.
    """
    done, total = rl_system.episode, rl_system.params.rl.episodes
    display.show_every(every, played=done)
    display.start_progress("training", total)
    if done:
        display.advance(done)
    last = done
    batch = rl_system.params.rl.episodes_per_update

    def on_update(record: dict[str, Any]) -> None:
        nonlocal last
        display.advance(
            record["episode"] - last,
            status=f"loss {record['loss']:.2f}, floor {record['entropy']:.2f}",
        )
        last = record["episode"]
        if "gating_games" in record:
            iteration = math.ceil(last / batch)
            display.message(gating_report(rl_system.game, iteration, record))
        if last < total and should_stop(last):
            raise _StopError

    try:
        with suppress(_StopError):
            rl_system.train([display], on_update)
    except BaseException as error:
        display.stop_progress()
        if isinstance(error, KeyboardInterrupt):
            more = (
                f" {_games(rl_system.waiting)} finished after it and kept; --resume goes on "
                "from there."
                if rl_system.waiting
                else ""
            )
            display.message(
                f"Stopped after episode {rl_system.episode}.{more} Go on with: "
                f"{command_line('train', '--run', rl_system.run.path, '--resume')}"
            )
        with suppress(OSError):  # what went wrong first is what counts
            draw_curves(rl_system.run.path)
        raise
    display.stop_progress()


def draw_curves(run: Path) -> None:
    """Draw the learning curves; only at the end, since drawing takes most of a second to load."""
    from base.storage import read_jsonl
    from display.reports.training_plot import plot_training

    plot_training(run / "training.png", read_jsonl(run / "metrics.jsonl"))


def _games(number: int) -> str:
    """Return a number of games as the subject of a sentence about what was done with them."""
    return f"{number} game{' was' if number == 1 else 's were'}"


def gating_report(game: StateManager, iteration: int, record: Mapping[str, Any]) -> str:
    """Say how the new net did against the old one, in the words of the article on Hexapawn Zero.

    Args:
        game: What was played.
        iteration: The number of the update, from 1.
        record: Its line of the metrics.
    """
    sides = list(zip(game.player_names, record["gating_wins"], record["gating_games"], strict=True))
    parts = [f"As {name}: {wins} out of {games}" for name, wins, games in reversed(sides)]
    drawn = f", and {record['gating_draws']} draws" if record["gating_draws"] else ""
    parts.append(f"Total wins: {sum(record['gating_wins'])}{drawn}")
    kept = "the new net is taken" if record["accepted"] else "the old net is kept"
    parts.append(f"frac_win: {record['win_fraction']:.2f}, {kept}")
    return f"Iteration {iteration}. {'. '.join(parts)}."
