"""``train``: play episodes and train the net."""

from __future__ import annotations

import argparse
import importlib
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from base.storage import read_jsonl
from cli.exits import UsageError
from cli.outputs import check_unused, draw_curves, game_stem, output_folder
from cli.params_files import Start
from cli.shell import command_line
from display.live import make_display
from display.live.display import Display
from hex_mcts.system import DEFAULT_PARAMS
from rl import cached_nets, holds_run
from state_manager import StateManager

if TYPE_CHECKING:
    from rl import RLSystem  # which imports torch


def run(system: Start, arguments: argparse.Namespace) -> None:
    """Train, and print the paths of all results."""
    params = system.params
    if arguments.run is not None and not arguments.resume:
        _check_unused(arguments.run)
    # An unavailable display must fail before anything is written.
    if params.display.tensorboard:
        importlib.import_module("tensorboardX")
    with (
        output_folder(arguments.run, game_stem(system.game)) as folder,
        make_display(params.display, system.game, folder / "games") as display,
        closing(system.rl_system(folder, arguments.resume)) as rl_system,
    ):
        if arguments.resume:
            rl_system.resume()
        else:
            _check_unused(folder)  # again, now that no other process can write to it
        display.message(*_about_start(system, rl_system))
        was_over = rl_system.is_over
        if not was_over:
            train_with_display(rl_system, display, params.display.every, began=arguments.began)
        display.message(*_about_end(rl_system, was_over))
        draw_curves(folder, display.names)


def _about_start(system: Start, rl_system: RLSystem) -> Iterator[str]:
    rl, run = system.params.rl, rl_system.run
    length = f"{rl.episodes} episodes" if rl.minutes is None else f"{rl.minutes:g} minutes"
    yield system.origin
    yield f"{system.game!r}: {length}, run directory {run.path}"
    if system.net is not None:
        game = " and game" if system.file == DEFAULT_PARAMS else ""
        yield f"It starts with the weights of {system.net}, and has its architecture{game}."
    choice, anet = system.choice, rl_system.params.anet
    if choice and choice.runtimes:
        times = (
            f"{each.runtime} {each.precision} {each.microseconds:.1f}" for each in choice.runtimes
        )
        measured = f"Measured, microseconds for a position: {', '.join(times)}."
        yield f"Self-play evaluates in {anet.runtime}, {anet.precision}. {measured}"
    if choice and choice.learning_speed is not None:
        speed = f"bfloat16 is {choice.learning_speed:.2f} times as fast as float32"
        yield f"It learns in {anet.learning_precision}: {speed}."
    for note in (*system.notes, *run.notes, *system.params.without_effect):
        yield f"WARNING: {note}"
    nets, due = len(rl.save_episodes), len(rl.net_marks(rl.episodes))
    if rl.minutes is None and nets < due:
        updates = math.ceil(rl.episodes / rl.episodes_per_update)
        yield f"{nets} nets will be cached, not {due}; number of updates: {updates}."
    elif rl.minutes is rl.save_interval is None and rl.episodes % (due - 1):
        i_s, longer = divmod(rl.episodes, due - 1)
        yield f"i_s is {i_s}, and {i_s + 1} in the last {longer} of {due - 1} intervals."
    if run.taken_back is not None:
        undone = "was cut short by the end of the run and is undone"
        kept = f"{_games(rl_system.waiting)} kept, to be learned from again"
        yield f"The last update, after episode {run.taken_back}, {undone}. {kept}."


def _about_end(rl_system: RLSystem, was_over: bool) -> Iterator[str]:
    rl, run, episode = rl_system.params.rl, rl_system.run, rl_system.episode
    # Twice the minutes of the run, or twice those that it took if more, rounded up.
    minutes = rl.minutes and max(rl.minutes, rl_system.progress.done / 60)
    longer = minutes and f"--minutes M, such as --minutes {math.ceil(20 * minutes) / 10:g}"
    if rl_system.is_proven:
        when = "The run is over:" if was_over else f"After {episode} episodes"
        yield f"{when} the exploiter refutes nothing any more."
    elif was_over and rl.minutes:
        yield f"The {rl.minutes:g} minutes are already over; to go on, add {longer}."
    elif was_over:
        more = f"rl.episodes=N, such as rl.episodes={2 * rl.episodes}"
        yield f"All {rl.episodes} episodes are already finished; to go on, add {more}."
    if rl.minutes and not was_over and episode:
        words = "--params", run.params_path, "rl.minutes=null", f"rl.episodes={episode}"
        again = command_line("train", *words)
        yield f"{episode} episodes; for the same number again: {again}"
    elif rl.minutes and not was_over:
        over = f"The {rl.minutes:g} minutes were over before the first game"
        yield f"{over}, and nothing is learned; to go on, add --resume {longer}."
    yield f"Nets: {', '.join(path.name for path in cached_nets(run.path))}"
    yield f"Next: {command_line('topp', '--run', run.path)}"
    yield _page_of(run.path)


def _page_of(folder: Path) -> str:
    return f"On the page: {command_line('serve', '--watch', folder)}"


def _check_unused(folder: Path) -> None:
    if holds_run(folder):
        raise UsageError(f"{folder}: holds a run already; add --resume, or name another --run DIR")
    if any(folder.glob("anet_*.pt")):
        raise UsageError(f"{folder}: holds nets already; name another --run DIR")
    files = [folder / name for name in ("params.yaml", "metrics.jsonl", "games.jsonl")]
    with_content = (file.name for file in files if not file.is_file() or file.stat().st_size)
    check_unused(folder, with_content, "--run")


def train_with_display(
    rl_system: RLSystem, display: Display, every: int, began: float | None = None
) -> None:
    """Train, show episode 1 and each ``every``-th; draw the curves if it is interrupted."""
    params, anet, progress = rl_system.params.rl, rl_system.params.anet, rl_system.progress
    # Ten times the loss of a net that takes all moves to be equally good.
    largest = 10 * (math.log(rl_system.game.num_actions) + 4 * anet.value_weight * anet.critic)
    display.show_every(every, played=rl_system.episode)
    what = "training" if params.minutes is None else "training, seconds"
    display.start_progress(what, math.ceil(progress.whole))
    if shown := min(int(progress.done), int(progress.whole)):
        display.advance(shown)

    def on_update(record: dict[str, Any]) -> None:
        nonlocal shown, largest
        to_tensorboard(record)
        now = rl_system.progress
        done = math.ceil(now.whole) if now.is_over else int(now.done)
        display.advance(done - shown, f"loss {record['loss']:.2f}, floor {record['entropy']:.2f}")
        shown = done
        if record["loss"] > largest > 0:
            loss = f"{record['loss']:.3g}, which is more than the net can have learned from"
            rate = f"try a smaller anet.learning_rate (now {anet.learning_rate:g})"
            display.message(f"WARNING: the loss is {loss}: {rate}.")
            largest = 0.0  # said once
        if "regret" in record:
            share = f"{record['regret']:.1%} of won positions"
            line = f"Episode {record['episode']}: {share} thrown away"
            if "opening_map" in record:
                wrong = record["opening_map"]["wrong"]
                line += f", {sum(wrong)} of {len(wrong)} first moves misjudged"
            display.message(f"{line}.")
        if "gating_games" in record:
            iteration = math.ceil(record["episode"] / params.episodes_per_update)
            display.message(gating_report(rl_system.game, iteration, record))

    log = rl_system.run.path / "metrics.jsonl"
    curves: AbstractContextManager[Callable[[Mapping[str, Any]], None]]
    try:
        curves = nullcontext(lambda record: None)
        if rl_system.params.display.tensorboard:
            from display.reports.training_curves import tensorboard

            earlier = read_jsonl(log) if log.exists() else []
            curves = tensorboard(rl_system.run.path / "tensorboard", earlier)
        with curves as to_tensorboard:
            rl_system.train([display], on_update, began)
    except BaseException as error:
        display.stop_progress()
        if isinstance(error, KeyboardInterrupt):
            words = f"Stopped after episode {rl_system.episode}."
            if rl_system.waiting:
                kept = _games(rl_system.waiting)
                words += f" {kept} finished after it and kept; --resume continues from there."
            line = command_line("train", "--run", rl_system.run.path, "--resume")
            display.message(f"{words} Go on with: {line}")
            display.message(_page_of(rl_system.run.path))
        with suppress(Exception):  # the first error counts
            draw_curves(rl_system.run.path, display.names)
        raise
    display.stop_progress()


def _games(number: int) -> str:
    return f"{number} game{' was' if number == 1 else 's were'}"


def gating_report(game: StateManager, iteration: int, record: Mapping[str, Any]) -> str:
    """Return a line on the new net against the old one, as in the article on Hexapawn Zero."""
    sides = list(zip(game.player_names, record["gating_wins"], record["gating_games"], strict=True))
    parts = [f"As {name}: {wins} out of {games}" for name, wins, games in reversed(sides)]
    drawn = f", and {record['gating_draws']} draws" if record["gating_draws"] else ""
    parts.append(f"Total wins: {sum(record['gating_wins'])}{drawn}")
    kept = "the new net is taken" if record["accepted"] else "the old net is kept"
    parts.append(f"frac_win: {record['win_fraction']:.2f}, {kept}")
    return f"Iteration {iteration}. {'. '.join(parts)}."
