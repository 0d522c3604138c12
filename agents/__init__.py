"""Who can choose a move: random, a human, a net, a search, perfect play. One word describes it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from agents.action_choice import ActionChoice, choose
from agents.agent import AGENTS, Agent, HumanIO, Seed, agent_kind
from agents.effort import searches, with_least_effort, with_simulations, with_time_limit
from agents.errors import AgentError
from agents.make import make_agent
from agents.nets import check_fits, common_game, load_fitting_net, load_net
from agents.spec import AgentSpec, parse_agent

if TYPE_CHECKING:
    from agents.anet import ANETAgent
    from agents.exact import ExactAgent
    from agents.human import HumanAgent
    from agents.mcts import MCTSAgent, MCTSOptions
    from agents.nrpa import NRPAAgent, NRPAOptions
    from agents.random import RandomAgent

_HOME = {
    "ANETAgent": "anet",
    "ExactAgent": "exact",
    "HumanAgent": "human",
    "MCTSAgent": "mcts",
    "MCTSOptions": "mcts",
    "NRPAAgent": "nrpa",
    "NRPAOptions": "nrpa",
    "RandomAgent": "random",
}

__all__ = [
    "AGENTS",
    "ANETAgent",
    "ActionChoice",
    "Agent",
    "AgentError",
    "AgentSpec",
    "ExactAgent",
    "HumanAgent",
    "HumanIO",
    "MCTSAgent",
    "MCTSOptions",
    "NRPAAgent",
    "NRPAOptions",
    "RandomAgent",
    "Seed",
    "agent_kind",
    "check_fits",
    "choose",
    "common_game",
    "load_fitting_net",
    "load_net",
    "make_agent",
    "parse_agent",
    "searches",
    "with_least_effort",
    "with_simulations",
    "with_time_limit",
]


def __getattr__(name: str) -> object:
    """Import the kinds of agents, and pydantic with them, on first use."""
    if name in _HOME:
        return getattr(importlib.import_module(f"agents.{_HOME[name]}"), name)
    raise AttributeError(f"module 'agents' has no attribute {name!r}")
