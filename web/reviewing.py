"""The cost of a move, for the review of a game and for teaching."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any

from pydantic import Field

from agents.mcts_agent import MCTSAgent
from analysis.game_review import Opinion, Reviewer, Verdict
from state_manager import State, StateManager
from web.agent_pool import AgentPool, Deadline
from web.requests import AgentWord, PositionRequest, RequestError

_MOST_CACHED = 4000
"""Limit of cached verdicts, and of cached opinions."""


class ReviewRequest(PositionRequest):
    """A position with its last move, reviewed by the judge for ``seconds``, else by ``agent``."""

    agent: AgentWord = "mcts:simulations=1000"
    seconds: Annotated[float, Field(gt=0, le=20)] = 1.0


def review(pool: AgentPool, request: ReviewRequest, deadline: Deadline) -> dict[str, Any]:
    """Return the review of the last move, and better moves if it cost something."""
    game, states = request.position.states()
    if not request.position.actions:
        raise RequestError("expected a move to review, got none")
    with pool.agent(request.agent, game, deadline) as agent:
        if not isinstance(agent, MCTSAgent):
            raise RequestError("expected an agent that searches, such as mcts:simulations=1000")
        reviewer = _CachingReviewer(game, agent, request.seconds, request.agent)
        move = reviewer.review(states[-2:], request.position.actions[-1:], agent.net)[0]
        if agent.net is not None:
            policy = agent.net.policy(states[-2])
            move = replace(move, better=tuple(sorted(move.better, key=lambda each: -policy[each])))
    names = pool.names(game)
    review = move.to_json(game)
    for each in (*review["better"], *review["line"], review):
        each["name"] = names.move(each["action"])
    return review | {"ply": len(request.position.actions)}


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
