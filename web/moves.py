"""Moves of agents in games on the page."""

import time
from typing import Any

from display.boards.cells import Coordinates
from web.agent_pool import AgentPool, Deadline
from web.requests import AgentWord, PageRequest, Position


class MoveRequest(PageRequest):
    """An agent's move in a position."""

    position: Position
    agent: AgentWord


def move(pool: AgentPool, request: MoveRequest, deadline: Deadline) -> dict[str, Any]:
    """Return an agent's move."""
    game, states = request.position.states(unfinished=True)
    with pool.agent(request.agent, game, deadline) as agent:
        began = time.perf_counter()
        action = int(agent.choose_action(states[-1]))
        seconds = time.perf_counter() - began
    value = None if agent.thought is None else agent.thought.value
    name = Coordinates(game, letters=True).move(action)
    return {"action": action, "name": name, "value": value, "seconds": seconds}
