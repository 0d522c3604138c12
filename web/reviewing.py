"""The cost of a move, for the review of a game and for teaching."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, reduce
from typing import Annotated, Any, TypeVar

from pydantic import Field

from agents import parse_agent
from agents.mcts_agent import MCTSAgent
from analysis.game_review import Opinion, Reviewer, Verdict
from display.boards.cells import Coordinates, board_data
from state_manager import Judge, State, StateManager
from web.agent_pool import AgentPool, Deadline
from web.evaluations import JudgeRequest, query_judge
from web.requests import AgentWord, PositionRequest, RequestError

T = TypeVar("T")

_MOST_CACHED = 4000
"""Limit of cached verdicts, and of cached opinions."""


class ReviewRequest(PositionRequest):
    """A position with its last move, reviewed by the judge for ``seconds``, else by ``agent``."""

    agent: AgentWord = "mcts"
    simulations: Annotated[int, Field(ge=1, le=100_000)] = 1000
    seconds: Annotated[float, Field(gt=0, le=20)] = 1.0


def review(pool: AgentPool, request: ReviewRequest, deadline: Deadline) -> dict[str, Any]:
    """Return the review of the last move, and better moves if it cost something."""
    game, states = request.position.states()
    if not request.position.actions:
        raise RequestError("expected a move to review, got none")
    spec = parse_agent(request.agent).with_options(simulations=request.simulations, time_limit=None)
    with pool.agent(spec, game, deadline) as agent:
        if not isinstance(agent, MCTSAgent):
            raise RequestError("expected an agent that searches, such as mcts")
        reviewer = _CachingReviewer(game, agent, request.seconds, str(spec))
        move = reviewer.review(states[-2:], request.position.actions[-1:], agent.net)[0]
        if agent.net is not None:
            policy = agent.net.policy(states[-2])
            move = replace(move, better=tuple(sorted(move.better, key=lambda each: -policy[each])))
    names, [before, after] = pool.names(game), states[-2:]
    review = move.to_json(game)
    for each in review["better"]:
        each["name"] = names.move(each["action"])
    review |= _named(names, before, [move.action])[0]
    review["line"] = _named(names, after, move.line)
    return review | {"ply": len(request.position.actions)}


class FinishRequest(JudgeRequest):
    """A decided position: ``seconds`` for everything, ``comparing`` of them for shorter lines."""

    comparing: Annotated[float, Field(gt=0, le=20)] = 20.0


def finish(pool: AgentPool, request: FinishRequest, deadline: Deadline) -> dict[str, Any]:
    """Return how a decided position ends: the shortest of the judge's lines, and the chain.

    There is a line for each first move of the winner that keeps the win, as time allows.
    """
    game, states = request.position.states(unfinished=True)
    state, end = states[-1], time.monotonic() + request.seconds

    def judged(query: Callable[[Judge, State, float], T], state: State) -> T | None:
        return query_judge(query, game, deadline, state, max(0.0, end - time.monotonic()))

    winner = judged(Judge.winner, state)
    line = None if winner is None else judged(Judge.principal_variation, state)
    if line is None:
        raise RequestError(f"the judge found no line to the end within {request.seconds:g} s")
    end = min(end, time.monotonic() + request.comparing)
    reply = line[: int(winner == 3 - game.to_play(state))]
    turn = game.child_state(state, reply[0]) if reply else state
    choices = judged(Judge.best_actions, turn)
    for action in () if choices is None else choices.tolist():
        child = game.child_state(turn, action)
        rest = [] if game.is_final(child) else judged(Judge.principal_variation, child)
        if rest is not None:
            line = min(line, [*reply, action, *rest], key=len)
    last = reduce(game.child_state, line, state)
    return {
        "line": _named(pool.names(game), state, line),
        "path": board_data(game, last, None)["path"],
    }


def _named(names: Coordinates, state: State, line: Sequence[int]) -> list[dict[str, Any]]:
    """Return the moves of a line with their names and the cells on which they end."""
    game, named = names.game, []
    for action in line:
        state = game.child_state(state, action)
        cell = game.landing_cell(state, action)
        named.append({"action": action, "name": names.move(action), "cell": cell})
    return named


class _CachingReviewer(Reviewer):
    """Caches its results, since the page requests the moves of a game one by one."""

    def __init__(self, game: StateManager, search: MCTSAgent, seconds: float, word: str) -> None:
        super().__init__(game, search, seconds)
        self._known, self._opinions = _caches(game, word)

    def verdict(self, state: State) -> Verdict:
        key, seconds = state.tobytes(), self._most_seconds
        known, spent = self._known.get(key, (None, 0.0))
        if known is None or not (known.exact or spent >= seconds):
            known = super().verdict(state)
            if not known.exact and self._search.stopped():
                return known  # of a search that was cut short
            self._known[key] = known, seconds
            _drop_oldest(self._known)
        return known

    def _opinion(self, state: State) -> Opinion:
        found = super()._opinion(state)
        if self._search.stopped():
            del self._opinions[state.tobytes()]
        _drop_oldest(self._opinions)
        return found

    def _judged(self, question: Callable[[State, float], Any], state: State) -> Any:
        with self._judge.until(self._search.stopped):  # shared during searches
            return super()._judged(question, state)


@lru_cache(maxsize=8)
def _caches(
    game: StateManager, word: str
) -> tuple[dict[bytes, tuple[Verdict, float]], dict[bytes, Opinion]]:
    """Return the caches of verdicts, each with the judge's time limit in seconds, and opinions."""
    return {}, {}


def _drop_oldest(found: dict[bytes, Any]) -> None:
    while len(found) > _MOST_CACHED:
        del found[next(iter(found))]
