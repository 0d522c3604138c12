"""One search, recorded step by step for the page."""

from typing import Annotated, Any

from pydantic import Field

from agents import parse_agent, with_best_net
from analysis import search_recording
from display.boards.search_steps import SearchSteps
from web.server.agent_pool import AgentPool, Deadline
from web.server.positions import view_of
from web.server.requests import AgentWord, PositionRequest, RequestError


class ExplainRequest(PositionRequest):
    """A search from a position."""

    agent: AgentWord = "mcts"
    simulations: Annotated[int, Field(ge=1, le=200)] = 30


def explain(pool: AgentPool, request: ExplainRequest, deadline: Deadline) -> dict[str, Any]:
    """Return every step of a search, and its first board."""
    game, states = request.position.states()
    if game.is_final(states[-1]):
        raise RequestError("the game is over: step back to a position in which it goes on")
    given, names = parse_agent(request.agent), pool.names(game)
    if given.kind not in ("mcts", "best") or "memory" in given.options:
        raise RequestError("expected a search to explain, such as mcts or mcts:best")
    spec = given.with_options(simulations=request.simulations, time_limit=None)
    spec = with_best_net(spec, game)
    if spec.net is not None:
        pool.check_net(spec.net)
    actions, first = request.position.actions, states[0]
    try:
        recording = search_recording.record(
            spec, game, actions, first, pool.params, deadline.is_over
        )
    except InterruptedError as error:
        raise RequestError(str(error)) from None
    return {
        **SearchSteps(recording, names.letters).to_json(),
        "view": {**view_of(names, states[-1], actions), "moves": []},
    }
