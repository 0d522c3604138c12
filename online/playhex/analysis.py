"""Analyses of games, in a process of low priority, so that no move waits for them."""

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from functools import lru_cache
from typing import Any, cast

import numpy as np
import psutil
from numpy.typing import NDArray

from agents import Agent, AgentSpec, make_agent
from agents.position_searches import searches_of_positions
from analysis import Known, ReviewedMove, Reviewer, Verdict
from base.cluster import process_pool
from base.storage import printable
from formats.sgf import cell_name, is_swap
from judge import shared_judge
from online.playhex.bots import Tell, best_net
from online.playhex.positions import PASS, stretches_of
from state_manager import NodeLimitError, State, StateManager

Entry = dict[str, Any]
"""The analysis of a move, as PlayHex expects it: each ``whiteWin`` is the chance of player 2."""
_SIMULATIONS, _LARGE_BOARD = (800, 300), 8
"""In a position on boards of up to this many rows, and on larger ones."""
_JUDGE_SECONDS, _JUDGE_MOVE_SECONDS = 5.0, 0.5
_LONGEST, _LAST = 270.0, 30.0
"""Seconds for an analysis, of the 300 that PlayHex waits. In the last of these, moves that have not
been reviewed get the net's own values."""
_MOST_WAITING, _BEST = 40, 4
_CHECK_SECONDS = 0.25


class Analyst:
    """Analyses games one by one, until a true ``is_leaving``."""

    def __init__(self, tell: Tell) -> None:
        """Report failures to ``tell``."""
        self.is_leaving: Callable[[], bool] = lambda: False
        self._tell, self._pool = tell, cast(Any, None)
        self._running: dict[object, asyncio.Future[list[Entry]]] = {}

    async def game(
        self, size: int, words: Sequence[str], since: int = 0, seconds: float = _LONGEST
    ) -> list[Entry] | None:
        """Return an entry for each word of a history from index ``since`` on; ``None`` if it fails.

        Equal questions share an analysis.
        """
        key, until = (size, tuple(words), since), time.time() + seconds
        try:
            if key not in self._running:
                if len(self._running) >= _MOST_WAITING:
                    raise TimeoutError("too many wait")
                if self._pool is None:
                    self._begin()
                work = asyncio.wrap_future(self._pool.submit(analysed, *key, until))
                self._running[key] = work
                work.add_done_callback(lambda _: self._running.pop(key))
            work = self._running[key]
            while not work.done():
                if self.is_leaving() or time.time() > until:
                    raise TimeoutError("too little time")
                await asyncio.wait([work], timeout=_CHECK_SECONDS)
            return work.result()
        except Exception as error:
            if isinstance(error, BrokenExecutor):
                self._pool = None  # the next analysis begins another process
            self._tell(printable(f"no analysis: {error or type(error).__name__}"))
            return None

    def prepare(self) -> None:
        """Begin to load what analyses on the usual board need."""
        self._begin()
        self._pool.submit(analysed, 11, ("f6", "f5", "f4"), 0, time.time() + _LONGEST)

    def _begin(self) -> None:
        self._pool = process_pool(1)
        self._pool.submit(_lower_priority)

    def close(self) -> None:
        """End the process."""
        if self._pool is not None:
            self._pool.shutdown(kill_workers=True)


def analysed(size: int, words: Sequence[str], since: int, until: float) -> list[Entry]:
    """Analyse a game until a time of ``time.time``; see ``Analyst.game``.

    Raises:
        RequestError: If the history is not that of a game on a board from 3x3 to 19x19.
    """
    stretches, entries = stretches_of(size, words, len(words) > 1 and is_swap(words[1])), []
    known, first = Known({}, {}, {}), 0
    for place, (game, states, actions) in enumerate(stretches):
        skipped = max(0, since - first)
        moves = _reviewed(game, states[skipped:], actions[skipped:], known, until - _LAST)
        entries += [_of_move(game, move, known) for move in moves]
        first += len(actions) + 1
        if place < len(stretches) - 1:
            after = stretches[place + 1]
            values = _seen(game, states[-1])[0], _seen(after.game, after.states[0])[0]
            entries.append(_entry(game, states[-1], None, *values))
    for index, entry in enumerate(entries, start=len(words) - len(entries)):
        entry |= {"moveIndex": index, "color": ("black", "white")[index % 2]}
    return entries[len(entries) - (len(words) - since) :]


def _lower_priority() -> None:
    psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS if os.name == "nt" else 10)


def position(game: StateManager, state: State) -> Entry:
    """Return White's chance in a position, and the net's policy row by row."""
    value, policy = _seen(game, state)
    return {"whiteWin": _white(value), "policy": policy.reshape(game.board_shape).round(4).tolist()}


def _reviewed(
    game: StateManager, states: list[State], actions: list[int], known: Known, until: float
) -> list[ReviewedMove]:
    """Review moves; those for which there is too little time get the net's own values."""
    moves: dict[int, ReviewedMove] = {}

    def take(found: list[ReviewedMove]) -> None:
        moves.update({move.ply: move for move in found})

    if actions and time.time() < until:
        agent = _reviewing(game)
        how = searches_of_positions(agent), _JUDGE_SECONDS, known, lambda: time.time() > until
        with suppress(InterruptedError):
            Reviewer(game, *how).review(states, actions, agent.net, take, explain=False)
    if len(moves) < len(actions):
        values = [Verdict(_seen(game, state)[0], False) for state in states]
        for ply, each in enumerate(zip(states, actions, values, values[1:], strict=False), 1):
            moves.setdefault(ply, ReviewedMove(ply, *each))
    return [move for _, move in sorted(moves.items())]


def _of_move(game: StateManager, move: ReviewedMove, known: Known) -> Entry:
    best, could = move.action, move.after
    if move.loss > 0:
        opinion, could = known.opinions.get(move.state.tobytes()), move.could_have
        best = int(np.argmax(_seen(game, move.state)[1])) if opinion is None else opinion.choice
        with suppress(NodeLimitError):
            if move.exact:
                best = shared_judge(game).best_action(move.state, _JUDGE_MOVE_SECONDS)
    values = move.before.value, move.after.value
    return _entry(game, move.state, move.action, *values, {best: could.value})


def _entry(
    game: StateManager,
    state: State,
    action: int | None,
    before: float,
    after: float,
    best: dict[int, float] | None = None,
) -> Entry:
    """Return the entry of an action or a pass, with the values of both positions, and the best one.

    The net's first choices follow the best action.
    """
    policy, legal = _seen(game, state)[1], set(game.legal_actions(state).tolist())
    values = {**(best or {}), **({} if action is None else {action: after})}
    order = dict.fromkeys([*(best or {}), *np.argsort(-policy, kind="stable").tolist()])

    def named(action: int) -> Entry:
        share = 0 if action == game.swap_action else round(float(policy[action]), 4)
        about: Entry = {"move": cell_name(action, game.board_shape[0]), "value": share}
        return about | ({"whiteWin": _white(values[action])} if action in values else {})

    passed = {"move": PASS, "value": 0, "whiteWin": _white(after)}
    return {
        "whiteWin": _white(before),
        "move": passed if action is None else named(action),
        "bestMoves": [named(each) for each in order if each in legal][:_BEST],
    }


def _seen(game: StateManager, state: State) -> tuple[float, NDArray[np.float64]]:
    """Return the net's value, seen from player 1, and its policy; exact where the game is over.

    On a board without a net, the judge decides, and all legal moves are equal.
    """
    net, legal = best_net(game), game.legal_actions(state)
    if net is not None and len(legal):
        policies, values = net.evaluate(state)
        assert values is not None, "expected bundled nets to have critics"
        return float(values), policies
    policy = np.zeros(game.num_actions)
    policy[legal] = 1.0 / max(1, len(legal))
    return (1.0 if shared_judge(game).winner(state) == 1 else -1.0), policy


def _white(value: float) -> float:
    """Return the chance of player 2, from 0 to 1, for a value seen from player 1."""
    return round(min(1.0, max(0.0, (1.0 - value) / 2)), 4)


@lru_cache(maxsize=8)
def _reviewing(game: StateManager) -> Agent:
    simulations = _SIMULATIONS[game.board_shape[0] > _LARGE_BOARD]
    return make_agent(AgentSpec("best").with_options(simulations=simulations), game)
