"""The cost of a move, for the review of a game and for teaching."""

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, reduce
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from agents import load_net, names_file, parse_agent, with_best_net
from agents.position_searches import searches_of_positions
from analysis import Known, Reviewer
from display.boards.cells import Coordinates, board_data
from judge import Judge
from state_manager import State, StateManager
from web.play.evaluations import JudgeRequest, Query, SearchRequest, T, query_judge
from web.server.agent_pool import AgentPool, Deadline
from web.server.requests import AgentWord, PositionRequest, RequestError

_MOST_CACHED = 4000  # limit of each kind of cached results


class ReviewRequest(SearchRequest):
    """A position with its last move, reviewed by the judge for ``seconds``, else by ``agent``."""

    seconds: Annotated[float, Field(gt=0, le=20)] = 1.0


class ReviewsRequest(ReviewRequest):
    """The same for the last moves; ``seconds`` are for all of them."""

    moves: Annotated[int, Field(ge=1, le=500)] = 1
    explain: bool = True  # better moves and lines, which take the judge the longest


def review(pool: AgentPool, request: ReviewRequest, deadline: Deadline) -> dict[str, Any]:
    """Return the review of the last move, and better moves if it cost something."""
    return dict(reviews(pool, ReviewsRequest(**dict(request)), deadline)["reviews"][-1])


def reviews(pool: AgentPool, request: ReviewsRequest, deadline: Deadline) -> dict[str, Any]:
    """Return the reviews of the last moves, searched together."""
    game, states = request.position.states()
    if not request.position.actions:
        raise RequestError("expected a move to review, got none")
    states, actions = states[-1 - request.moves :], request.position.actions[-request.moves :]
    first, names = len(request.position.actions) - len(actions), pool.names(game)
    spec = parse_agent(request.agent).with_options(simulations=request.simulations, time_limit=None)
    with pool.agent(spec, game, deadline) as agent:
        works, known, net = searches_of_positions(agent), _known(game, str(spec)), agent.net
        reviewer = Reviewer(game, works, request.seconds, known, agent.stopped)
        try:
            moves = reviewer.review(states, actions, net, explain=request.explain)
        except InterruptedError as error:
            raise RequestError(str(error)) from None
        for results in known:
            for name in list(results)[:-_MOST_CACHED]:
                results.pop(name)
        policies = None if net is None else net.policy(np.stack(states[:-1]))
    found = []
    for number, move in enumerate(moves):
        if policies is not None:
            policy = policies[number]
            move = replace(move, better=tuple(sorted(move.better, key=lambda each: -policy[each])))
        one = move.to_json(game) | _named(names, move.state, [move.action])[0]
        for each in one["better"]:
            each["name"] = names.move(each["action"])
        one["line"] = _named(names, states[number + 1], move.line)
        found.append(one | {"ply": first + move.ply})
    return {"reviews": found}


class SketchRequest(PositionRequest):
    """A game to sketch by the net of an agent."""

    agent: AgentWord = "mcts:best"


def sketch(pool: AgentPool, request: SketchRequest, deadline: Deadline) -> dict[str, Any]:
    """Return the net's own values of all positions, seen from player 1; none without a critic."""
    game, states = request.position.states()
    given = parse_agent(request.agent)
    if given.net is not None and names_file(given):
        pool.check_net(given.net)
    spec, values = with_best_net(given, game), None
    going_on = [state for state in states if not game.is_final(state)]
    if spec.net is not None and going_on:
        values = load_net(spec.net, game).evaluate(np.stack(going_on))[1]
    return {"values": [] if values is None else values.round(4).tolist()}


class FinishRequest(JudgeRequest):
    """A decided position: ``seconds`` for everything, ``comparing`` of them for shorter lines."""

    comparing: Annotated[float, Field(gt=0, le=20)] = 20.0


def finish(pool: AgentPool, request: FinishRequest, deadline: Deadline) -> dict[str, Any]:
    """Return how a decided position ends: a line, whether it is the shortest win, and the chain.

    Where that is unknown, the line is the shortest of one for each first move of the winner that
    keeps the win, as time allows.
    """
    game, states = request.position.states(unfinished=True)
    state, end = states[-1], time.monotonic() + request.seconds

    def judged(query: Query[T], state: State) -> T | None:
        return query_judge(query, game, deadline, state, max(0.0, end - time.monotonic()))

    winner = judged(Judge.winner, state)
    line = None if winner is None else judged(Judge.principal_variation, state)
    if line is None:
        raise RequestError(f"the judge found no line to the end within {request.seconds:g} s")
    is_shortest = judged(Judge.plies_left, state) == len(line)
    end = min(end, time.monotonic() + request.comparing)
    reply = line[: int(winner == 3 - game.to_play(state))]
    turn = game.child_state(state, reply[0]) if reply else state
    choices = None if is_shortest else judged(Judge.best_actions, turn)
    for action in () if choices is None else choices.tolist():
        child = game.child_state(turn, action)
        rest = [] if game.is_final(child) else judged(Judge.principal_variation, child)
        if rest is not None:
            line = min(line, [*reply, action, *rest], key=len)
    last = reduce(game.child_state, line, state)
    path = board_data(game, last, None)["path"]
    return {"line": _named(pool.names(game), state, line), "shortest": is_shortest, "path": path}


def _named(names: Coordinates, state: State, line: Sequence[int]) -> list[dict[str, Any]]:
    """Return the moves of a line with their names and the cells on which they end."""
    game, named = names.game, []
    for action in line:
        state = game.child_state(state, action)
        cell = game.landing_cell(state, action)
        named.append({"action": action, "name": names.move(action), "cell": cell})
    return named


@lru_cache(maxsize=8)
def _known(game: StateManager, word: str) -> Known:
    """Return the cache of a game for an agent: the page asks for the moves in several requests."""
    return Known({}, {}, {})
