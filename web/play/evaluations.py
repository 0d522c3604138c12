"""Moves, hints and evaluations of positions by a net, a search (step by step, too) or the judge."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from agents import BEST, Agent, AgentSpec, chosen_action, load_net, parse_agent, with_best_net
from agents.first_stones import first_stones
from analysis import search_recording
from display.boards.cells import Coordinates
from display.boards.search_steps import SearchSteps
from judge import Judge, shared_judge
from mcts import Thought
from state_manager import DRAW, NodeLimitError, State, StateManager
from web.server.agent_pool import MOST_SIMULATIONS, AgentPool, Deadline
from web.server.positions import view_of
from web.server.requests import AgentWord, PositionRequest, RequestError

T = TypeVar("T")
Query = Callable[[Judge, State, float], T]
"""A question to the judge about a state, with a time limit in seconds."""
_SHOWN, _NAMED = 0.005, 6
"""The smallest share that is sent, and the moves of an expected line in words."""


class PolicyRequest(PositionRequest):
    """A position for a net to evaluate: its file, or ``best``."""

    net: AgentWord = "best"


def policy(pool: AgentPool, request: PolicyRequest, deadline: Deadline) -> dict[str, Any]:
    """Return the net's policy over actions, and its critic's value if it has one."""
    game, states = request.position.states(unfinished=True)
    spec = parse_agent(f"anet:{request.net}")
    if spec.net is None:
        raise RequestError("expected a net")
    if request.net != "best":
        pool.check_net(spec.net)
    found = with_best_net(spec, game).net
    assert found is not None
    policies, values = load_net(found, game).evaluate(states[-1][np.newaxis])
    value = None if values is None else float(values[0])
    return {"policy": _shares(policies[0]), "value": value, "net": found.stem}


def openings(pool: AgentPool, request: PositionRequest, deadline: Deadline) -> dict[str, Any]:
    """Return the map of first stones, and how it is known; no percentages without a map."""
    at = request.position
    stones = None if any(at.setup) else first_stones(at.game.made(), at.start)
    percent, known = ([], "") if stones is None else (stones.percent.tolist(), stones.known)
    return {"percent": percent, "known": known}


class MoveRequest(PositionRequest):
    """A position in which an agent moves."""

    agent: AgentWord
    seconds: Annotated[float, Field(gt=0, le=60)] | None = None
    """The time for the move, in place of the word's own effort."""
    clock: Annotated[float, Field(ge=0)] | None = None
    """The seconds that the agent's clock allows for this move."""

    def spec(self) -> AgentSpec:
        """Return the agent; if it searches by time, with the time for this move."""
        spec, seconds = parse_agent(self.agent), self.seconds
        if spec.kind not in ("mcts", BEST):
            return spec
        asked = seconds or spec.time_limit or 0.0
        if self.clock is not None and self.clock < asked < math.inf:
            seconds = 1.0 if self.clock > 1.0 else 0.1  # few, as the pool keeps an agent for each
        if seconds is None:
            return spec
        return spec.with_options(simulations=MOST_SIMULATIONS, time_limit=seconds)


def prepare(pool: AgentPool, request: MoveRequest, deadline: Deadline) -> dict[str, Any]:
    """Load an agent, which may take seconds, so that its next ``move`` does not wait for that."""
    spec = request.spec()
    with pool.agent(spec, request.position.game.made(), deadline):
        return {"agent": str(spec)}


def move(pool: AgentPool, request: MoveRequest, deadline: Deadline) -> dict[str, Any]:
    """Return an agent's move."""
    game, states = request.position.states(unfinished=True)
    with pool.agent(request.spec(), game, deadline) as agent:
        action = chosen_action(agent, states[-1])
    return {"action": action, "name": pool.names(game).move(action)}


class SearchRequest(PositionRequest):
    """A position to search by ``mcts`` or ``mcts:NET``."""

    agent: AgentWord = "mcts"
    simulations: Annotated[int, Field(ge=1, le=100_000)] = 1000


@contextmanager
def searched(
    pool: AgentPool, request: SearchRequest, deadline: Deadline
) -> Iterator[tuple[Agent, int, Thought, NDArray[np.float64]]]:
    """Lend an agent after its search, with its action, its thought and the Q values."""
    game, states = request.position.states(unfinished=True)
    spec = parse_agent(request.agent).with_options(simulations=request.simulations, time_limit=None)
    with pool.agent(spec, game, deadline) as agent:
        action = chosen_action(agent, states[-1])
        if agent.thought is None or agent.thought.q_values is None:
            raise RequestError("expected an agent that searches")
        yield agent, action, agent.thought, agent.thought.q_values


def search(pool: AgentPool, request: SearchRequest, deadline: Deadline) -> dict[str, Any]:
    """Return visits and values of actions, the value of the best one, and the expected line."""
    with searched(pool, request, deadline) as (agent, action, thought, values):
        line = agent.expected_line(action)
    names, visits = pool.names(request.position.game.made()), thought.visit_counts
    assert visits is not None  # a search has both
    return {
        "action": action,
        "visits": _shares(visits / max(1, visits.sum())),
        "values": {int(each): round(float(values[each]), 4) for each in np.flatnonzero(visits)},
        "value": thought.value,
        "line": line,
        "names": [names.move(each) for each in line],
        "simulations": request.simulations,
    }


def _shares(shares: Any) -> dict[int, float]:
    return {int(each): round(float(shares[each]), 4) for each in np.flatnonzero(shares >= _SHOWN)}


class JudgeRequest(PositionRequest):
    """A position to judge, with a time limit in seconds for each of two queries."""

    seconds: Annotated[float, Field(gt=0, le=20)] = 2.0


class Judged(NamedTuple):
    """The judge's result for a position."""

    winner: int  # 1, 2, or 3 for a draw; 0 if the judge gave up
    keep: list[int]  # the moves found in time that keep the mover's win or draw
    words: str  # the same in words
    is_whole: bool = False  # whether ``keep`` holds all such moves


def judge(pool: AgentPool, request: JudgeRequest, deadline: Deadline) -> dict[str, Any]:
    """Return the winner, and the moves that keep the result; see ``Judged``."""
    game, states = request.position.states()
    return judged(pool.names(game), states[-1], request.seconds, deadline)._asdict()


def judged(names: Coordinates, state: State, seconds: float, deadline: Deadline) -> Judged:
    """Find the winner, then the moves that keep the result, each within ``seconds``."""
    game, about = names.game, (names.game, deadline, state, seconds)
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
    name = names.move(best)
    return Judged(winner, [best], f"{result} with {name}; too little time to find every such move")


def query_judge(
    query: Query[T], game: StateManager, deadline: Deadline, state: State, seconds: float
) -> T | None:
    """Return the judge's result; ``None`` if it gives up."""
    judge = shared_judge(game)
    with judge.until(deadline.is_over):
        try:
            return query(judge, state, seconds)
        except NodeLimitError:
            deadline.check()
            return None


class HintRequest(SearchRequest, JudgeRequest):
    """A position for a hint; the judge has a time limit in seconds for each of three queries."""


def hint(pool: AgentPool, request: HintRequest, deadline: Deadline) -> dict[str, Any]:
    """Return a move and the reason: it is proven, or a search prefers it and expects a line."""
    game, states = request.position.states()
    state, names = states[-1], pool.names(game)
    with searched(pool, request, deadline) as (agent, chosen, thought, values):
        shares, line = thought.distribution, agent.expected_line(chosen)
        prior = shares if agent.net is None else agent.net.policy(state)
    rest = [each for each in game.legal_actions(state).tolist() if each != chosen]
    preferred = [chosen, *sorted(rest, key=lambda each: (-shares[each], -prior[each]))]
    known = judged(names, state, request.seconds, deadline)
    action, words, mover, is_proven = chosen, known.words, game.to_play(state), True
    if known.winner == 3 - mover:
        words += "; this resists longest, according to a search"
    elif known.is_whole:
        action = next(each for each in preferred if each in known.keep)
        words += ", for certain; of these a search prefers it"
    else:
        result, end = known.winner or mover, time.monotonic() + request.seconds
        is_proven = False
        for each in preferred:  # the first that is not refuted
            child = game.child_state(state, each)
            outcome = query_judge(Judge.winner, game, deadline, child, end - time.monotonic())
            if outcome in (None, result):
                action, is_proven = each, outcome == result
                break
        if not is_proven and known.keep:
            action, is_proven = known.keep[0], True
        if is_proven:
            kept = "draws" if result == DRAW else "wins"
            words = f"this {kept}, for certain; too little time to find every such move"
        elif shares[action]:
            line = line if action in line[:1] else [action]
            tried = [action, *(each for each in preferred if shares[each] and each != action)]
            chances = [f"{50 + 50 * values[each] * (3 - 2 * mover):.0f} %" for each in tried]
            player = game.player_names[mover - 1]
            expected = " ".join(map(names.move, line[:_NAMED]))
            words = f"a search gives {player} {chances[0]} with it, and expects {expected}"
            if tried[1:]:
                words += f"; next best: {names.move(tried[1])}, {chances[1]}"
            words += f". Not proven: {known.words}"
    words = f"{names.move(action)}: {words}."
    return {"action": action, "words": words, "line": [] if is_proven else line}


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
    effort = given.with_options(simulations=request.simulations, time_limit=None)
    spec, actions = with_best_net(effort, game), request.position.actions
    if spec.net is not None:
        pool.check_net(spec.net)
    about = spec, game, actions, states[0], pool.params
    try:
        recording = search_recording.record(*about, deadline.is_over)
    except InterruptedError as error:
        raise RequestError(str(error)) from None
    return {
        **SearchSteps(recording, names.letters).to_json(),
        "view": {**view_of(names, states[-1], actions), "moves": []},
    }
