"""Moves of agents in games on the page, and their evaluations of positions."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from agents import load_net, parse_agent, with_best_net
from display.boards.cells import Coordinates
from state_manager import Judge
from web.agent_pool import AgentPool, Deadline
from web.judging import query_judge
from web.requests import AgentWord, PageRequest, Position, PositionRequest, RequestError

if TYPE_CHECKING:
    from agents.agent import AgentKind
    from mcts import Thought
    from state_manager import State, StateManager

_JUDGING = 1.0
"""Time limit of the judge for the swap, in seconds."""
_SHOWN = 0.005
"""Smallest share that is sent."""


class MoveRequest(PageRequest):
    """An agent's move in a position.

    Attributes:
        swap: Whether the second move may be a swap: take over the first stone, mirrored.
    """

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


class PolicyRequest(PositionRequest):
    """A position for a net to evaluate.

    Attributes:
        net: Its file, or ``best``.
    """

    net: AgentWord = "best"


def policy(pool: AgentPool, request: PolicyRequest, deadline: Deadline) -> dict[str, Any]:
    """Return the net's policy over actions, and its critic's value if it has one."""
    game, states = request.position.states(unfinished=True)
    spec = parse_agent(f"anet:{request.net}")
    if spec.net is None:
        raise RequestError("expected a net")
    if request.net != "best":
        pool.check_net(spec.net)
    found = with_best_net(spec, game).net
    assert found is not None
    policies, values = load_net(found, game).evaluate(states[-1][np.newaxis])
    return {
        "policy": _shares(policies[0]),
        "value": None if values is None else float(values[0]),
        "net": found.stem,
    }


class SearchRequest(PositionRequest):
    """A position to search.

    Attributes:
        agent: ``mcts``, or ``mcts:NET``.
        simulations: Simulations of the search.
    """

    agent: AgentWord = "mcts"
    simulations: Annotated[int, Field(ge=1, le=100_000)] = 1000


@contextmanager
def searched(
    pool: AgentPool, request: SearchRequest, deadline: Deadline
) -> Iterator[tuple[AgentKind, int, Thought, NDArray[np.float64]]]:
    """Lend an agent after its search, with its action, its thought and the Q values.

    Raises:
        RequestError: The game is over, or the agent does not search.
    """
    game, states = request.position.states(unfinished=True)
    colon = "," if ":" in request.agent else ":"
    word = f"{request.agent}{colon}simulations={request.simulations},time_limit=null"
    with pool.agent(word, game, deadline) as agent:
        action = int(agent.choose_action(states[-1]))
        if agent.thought is None or agent.thought.q_values is None:
            raise RequestError("expected an agent that searches")
        yield agent, action, agent.thought, agent.thought.q_values


def search(pool: AgentPool, request: SearchRequest, deadline: Deadline) -> dict[str, Any]:
    """Return visits and values of actions, the value of the best one, and the expected line."""
    with searched(pool, request, deadline) as (agent, action, thought, values):
        line = agent.expected_line() if hasattr(agent, "expected_line") else [action]
    names, visits = Coordinates(request.position.game.made(), letters=True), thought.visit_counts
    assert visits is not None  # a search has both
    return {
        "action": action,
        "visits": _shares(visits / max(1, visits.sum())),
        "values": {int(each): round(float(values[each]), 4) for each in np.flatnonzero(visits)},
        "value": thought.value,
        "line": line,
        "names": [names.move(each) for each in line],
        "simulations": request.simulations,
    }


def _shares(shares: Any) -> dict[int, float]:
    """Return the shares that are large enough to show, by action."""
    shown = np.flatnonzero(shares >= _SHOWN)
    return {int(each): round(float(shares[each]), 4) for each in shown}
