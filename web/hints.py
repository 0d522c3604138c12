"""A good move: the likeliest proven move, else the choice of a search."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from display.boards.cells import Coordinates
from state_manager import DRAW, Judge
from web.agent_pool import AgentPool, Deadline
from web.judging import JudgeRequest, judged, query_judge
from web.moves import SearchRequest, searched

if TYPE_CHECKING:
    from state_manager import State, StateManager


class HintRequest(SearchRequest, JudgeRequest):
    """A good move.

    Attributes:
        seconds: Time limit of the judge for each of three queries.
    """


def hint(pool: AgentPool, request: HintRequest, deadline: Deadline) -> dict[str, Any]:
    """Return a move and the reason: it is proven, or a search prefers it."""
    game, states = request.position.states()
    state = states[-1]
    with searched(pool, request, deadline) as (agent, chosen, thought, _):
        shares = thought.distribution
        prior = shares if agent.net is None else agent.net.policy(state)
    rest = [each for each in game.legal_actions(state).tolist() if each != chosen]
    preferred = [chosen, *sorted(rest, key=lambda each: (-shares[each], -prior[each]))]
    known = judged(game, state, request.seconds, deadline)
    action, words, mover = chosen, known.words, game.to_play(state)
    if known.winner == 3 - mover:
        words += "; this resists longest, according to a search"
    elif known.is_whole:
        action = next(each for each in preferred if each in known.keep)
        words += ", for certain; of these a search prefers it"
    else:
        result = known.winner or mover
        action, is_proven = _likeliest(game, state, preferred, result, request.seconds, deadline)
        if not is_proven and known.keep:
            action, is_proven = known.keep[0], True
        if is_proven:
            kept = "draws" if result == DRAW else "wins"
            words = f"this {kept}, for certain; too little time to find every such move"
        else:
            words += f"; not proven, a search looked there {100 * shares[action]:.0f} % of the time"
    name = Coordinates(game, letters=True).move(action)
    return {"action": action, "words": f"{name}: {words}."}


def _likeliest(
    game: StateManager,
    state: State,
    actions: list[int],
    result: int,
    seconds: float,
    deadline: Deadline,
) -> tuple[int, bool]:
    """Return the first action that is not refuted, and whether it provably reaches ``result``."""
    end = time.monotonic() + seconds
    for action in actions:
        child = game.child_state(state, action)
        outcome = query_judge(Judge.winner, game, deadline, child, end - time.monotonic())
        if outcome in (None, result):
            return action, outcome == result
    return actions[0], False
