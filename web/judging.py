"""The exact winner of a position, and the moves that keep the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar

from pydantic import Field

from display.boards.cells import Coordinates
from state_manager import DRAW, Judge, NodeLimitError, shared_judge
from web.agent_pool import AgentPool, Deadline
from web.requests import PositionRequest

if TYPE_CHECKING:
    from state_manager import State, StateManager

T = TypeVar("T")


class JudgeRequest(PositionRequest):
    """A position to judge.

    Attributes:
        seconds: Time limit of the judge for each of two queries.
    """

    seconds: Annotated[float, Field(gt=0, le=20)] = 2.0


class Judged(NamedTuple):
    """The judge's result for a position.

    Attributes:
        winner: 1, 2, or 3 for a draw; 0 if the judge gave up.
        keep: The moves found in time that keep the mover's win or draw.
        words: The same in words.
        is_whole: Whether ``keep`` holds all such moves.
    """

    winner: int
    keep: list[int]
    words: str
    is_whole: bool = False


def judge(pool: AgentPool, request: JudgeRequest, deadline: Deadline) -> dict[str, Any]:
    """Return the winner, and the moves that keep the result; see ``Judged``."""
    game, states = request.position.states()
    return judged(game, states[-1], request.seconds, deadline)._asdict()


def judged(game: StateManager, state: State, seconds: float, deadline: Deadline) -> Judged:
    """Find the winner, then the moves that keep the result, each within ``seconds``."""
    about = game, deadline, state, seconds
    winner = query_judge(Judge.winner, *about)
    if winner is None:
        return Judged(0, [], f"the judge gave up: no certainty within {seconds:g} s")
    if game.is_final(state):
        return Judged(winner, [], "the game is over")
    mover = game.to_play(state)
    result = "a draw" if winner == DRAW else f"{game.player_names[winner - 1]} wins"
    if winner not in (mover, DRAW):
        return Judged(winner, [], f"{result}, whatever {game.player_names[mover - 1]} plays")
    keep = query_judge(Judge.best_actions, *about)
    if keep is not None:
        kept = "the draw" if winner == DRAW else "the win"
        count = f"{len(keep)} of {len(game.legal_actions(state))} moves keep {kept}"
        return Judged(winner, keep.tolist(), f"{result}: {count}", True)
    best = query_judge(Judge.best_action, *about)
    if best is None:
        return Judged(winner, [], f"{result}; too little time to find a move that keeps that")
    name = Coordinates(game, letters=True).move(best)
    return Judged(winner, [best], f"{result} with {name}; too little time to find every such move")


def query_judge(
    query: Callable[[Judge, State, float], T],
    game: StateManager,
    deadline: Deadline,
    state: State,
    seconds: float,
) -> T | None:
    """Return the judge's result; ``None`` if it gives up.

    Raises:
        RequestError: The request is late or cancelled.
    """
    judge = shared_judge(game)
    with judge.until(deadline.is_over):
        try:
            return query(judge, state, seconds)
        except NodeLimitError:
            deadline.check()
            return None
