"""A good move: the likeliest proven move, else the choice of a search."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from display.boards.cells import Coordinates
from state_manager import DRAW
from web.agent_pool import AgentPool, Deadline
from web.judging import JudgeRequest, judged, query_judge
from web.moves import SearchRequest, searched

if TYPE_CHECKING:
    from state_manager import State, StateManager


class HintRequest(SearchRequest, JudgeRequest):
    """A good move.

    Attributes:
        seconds: Time limit of the judge for each of three questions.
    """


def hint(pool: AgentPool, request: HintRequest, deadline: Deadline) -> dict[str, Any]:
    """Return a move and the reason: it is proven, or a search prefers it."""
    game, states = request.position.states()
    state = states[-1]
    with searched(pool, request, deadline) as (agent, chosen, thought, _):
        shares = thought.distribution
        prior = shares if agent.net is None else agent.net.policy(state)
    rest = [each for each in game.legal_actions(state).tolist() if each != chosen]
    liked = [chosen, *sorted(rest, key=lambda each: (-shares[each], -prior[each]))]
    told = judged(game, state, request.seconds, deadline)
    action, words, mover = chosen, told.words, game.to_play(state)
    if told.winner == 3 - mover:
        words += "; this resists longest, as a search has it"
    elif told.is_whole:
        action = next(each for each in liked if each in told.keep)
        words += ", for certain; of these a search prefers it"
    else:
        wanted = told.winner or mover
        action, is_proven = _likeliest(game, state, liked, wanted, request.seconds, deadline)
        if not is_proven and told.keep:
            action, is_proven = told.keep[0], True
        if is_proven:
            kept = "draws" if wanted == DRAW else "wins"
            words = f"this {kept}, for certain; too little time to find every such move"
        else:
            looked = f"a search looked there {100 * shares[action]:.0f} % of the time"
            words += f"; not proven, {looked}"
    name = Coordinates(game, letters=True).move(action)
    return {"action": action, "words": f"{name}: {words}."}


def _likeliest(
    game: StateManager,
    state: State,
    liked: list[int],
    wanted: int,
    seconds: float,
    deadline: Deadline,
) -> tuple[int, bool]:
    """Return the first move that is not refuted, and whether it provably reaches ``wanted``."""
    end = time.monotonic() + seconds
    for action in liked:
        child = game.child_state(state, action)
        outcome = query_judge(
            game,
            deadline,
            lambda judge, child=child: judge.winner(child, end - time.monotonic()),  # type: ignore[misc]
        )
        if outcome in (None, wanted):
            return action, outcome == wanted
    return liked[0], False
