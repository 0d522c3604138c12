"""``explain``: one search, step by step."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from agents import BEST, AgentSpec, best_note, parse_agent, with_best_net, with_simulations
from analysis.recording import record
from base.storage import write_json
from commands.exits import UsageError
from commands.folders import check_new_file
from commands.play import game_of
from commands.saved_games import SavedGames
from display.boards.explained import Explained
from display.boards.explained_json import recording_json
from display.boards.step_words import lines_of
from display.live.explained import StepScreen, StepView
from hex_mcts.system import System
from state_manager import StateManager
from state_manager.errors import GameError

_SIMULATIONS = 30
_FORMATS = (".gif", ".png", ".json")


def run(system: System, arguments: argparse.Namespace) -> int:
    """Record a search; save it to a file, print it, or step through it by keys."""
    save: Path | None = arguments.save
    if save is not None:
        check_new_file(save, "--save")
        if save.suffix not in _FORMATS:
            raise UsageError(f"--save: expected {', '.join(_FORMATS)}, got {save}")
    asked = parse_agent(arguments.agent)
    game, starting_player, opening = _position(system, arguments, asked)
    found = spec = with_best_net(asked, game)
    if asked.kind == BEST:  # the best agent may be a net alone
        found = spec = replace(spec, kind="mcts")
    if arguments.simulations or "simulations" not in spec.options:
        spec = with_simulations(spec, arguments.simulations or _SIMULATIONS)
    with StepScreen() as screen:
        if line := best_note(asked, found):
            screen.message(line)
        explained = Explained(record(spec, game, opening, starting_player, system.params))
        steps = len(explained.recording.steps)
        if arguments.step is not None and arguments.step > steps:
            raise UsageError(f"--step: expected a number from 1 to {steps}, got {arguments.step}")
        step = None if arguments.step is None else int(arguments.step) - 1
        if save is not None:
            _save(save, explained, step)
            screen.message(f"Kept in {save}.")
        elif step is not None:
            screen.write(StepView(explained, step))
        elif not screen.step_through(explained):
            for each in range(steps):
                screen.message("\n".join(lines_of(explained, each)))
        screen.message(explained.verdict)
    return 0


def _position(
    system: System, arguments: argparse.Namespace, asked: AgentSpec
) -> tuple[StateManager, int, list[int]]:
    """Return the game, the starting player, and the moves before the searched position.

    Raises:
        UsageError: ``--game`` is neither a file nor moves, or has too few moves.
    """
    given, number, ply = arguments.game or "", arguments.number, arguments.ply
    starter = 2 if system.params.game.starting_player == 2 else 1
    if given and Path(given).exists():
        games = SavedGames(Path(given), system.given_game)
        saved = games.read(games.index(number, "--number"))
        game, starter, actions = games.game, int(saved.states[0][0]), saved.actions
        ply = len(actions) // 2 if ply is None else ply
    elif number is not None:
        raise UsageError(f"--number: expected --game FILE with it, got {given!r}")
    else:
        game = game_of(system, [asked])
        try:
            actions = [game.parse_action(word) for word in given.split()]
        except GameError as error:
            raise UsageError(f"--game: expected a file, or moves: {error}") from None
    if ply is not None and ply > len(actions):
        raise UsageError(f"--ply: expected a number from 0 to {len(actions)}, got {ply}")
    return game, starter, actions[:ply]


def _save(file: Path, explained: Explained, step: int | None) -> None:
    """Write the recording, the picture of a step, or an animation of one or all simulations."""
    steps = explained.recording.steps
    if file.suffix == ".json":
        write_json(file, recording_json(explained))
        return
    from display.reports.explanation import animate_steps, plot_step

    if file.suffix == ".png":
        plot_step(file, explained, len(steps) - 1 if step is None else step)
        return
    simulation = None if step is None else steps[step].simulation
    shown = [n for n, each in enumerate(steps) if simulation in (None, each.simulation)]
    animate_steps(file, explained, shown)
