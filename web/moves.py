"""Moves of agents in games on the page."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from agents.agent import AgentKind
from display.boards.cells import Coordinates
from state_manager import Judge, State, StateManager
from web.agent_pool import AgentPool, Deadline
from web.evaluations import query_judge
from web.requests import AgentWord, PageRequest, Position

_JUDGING = 1.0
"""Time limit of the judge for the swap, in seconds."""


class MoveRequest(PageRequest):
    """An agent's move; ``swap`` allows it to take over the first stone, mirrored."""

    position: Position
    agent: AgentWord
    swap: bool = False


def move(pool: AgentPool, request: MoveRequest, deadline: Deadline) -> dict[str, Any]:
    """Return an agent's move; ``swap`` in the result marks a taken-over first stone."""
    game, states = request.position.states(unfinished=True)
    state, plies = states[-1], len(request.position.actions)
    may_swap = request.swap and game.drawing == "diamond"
    with pool.agent(request.agent, game, deadline) as agent:
        began = time.perf_counter()
        if may_swap and plies == 0 and agent.net is not None and agent.net.params.critic:
            action: int = _fairest(game, state, agent)
            value = None
        else:
            action = int(agent.choose_action(state))
            value = None if agent.thought is None else agent.thought.value
        seconds = time.perf_counter() - began
    is_swap = False
    if may_swap and plies == 1 and _prefers_swap(game, state, value, deadline):
        row, column = divmod(request.position.actions[0], game.board_shape[1])
        action, value, is_swap = column * game.board_shape[0] + row, None, True
    name = Coordinates(game, letters=True).move(action)
    return {"action": action, "name": name, "swap": is_swap, "value": value, "seconds": seconds}


def _prefers_swap(
    game: StateManager, state: State, value: float | None, deadline: Deadline
) -> bool:
    """Return whether the first stone beats every reply; ``value`` is that of the best reply."""
    mover = game.to_play(state)
    winner = query_judge(Judge.winner, game, deadline, state, _JUDGING)
    if winner is not None:
        return winner != mover
    return value is not None and (value if mover == 1 else -value) < 0


def _fairest(game: StateManager, state: State, agent: AgentKind) -> int:
    """Return the first move with the critic's value nearest to 0, since the opponent may swap."""
    assert agent.net is not None
    children = game.children(state)
    values = agent.net.evaluate(np.stack([child for _, child in children]))[1]
    assert values is not None
    return children[int(np.argmin(np.abs(values)))][0]
