"""Agents: random, human, net, search, exact, engine. A word such as ``mcts`` describes one."""

from agents.agent import AGENTS, Agent, HumanIO, Seed, agent_kind, choose, chosen_action, foreign
from agents.make import (
    agent_notes,
    make_agent,
    net_of,
    searches,
    with_least_effort,
    with_simulations,
    with_time_limit,
)
from agents.nets import common_game, load_net
from agents.spec import BEST, AgentError, AgentSpec, names_file, parse_agent, with_best_net
