"""``explain``: one search, step by step."""

import argparse
import os
from dataclasses import replace
from functools import reduce
from pathlib import Path

from agents import BEST, AgentSpec, agent_notes, parse_agent, with_best_net, with_simulations
from agents.first_stones import first_stones
from analysis.search_recording import record
from base.storage import printable, write_json
from cli.contestants import game_of
from cli.exits import UsageError
from cli.outputs import check_new_file
from cli.saved_games import SavedGames, first_line
from display.boards.board_text import first_stones_text
from display.boards.cells import Coordinates
from display.boards.search_steps import SearchSteps
from display.live.step_screen import StepScreen, StepView
from formats.game_text import is_pasted
from hex_mcts.system import System
from state_manager import GameError, State, StateManager

_SIMULATIONS = 30
_FORMATS = (".gif", ".png", ".json")


def run(system: System, arguments: argparse.Namespace) -> int:
    """Record a search; save it to a file, print it, or step through it by keys."""
    save: Path | None = arguments.save
    if save is not None:
        check_new_file(save, "--save")
        if save.suffix.lower() not in _FORMATS:
            raise UsageError(f"--save: expected {', '.join(_FORMATS)}, got {save}")
    wanted = parse_agent(arguments.agent)
    if arguments.openings:
        game, starter = game_of(system, [wanted]), _starter(system)
        stones = first_stones(game, starter)
        if stones is None:
            raise UsageError(f"--openings: expected Hex from 3x3 to 11x11, got {game!r}")
        print(first_stones_text(Coordinates(game, system.params.display.letters), stones, starter))
        return 0
    game, first, opening, notes = _position(system, arguments, wanted)
    found = spec = with_best_net(wanted, game)
    if wanted.kind == BEST:  # the best agent may be a net alone
        found = spec = replace(spec, kind="mcts")
    if arguments.simulations or "simulations" not in spec.options:
        spec = with_simulations(spec, arguments.simulations or _SIMULATIONS)
    with StepScreen() as screen:
        screen.message(*agent_notes(game, [wanted], [found]), *map(printable, notes))
        recording = record(spec, game, opening, first, system.params)
        steps, count = SearchSteps(recording, system.params.display.letters), len(recording.steps)
        if (arguments.step or 0) > count:
            raise UsageError(f"--step: expected a number from 1 to {count}, got {arguments.step}")
        step = None if arguments.step is None else int(arguments.step) - 1
        if save is not None:
            _save(save, steps, step)
            screen.message(f"Saved in {save}.")
        elif step is not None:
            screen.write(StepView(steps, step))
        elif not screen.step_through(steps):
            for number in range(count):
                words = [f"  {line}" for line in steps.words(number)]
                screen.message(steps.heading(number), *words)
        screen.message(steps.verdict)
    return 0


def _starter(system: System) -> int:
    return 2 if system.params.game.starting_player == 2 else 1


def _position(
    system: System, arguments: argparse.Namespace, wanted: AgentSpec
) -> tuple[StateManager, State, list[int], tuple[str, ...]]:
    """Return the game, its first state, the moves before the searched position, and notes."""
    given, number, ply = arguments.game or "", arguments.number, arguments.ply
    notes: tuple[str, ...] = ()
    games: SavedGames | None = None
    if is_file := bool(given) and os.path.exists(given):
        games = SavedGames(given, system.given_game, number)
    elif number is not None:
        raise UsageError(f"--number: expected --game FILE with it, got {given!r}")
    else:
        game = game_of(system, [wanted])
        first = game.initial_state(_starter(system))
        try:
            actions = [game.parse_action(word) for word in given.split()]
        except GameError as error:
            if not game.has_hex_formats or not is_pasted(given):
                raise UsageError(f"--game: expected a file, or moves: {error}") from None
            games = SavedGames(given, system.given_game, board=game)
    if games is not None:
        saved = games.read(games.index(number, "--number"))
        notes = saved.notes
        game, first, actions = games.game, saved.states[0], list(saved.record.actions)
        ply = len(actions) // 2 if ply is None and is_file else ply
    if ply is not None and ply > len(actions):
        raise UsageError(f"--ply: expected a number from 0 to {len(actions)}, got {ply}")
    try:
        reduce(game.child_state, actions[:ply], first)
    except GameError as error:
        names = Coordinates(game, system.params.display.letters)
        raise UsageError(f"--game: {names.renamed(first_line(error))}") from None
    return game, first, actions[:ply], notes


def _save(file: Path, steps: SearchSteps, number: int | None) -> None:
    if file.suffix.lower() == ".json":
        write_json(file, steps.to_json())
        return
    from display.reports.step_pictures import animate_steps, plot_step

    if file.suffix.lower() == ".png":
        plot_step(file, steps, len(steps.recording.steps) - 1 if number is None else number)
        return
    recorded = steps.recording.steps
    simulation = None if number is None else recorded[number].simulation
    shown = [n for n, each in enumerate(recorded) if simulation in (None, each.simulation)]
    animate_steps(file, steps, shown)
