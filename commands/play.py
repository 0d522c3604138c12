"""``play``: a series between any two agents."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from commands.errors import UsageError
from commands.system import System

if TYPE_CHECKING:
    from agents import Agent, AgentSpec, HumanIO
    from display import Display
    from match import GameRecord, SeriesResult, StartingPlayer
    from state_manager import State, StateManager

_STARTING_PLAYERS: dict[str, StartingPlayer] = {"1": 1, "2": 2, "alternate": "alternate"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command line may hold."""
    parser.add_argument("--first", required=True, metavar="AGENT", help="player 1 (red)")
    parser.add_argument("--second", required=True, metavar="AGENT", help="player 2 (black)")
    parser.add_argument("--games", type=_positive, default=1, metavar="G", help="how many (1)")
    parser.add_argument(
        "--starting-player",
        choices=tuple(_STARTING_PLAYERS),
        help="who moves first (game.starting_player)",
    )


def _positive(text: str) -> int:
    """Read a number of games."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a number of games from 1, got {text!r}")
    return int(text)


def params_file(arguments: argparse.Namespace) -> Path | None:
    """Play reads the usual parameters."""
    return None


def run(system: System, arguments: argparse.Namespace) -> int:
    """Play a series and print who won."""
    from agents import parse_agent
    from display import make_display

    specs = (parse_agent(arguments.first), parse_agent(arguments.second))
    human = any(spec.kind == "human" for spec in specs)
    game = game_of(system, specs)
    chosen = arguments.starting_player or system.params.game.starting_player
    starting_player = _STARTING_PLAYERS[str(chosen)]
    with make_display(system.params.display, game, Path("runs") / "games") as display:
        agents = _agents(specs, system, game, display)
        result = _play(game, agents, arguments.games, starting_player, display, system, human)
    return 0 if result.games == arguments.games else 1


def game_of(system: System, specs: tuple[AgentSpec, ...]) -> StateManager:
    """Return the game of the nets that play, else that of the parameters.

    Raises:
        AgentError: If two nets are for different games.
        UsageError: If an override of the game disagrees with the nets.
    """
    from agents import common_game, load_net

    nets = [(spec.net, load_net(spec.net)) for spec in specs if spec.net is not None]
    theirs = common_game(nets)
    if theirs is None:
        return system.game
    overridden = any(word.startswith("game.") for word in system.overrides)
    if overridden and system.game != theirs:
        raise UsageError(f"command line: expected {theirs!r}, as {nets[0][0]}, got {system.game!r}")
    return theirs


def _agents(
    specs: tuple[AgentSpec, AgentSpec], system: System, game: StateManager, display: Display
) -> tuple[Agent, Agent]:
    """Make both agents, each with random numbers of its own."""
    import numpy as np

    from agents import make_agent

    seeds = np.random.SeedSequence(system.params.seed).spawn(2)
    first, second = (
        make_agent(spec, game, seed=seed, defaults=system.params, human_io=_human_io(game, display))
        for spec, seed in zip(specs, seeds, strict=True)
    )
    if first.name == second.name:
        return _Named(f"{first.name} (1)", first), _Named(f"{second.name} (2)", second)
    return first, second


@dataclass(frozen=True)
class _Named:
    """An agent under another name."""

    name: str
    agent: Agent

    def choose_action(self, state: State) -> int:
        """Return the action that the agent chooses."""
        return self.agent.choose_action(state)


def _human_io(game: StateManager, display: Display) -> HumanIO:
    """Let a human see the board and type moves, the live area being out of the way."""
    from agents import HumanIO
    from display import GameView

    def ask(prompt: str) -> str:
        with display.paused():
            return input(prompt)

    def show_board(state: State) -> None:
        display.write(GameView(game, state))

    return HumanIO(ask, display.message, show_board)


def _play(
    game: StateManager,
    agents: tuple[Agent, Agent],
    games: int,
    starting_player: StartingPlayer,
    display: Display,
    system: System,
    human: bool,
) -> SeriesResult:
    """Play the series; print what is finished, however it ends."""
    from display import series_table
    from match import SeriesResult, play_series

    display.show_first(games if human else system.params.display.games)
    display.new_series()
    if games > 1:
        display.start_progress("games", games)
    records: list[GameRecord] = []

    def on_result(record: GameRecord) -> None:
        records.append(record)
        if games > 1:
            display.advance(1)

    players = (agents[0].name, agents[1].name)
    try:
        play_series(
            game,
            agents,
            games,
            starting_player,
            observers=[] if human else display.observers,
            on_result=on_result,
        )
    except EOFError:
        display.message("The input has ended, and the game with it.")
    finally:
        display.stop_progress()
        if records:
            outcomes = [(record.starting_player, record.winner) for record in records]
            display.write(series_table(players, outcomes))
    return SeriesResult(players, tuple(records))
