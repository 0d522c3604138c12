"""Who wins, and which moves keep that: exactly, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import Field

from display.web.asked import AskError, PositionAsked
from display.web.house import House, Patience
from state_manager import DRAW, NodeLimitError, shared_judge

if TYPE_CHECKING:
    from state_manager import Judge, StateManager

T = TypeVar("T")


class JudgeAsked(PositionAsked):
    """Who wins.

    Attributes:
        seconds: How long the judge may think about each of two questions.
    """

    seconds: Annotated[float, Field(gt=0, le=20)] = 2.0


def judge(house: House, asked: JudgeAsked, patience: Patience) -> dict[str, Any]:
    """Return who wins, 3 for a draw or 0 if the judge gave up, and the moves that keep it."""
    game, states = asked.position.states()
    state, seconds = states[-1], asked.seconds
    winner = ask_judge(game, patience, lambda judge: judge.winner(state, seconds))
    if winner is None:
        words = f"the judge gave up: no certainty within {seconds:g} s"
        return {"winner": 0, "keep": None, "words": words}
    if game.is_final(state):
        return {"winner": winner, "keep": [], "words": "the game is over"}
    names, mover = (*game.player_names, "nobody"), game.to_play(state)
    if winner not in (mover, DRAW):
        words = f"{names[winner - 1]} wins, whatever {names[mover - 1]} plays"
        return {"winner": winner, "keep": [], "words": words}
    keep = ask_judge(game, patience, lambda judge: judge.best_actions(state, seconds))
    kept = "the draw" if winner == DRAW else "the win"
    if keep is None:
        words = f"{names[winner - 1]} wins; too little time to find every move that keeps it"
        best = ask_judge(game, patience, lambda judge: judge.best_action(state, seconds))
        return {"winner": winner, "keep": None if best is None else [best], "words": words}
    count = f"{len(keep)} of {len(game.legal_actions(state))} moves keep {kept}"
    who = "a draw" if winner == DRAW else f"{names[winner - 1]} wins"
    return {"winner": winner, "keep": keep.tolist(), "words": f"{who}: {count}"}


def ask_judge(game: StateManager, patience: Patience, question: Callable[[Judge], T]) -> T | None:
    """Return the judge's answer; ``None`` if it gives up.

    Raises:
        AskError: Nobody waits for the answer any more.
    """
    judge = shared_judge(game)
    with judge.until(patience.is_over):
        try:
            return question(judge)
        except NodeLimitError:
            if patience.is_over():
                raise AskError("nobody waits for the answer") from None
            return None
