"""Moves of agents in games on the page."""

from __future__ import annotations

import time
from typing import Any

from display.boards.cells import Coordinates
from display.web.asked import AgentWord, Asked, AskError, Position
from display.web.house import House, Patience


class MoveAsked(Asked):
    """An agent's move in a position."""

    position: Position
    agent: AgentWord


def move(house: House, asked: MoveAsked, patience: Patience) -> dict[str, Any]:
    """Return the move that an agent makes."""
    game, states = asked.position.states()
    if game.is_final(states[-1]):
        raise AskError("expected a game that goes on")
    with house.agent(asked.agent, game, patience) as agent:
        began = time.perf_counter()
        action = int(agent.choose_action(states[-1]))
        thought = agent.thought
    return {
        "action": action,
        "name": Coordinates(game, letters=True).move(action),
        "value": None if thought is None else thought.value,
        "seconds": time.perf_counter() - began,
    }
