"""The agents that the command line names, and their game."""

from collections.abc import Iterable, Sequence

from agents import AgentSpec, best_note, common_game, make_agent, net_of, with_best_net
from agents.nets import ONNX
from hex_mcts.system import System
from state_manager import StateManager


def named_agents(
    system: System, *specs: AgentSpec
) -> tuple[StateManager, list[AgentSpec], list[str]]:
    """Return the game of the agents, the agents with files for ``best``, and notes on these."""
    game = game_of(system, specs)
    found = [with_best_net(spec, game) for spec in specs]
    return game, found, [*filter(None, map(best_note, specs, found)), *layout_notes(game, found)]


def layout_notes(game: StateManager, specs: Iterable[AgentSpec]) -> list[str]:
    """Return what trials have found about the layouts of strangers' nets."""
    strangers = [spec for spec in specs if spec.net and spec.net.suffix == ONNX]
    notes = [getattr(make_agent(spec, game).net, "note", "") for spec in strangers]
    return list(filter(None, dict.fromkeys(notes)))


def game_of(system: System, specs: Sequence[AgentSpec]) -> StateManager:
    """Return the game of the command line, if the agents' nets fit it, else theirs, if any."""
    nets = [(spec.net, net) for spec in specs if spec.net and (net := net_of(spec))]
    return common_game(nets, system.given_game) or system.game
