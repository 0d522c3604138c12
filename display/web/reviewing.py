"""What a move was worth: for the review of a game, and for who teaches."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from agents.mcts import MCTSAgent
from analysis.game_review import Reviewer, Verdict
from display.boards.cells import Coordinates
from display.web.asked import AgentWord, AskError, PositionAsked
from display.web.house import House, Patience

if TYPE_CHECKING:
    from state_manager import State, StateManager

_REMEMBERED = 4000
"""Verdicts."""


class ReviewAsked(PositionAsked):
    """What the last move of a position was worth.

    Attributes:
        agent: Who searches where the judge gives up.
        seconds: How long the judge may think about a position.
    """

    agent: AgentWord = "mcts:simulations=1000"
    seconds: Annotated[float, Field(gt=0, le=20)] = 1.0


def review(house: House, asked: ReviewAsked, patience: Patience) -> dict[str, Any]:
    """Return what is known of the last move, and for a mistake what was better."""
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
    return answer | {
        "ply": len(asked.position.actions),
        "loss": move.could_have.for_player(move.player) - move.after.for_player(move.player),
        "exact": move.exact,
    }


class _Remembering(Reviewer):
    """Remembers verdicts, since moves of one game are asked for one by one."""

    def __init__(self, game: StateManager, search: MCTSAgent, seconds: float, word: str) -> None:
        super().__init__(game, search, seconds)
        self._known = _verdicts(game, word)

    def verdict(self, state: State) -> Verdict:
        key, seconds = state.tobytes(), self._most_seconds
        known, spent = self._known.get(key, (None, 0.0))
        if known is None or not (known.exact or spent >= seconds):
            known = super().verdict(state)
            if not known.exact and self._search.stopped():
                return known  # of a search that was cut short, since nobody waits for it
            self._known[key] = known, seconds
            while len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return known

    def _asked(self, question: Callable[[State, float], Any], state: State) -> Any:
        with self._judge.until(self._search.stopped):  # others ask the judge during searches
            return super()._asked(question, state)


@lru_cache(maxsize=8)
def _verdicts(game: StateManager, word: str) -> OrderedDict[bytes, tuple[Verdict, float]]:
    """Return what was found out about a game with a search, and how long the judge had for it."""
    return OrderedDict()
