"""Agents: random, human, net, search, exact, engine. A word such as ``mcts`` describes one."""

from __future__ import annotations

from agents.action_choice import ActionChoice, choose
from agents.agent import AGENTS, Agent, HumanIO, Seed, agent_kind
from agents.best import BEST, names_file, who_is_best, with_best_net
from agents.make import (
    make_agent,
    net_of,
    searches,
    with_least_effort,
    with_simulations,
    with_time_limit,
)
from agents.nets import common_game, load_net
from agents.spec import AgentError, AgentSpec, parse_agent

__all__ = [
    "AGENTS",
    "BEST",
    "ActionChoice",
    "Agent",
    "AgentError",
    "AgentSpec",
    "HumanIO",
    "Seed",
    "agent_kind",
    "choose",
    "common_game",
    "load_net",
    "make_agent",
    "names_file",
    "net_of",
    "parse_agent",
    "searches",
    "who_is_best",
    "with_best_net",
    "with_least_effort",
    "with_simulations",
    "with_time_limit",
]
