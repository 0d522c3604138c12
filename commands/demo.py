"""``demo``: a short training run and its TOPP, fitted into a given time."""

import argparse
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from agents.match import play_game
from base.jit import compiling_seconds
from cli.outputs import draw_curves, game_stem, output_folder
from cli.params_files import Start
from cli.plan import fit, fitting_games, measure, practice_simulations, topp_game_seconds
from cli.shell import command_line
from commands.topp import play_with_display
from commands.train import train_with_display
from display.live import make_display
from display.live.display import Display
from hex_mcts.system import System
from proofs.regret import measure_regret, regret_for
from rl import cached_nets


def run(system: Start, arguments: argparse.Namespace) -> None:
    """Measure, train, play off, and suggest next steps."""
    started = _clock() - (time.perf_counter() - arguments.began)
    game = system.game
    with (
        output_folder(None, f"demo-{game_stem(game)}") as folder,
        make_display(system.params.display, game, folder / "games") as display,
    ):
        display.message(system.origin)
        display.message(f"{game!r}: training and a tournament, folder {folder}")
        practice = arguments.seconds / 10
        simulations = practice_simulations(system, practice / 2)
        display.message("Testing the speed of this machine ...")
        regret = regret_for(game, system.params.topp, practice / 2)
        speed = measure(system, simulations, practice)
        left = arguments.seconds - (_clock() - started)
        # Shown games take time, but not in files, nor without a terminal.
        mode, terminal = system.params.display.mode, display.console.is_terminal
        watched = mode == "window" or (mode == "terminal" and terminal)
        plan = fit(system.params, speed, left, watched)
        chosen = system.with_overrides(plan.overrides)
        display.delay = plan.delay
        cached, games = chosen.params.rl.cached_nets, chosen.params.topp.games
        seconds, training = arguments.seconds, plan.training_seconds
        length = f"In at most {seconds:.0f} seconds: {training:.0f} of training"
        episodes = f"about {plan.episodes} episodes with {plan.simulations} simulations a move"
        tournament = f"{cached} cached nets, {games} games of each pair"
        display.message(f"{length}, {episodes}; {tournament}.")
        _train(chosen, folder, display, max(1, plan.episodes // 2))
        nets = cached_nets(folder)
        if len(nets) < cached:
            display.message(f"{len(nets)} nets, not {cached}: the time sufficed for no more.")
        draw_curves(folder, display.names)
        speed = speed._replace(topp_game_seconds=topp_game_seconds(chosen, folder))
        if display.enabled:
            first, *_, last = chosen.topp(nets).contestants
            one, other = np.random.SeedSequence(0).spawn(2)
            title = f"{last.name} against {first.name}, which starts"
            display.show_first(1)
            display.new_series()
            play_game(game, (last.agent(one), first.agent(other)), 2, (), [display], title)
        left = arguments.seconds - (_clock() - started)
        fitting = fitting_games(chosen.params, speed, len(nets), left)
        if fitting < games:
            display.message(f"{fitting} games of each pair, not {games}: the time is short.")
        topp = chosen.with_overrides([f"topp.games={fitting}"]).topp(nets)
        steps = next_steps(folder, nets[-1], system.overrides, arguments.params)
        display.message("To try next:", *(f"  {line}" for line in steps))
        if regret is not None:
            measure_regret(topp, regret)
        play_with_display(topp, display, 0, folder)
        compiled = compiling_seconds()
        beside = f", beside {compiled:.0f} for compiling" if compiled else ""
        display.message(f"{_clock() - started:.0f} seconds in all{beside}.")


def _train(system: System, folder: Path, display: Display, every: int) -> None:
    """Train by time; where that ends in the first game, play it out."""
    with closing(system.rl_system(folder)) as rl_system:
        rl_system.clock.closing = 0.0  # the plan has its own
        train_with_display(rl_system, display, every)
    if rl_system.episode == 0:
        one = system.with_overrides(["rl.minutes=null", "rl.episodes=1"])
        with closing(one.rl_system(folder, resumes=True)) as rl_system:
            rl_system.resume()
            train_with_display(rl_system, display, every)


def _clock() -> float:
    """Return the time in seconds, on a clock that stands still while kernels are compiled."""
    return time.perf_counter() - compiling_seconds()


def next_steps(
    folder: Path, net: Path, overrides: Sequence[str] = (), params: Path | None = None
) -> list[str]:
    """Return commands to continue with, the page first; that of a new run names the game."""
    other = ["anet.activation=tanh", "anet.optimizer=rmsprop", "mcts.simulations=200"]
    replaced = [word.partition("=")[0] for word in other]
    same = [word for word in overrides if word.partition("=")[0] not in replaced]
    file = [] if params is None else ["--params", params]
    return [
        command_line("serve", "--watch", folder),
        command_line("play", "--first", "human", "--second", f"anet:{net}"),
        command_line("topp", "--run", folder, "topp.action_choice=probabilistic", "topp.games=200"),
        command_line("train", *file, *same, *other),
    ]
