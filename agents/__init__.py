"""Agents: random, human, net, search, exact, engine. A word such as ``mcts`` describes one."""

from agents.action_choice import choose
from agents.agent import AGENTS, Agent, HumanIO, Seed, agent_kind, chosen_action, foreign
from agents.best import BEST, names_file, with_best_net
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
from agents.spec import AgentError, AgentSpec, parse_agent
