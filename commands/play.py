"""``play``: a series between any two agents."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from commands.errors import UsageError
from commands.parser import MOST_GAMES, whole_number
from commands.system import System

if TYPE_CHECKING:
    from agents import AgentSpec
    from agents.match import StartingPlayer
    from state_manager import StateManager

_STARTING_PLAYERS: dict[str, StartingPlayer] = {"1": 1, "2": 2, "alternate": "alternate"}

_NET = "nets/hex-5/anet_00200.pt"
_EXAMPLES = {
    "anet": f"anet:{_NET},choice=probabilistic",
    "mcts": f"mcts:{_NET},simulations=500,time_limit=0.5",
    "nrpa": "nrpa:level=3,iterations=10",
}
_EPSILONS = {
    "epsilon": ": share of random moves in its games, for epsilon_greedy",
    "rollout_epsilon": ": share of random moves in its rollouts",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command line may hold."""
    parser.add_argument("--first", required=True, metavar="AGENT", help="player 1 (in Hex red)")
    parser.add_argument("--second", required=True, metavar="AGENT", help="player 2 (in Hex black)")
    games = whole_number(MOST_GAMES, "a number of games")
    parser.add_argument("--games", type=games, default=1, metavar="G", help="how many (1)")
    parser.add_argument(
        "--starting-player",
        choices=tuple(_STARTING_PLAYERS),
        help="who moves first (game.starting_player)",
    )
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = f"{agents_in_words()}\n\n{parser.epilog}"


def agents_in_words(people: bool = True) -> str:
    """Say which agents there are, people too or not, with an example and the options of each."""
    from agents import AGENTS, agent_kind
    from base.params import describe

    lines = ["agents, each with options as in AGENT:name=value,name=value"]
    for name in AGENTS if people else [name for name in AGENTS if name != "human"]:
        kind = agent_kind(name)
        lines += ["", f"  {_EXAMPLES.get(name, name)}"]
        if kind.net_use == "optional":
            lines[-1] += "  (the net may be left out)"
        options = kind.Options.model_fields.items()
        lines += [
            f"      {option:<16} {describe(field)}{_EPSILONS.get(option, '')}"
            for option, field in options
        ]
    return "\n".join(lines)


def run(system: System, arguments: argparse.Namespace) -> int:
    """Play a series and print who won."""
    from agents import parse_agent
    from agents.match import starting_players
    from commands.batch import Batch
    from display.live import make_display

    specs = (parse_agent(arguments.first), parse_agent(arguments.second))
    game = game_of(system, specs)
    chosen = arguments.starting_player or system.params.game.starting_player
    starting_player = _STARTING_PLAYERS[str(chosen)]
    display = make_display(system.params.display, game, Path("runs") / "games")
    display.listens = all(spec.kind != "human" for spec in specs)
    with display:
        starters = starting_players(arguments.games, starting_player)
        played = Batch(system, game, specs, starters, display).play()
    return 0 if played == arguments.games else 1


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
    if system.given_game not in (None, theirs):
        raise UsageError(f"command line: expected {theirs!r}, as {nets[0][0]}, got {system.game!r}")
    return theirs
