"""The agents that the command line names, and their game."""

from collections.abc import Sequence

from agents import AgentSpec, best_note, common_game, net_of, with_best_net
from commands.exits import UsageError
from hex_mcts.system import System
from state_manager import StateManager


def named_agents(
    system: System, *specs: AgentSpec
) -> tuple[StateManager, list[AgentSpec], list[str]]:
    """Return the game of the agents, the agents with files for ``best``, and notes on these."""
    game = game_of(system, specs)
    found = [with_best_net(spec, game) for spec in specs]
    return game, found, list(filter(None, map(best_note, specs, found)))


def game_of(system: System, specs: Sequence[AgentSpec]) -> StateManager:
    """Return the game of the agents' nets, perhaps with the swap, else that of the parameters."""
    nets = [(spec.net, net) for spec in specs if spec.net and (net := net_of(spec))]
    theirs = common_game(nets)
    if theirs is None:
        return system.game
    if system.given_game not in (None, theirs):
        if system.game.without_swap == theirs:
            return system.game
        raise UsageError(f"command line: expected {theirs!r}, as {nets[0][0]}, got {system.game!r}")
    return theirs
