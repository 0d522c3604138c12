"""The cost of a move, for the review of a game and for teaching."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from agents.mcts_agent import MCTSAgent
from analysis.game_review import Opinion, Reviewer, Verdict
from display.boards.cells import Coordinates
from web.agent_pool import House, Patience
from web.requests import AgentWord, AskError, PositionAsked

if TYPE_CHECKING:
    from state_manager import State, StateManager

_REMEMBERED = 4000
"""Limit of kept verdicts, and of kept opinions."""


class ReviewAsked(PositionAsked):
    """A position with its last move to review.

    Attributes:
        agent: Searches where the judge gives up.
        seconds: Time limit of the judge for a position.
    """

    agent: AgentWord = "mcts:simulations=1000"
    seconds: Annotated[float, Field(gt=0, le=20)] = 1.0


def review(house: House, asked: ReviewAsked, patience: Patience) -> dict[str, Any]:
    """Return the review of the last move, and better moves if it cost something."""
    game, states = asked.position.states()
    if not asked.position.actions:
        raise AskError("expected a move to review, got none")
    with house.agent(asked.agent, game, patience) as agent:
        if not isinstance(agent, MCTSAgent):
            raise AskError("expected an agent that searches, such as mcts:simulations=1000")
        reviewer = _Remembering(game, agent, asked.seconds, asked.agent)
        move = reviewer.review(states[-2:], asked.position.actions[-1:], agent.net)[0]
        if agent.net is not None:
            policy = agent.net.policy(states[-2])
            move = replace(move, better=tuple(sorted(move.better, key=lambda each: -policy[each])))
    names = Coordinates(game, letters=True)
    answer = move.to_json(game)
    for moves in (answer["better"], answer["line"], [answer]):
        for each in moves:
            each["name"] = names.move(each["action"])
    return answer | {"ply": len(asked.position.actions)}


class _Remembering(Reviewer):
    """Caches its results, since the page requests the moves of a game one by one."""

    def __init__(self, game: StateManager, search: MCTSAgent, seconds: float, word: str) -> None:
        super().__init__(game, search, seconds)
        self._known, self._opinions = _memory(game, word)

    def verdict(self, state: State) -> Verdict:
        key, seconds = state.tobytes(), self._most_seconds
        known, spent = self._known.get(key, (None, 0.0))
        if known is None or not (known.exact or spent >= seconds):
            known = super().verdict(state)
            if not known.exact and self._search.stopped():
                return known  # of a search that was cut short
            self._known[key] = known, seconds
            _forget(self._known)
        return known

    def _opinion(self, state: State) -> Opinion:
        found = super()._opinion(state)
        if self._search.stopped():
            del self._opinions[state.tobytes()]
        _forget(self._opinions)
        return found

    def _judged(self, question: Callable[[State, float], Any], state: State) -> Any:
        with self._judge.until(self._search.stopped):  # shared during searches
            return super()._judged(question, state)


@lru_cache(maxsize=8)
def _memory(
    game: StateManager, word: str
) -> tuple[dict[bytes, tuple[Verdict, float]], dict[bytes, Opinion]]:
    """Return the caches for a game and a search.

    They hold verdicts, each with the judge's time limit in seconds, and opinions of the search.
    """
    return {}, {}


def _forget(found: dict[bytes, Any]) -> None:
    """Remove the oldest entries above the limit."""
    while len(found) > _REMEMBERED:
        del found[next(iter(found))]
