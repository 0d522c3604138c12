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
from web.agent_pool import House, Patience
from web.requests import AgentWord, Asked, AskError, Position, PositionAsked

if TYPE_CHECKING:
    from agents.agent import AgentKind
    from mcts import Thought

_SHOWN = 0.005
"""Smallest share that is sent."""


class MoveAsked(Asked):
    """An agent's move in a position."""

    position: Position
    agent: AgentWord


def move(house: House, asked: MoveAsked, patience: Patience) -> dict[str, Any]:
    """Return an agent's move."""
    game, states = asked.position.states()
    if game.is_final(states[-1]):
        raise AskError("expected a game that goes on")
    with house.agent(asked.agent, game, patience) as agent:
        began = time.perf_counter()
        action = int(agent.choose_action(states[-1]))
        seconds = time.perf_counter() - began
    value = None if agent.thought is None else agent.thought.value
    name = Coordinates(game, letters=True).move(action)
    return {"action": action, "name": name, "value": value, "seconds": seconds}


class PolicyAsked(PositionAsked):
    """A position for a net to evaluate.

    Attributes:
        net: Its file, or ``best``.
    """

    net: AgentWord = "best"


def policy(house: House, asked: PolicyAsked, patience: Patience) -> dict[str, Any]:
    """Return the net's policy over actions, and its critic's value if it has one."""
    game, states = asked.position.states()
    spec = parse_agent(f"anet:{asked.net}")
    if spec.net is None:
        raise AskError("expected a net")
    if asked.net != "best":
        house.check_net(spec.net)
    found = with_best_net(spec, game).net
    assert found is not None
    net = load_net(found, game)
    if game.is_final(states[-1]):
        raise AskError("expected a game that goes on")
    policies, values = net.evaluate(states[-1][np.newaxis])
    return {
        "policy": _shares(policies[0]),
        "value": None if values is None else float(values[0]),
        "net": found.stem,
    }


class SearchAsked(PositionAsked):
    """A position to search.

    Attributes:
        agent: ``mcts``, or ``mcts:NET``.
        simulations: Simulations of the search.
    """

    agent: AgentWord = "mcts"
    simulations: Annotated[int, Field(ge=1, le=100_000)] = 1000


@contextmanager
def searched(
    house: House, asked: SearchAsked, patience: Patience
) -> Iterator[tuple[AgentKind, int, Thought, NDArray[np.float64]]]:
    """Lend an agent after its search, with its action, its thought and the Q values.

    Raises:
        AskError: The game is over, or the agent does not search.
    """
    game, states = asked.position.states()
    if game.is_final(states[-1]):
        raise AskError("expected a game that goes on")
    colon = "," if ":" in asked.agent else ":"
    word = f"{asked.agent}{colon}simulations={asked.simulations},time_limit=null"
    with house.agent(word, game, patience) as agent:
        action = int(agent.choose_action(states[-1]))
        if agent.thought is None or agent.thought.q_values is None:
            raise AskError("expected an agent that searches")
        yield agent, action, agent.thought, agent.thought.q_values


def search(house: House, asked: SearchAsked, patience: Patience) -> dict[str, Any]:
    """Return visits and values of actions, the value of the best one, and the expected line."""
    with searched(house, asked, patience) as (agent, action, thought, values):
        line = agent.expected_line() if hasattr(agent, "expected_line") else [action]
    names, visits = Coordinates(asked.position.game.made(), letters=True), thought.visit_counts
    assert visits is not None  # a search has both
    return {
        "action": action,
        "visits": _shares(visits / max(1, visits.sum())),
        "values": {int(each): round(float(values[each]), 4) for each in np.flatnonzero(visits)},
        "value": thought.value,
        "line": line,
        "names": [names.move(each) for each in line],
        "simulations": asked.simulations,
    }


def _shares(shares: Any) -> dict[int, float]:
    """Return the shares that are large enough to show, by action."""
    shown = np.flatnonzero(shares >= _SHOWN)
    return {int(each): round(float(shares[each]), 4) for each in shown}
