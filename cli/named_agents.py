"""The agents that the command line names, and their game."""

from collections.abc import Sequence

from agents import AgentSpec, agent_notes, common_game, net_of, with_best_net
from hex_mcts.system import System
from state_manager import StateManager


def named_agents(
    system: System, *specs: AgentSpec
) -> tuple[StateManager, list[AgentSpec], list[str]]:
    """Return the game of the agents, the agents with files for ``best``, and notes on these."""
    game = game_of(system, specs)
    found = [with_best_net(spec, game) for spec in specs]
    return game, found, agent_notes(game, specs, found)


def game_of(system: System, specs: Sequence[AgentSpec]) -> StateManager:
    """Return the game of the command line, if the agents' nets fit it, else theirs, if any."""
    nets = [(spec.net, net) for spec in specs if spec.net and (net := net_of(spec))]
    return common_game(nets, system.given_game) or system.game
