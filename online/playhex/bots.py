"""``Bots``: the moves of named agents for many games at once, each in its time."""

import asyncio
import itertools
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from agents import AgentError, AgentSpec, load_net, make_agent, parse_agent, searches, with_best_net
from agents.agent import Agent, Resign, TakeBack, agent_kind
from anet.evaluator import Evaluator, SwapEvaluator
from base.cluster import available_cores
from base.storage import printable
from formats.sgf import cell_name
from online.playhex.positions import RESIGN, SIZES, position_after
from online.playhex.shared_evaluator import SharedEvaluator
from state_manager import State, StateManager

Tell = Callable[[str], object]
_MOST_SEARCHES, _MOST_SIMULATIONS = 64, 10_000_000
"""At once; games beyond these wait, and get the net's first choice at the end of their time."""
_LEAVES = 16  # leaves that wait in all games together, and at least one in each
_JUDGED = 8
"""Games at once in which the judge is asked before the search; it takes turns of 10 ms or more."""
_MEGABYTES = 1.0  # for the tree of a game, for each second of a move: 12,500 simulations
_MOST_NETS = 6  # prepared ones, of some 100 MB each
_GRACE, _GAME_SECONDS = 0.1, 0.005
"""Seconds after its time in which a search still counts; by which each other game shortens it."""
_COMMON_SIZES = 11, 13, 14
"""Boards whose searches are prepared at the start; others at their first move."""


class Bot(NamedTuple):
    """The words of an agent: for boards with a bundled net, and for those without."""

    agent: str
    without_net: str


class Question(NamedTuple):
    """A position in which a bot moves; equal questions share a search."""

    bot: Bot
    size: int
    words: tuple[str, ...]
    has_swap: bool
    seconds: float
    resigns: bool

    @property
    def position(self) -> tuple[StateManager, State]:
        """The game and the state; raises a ``RequestError`` if the history is impossible."""
        return position_after(self.size, self.words, self.has_swap)


@dataclass
class _Search:
    question: Question
    ends: float  # in monotonic time
    agent: Agent | None = None  # while it searches


class Bots:
    """Plays for bots; a true ``is_leaving`` ends all searches, which then move at once."""

    def __init__(self, tell: Tell) -> None:
        """Report failures to ``tell``."""
        self.is_leaving: Callable[[], bool] = lambda: False
        self._tell = tell
        self._threads = ThreadPoolExecutor(_MOST_SEARCHES, "move")
        self.quick, self._evaluation = ThreadPoolExecutor(1), ThreadPoolExecutor(available_cores())
        self._running: dict[Question, asyncio.Task[str]] = {}
        self._idle: defaultdict[tuple[str, StateManager], list[Agent]] = defaultdict(list)
        self._seeds = itertools.count(time.time_ns())
        shared = partial(SharedEvaluator, threads=self._evaluation)
        self._shared: Callable[[Any], SharedEvaluator] = lru_cache(_MOST_NETS)(shared)

    async def move(self, question: Question) -> str:
        """Return the word of a move; ``resign`` on a board that the bot does not play.

        Raises a ``RequestError`` if the history is not one of a game that goes on.
        """
        if (task := self._running.get(question)) is None:
            task = self._running[question] = asyncio.create_task(self._move(question))
            task.add_done_callback(lambda _: self._running.pop(question))
        return await asyncio.shield(task)

    async def _move(self, question: Question) -> str:
        search = _Search(question, time.monotonic() + question.seconds)
        if question.size not in SIZES:
            return RESIGN
        try:
            action, knows_loss = await self._in_time(search)
        except AgentError as error:
            self._tell(f"resigned: {error}")
            return RESIGN
        if action is None or (knows_loss and question.resigns):
            return RESIGN
        return cell_name(action, question.size)

    async def _in_time(self, search: _Search) -> tuple[int | None, bool]:
        """Return a search's result; if it is late, its best move so far, or the first choice."""
        loop = asyncio.get_running_loop()
        chosen = loop.run_in_executor(self._threads, self._chosen, search)
        await asyncio.wait([chosen], timeout=search.ends + _GRACE - time.monotonic())
        if chosen.done():
            return await chosen
        if (agent := search.agent) is not None:  # else it waits for a thread, or for its net
            so_far = agent.best_so_far(search.question.position[1])
            if so_far is not None:
                return so_far, False
        first = loop.run_in_executor(self.quick, first_choice, *search.question.position)
        await asyncio.wait([chosen, first], return_when=asyncio.FIRST_COMPLETED)
        return await (chosen if chosen.done() else first)

    def _chosen(self, search: _Search) -> tuple[int | None, bool]:
        """Return an agent's move, ``None`` to resign, and whether it knows that it has lost."""
        question, games = search.question, max(1, len(self._running))
        game, state = question.position
        spec = spec_of(question.bot, game, question.seconds)
        if games > _JUDGED and "judge" in spec.options:
            spec = spec.with_options(judge=False)
        if _is_batched(spec, game):
            spec = spec.with_options(leaves=2 ** int(np.log2(max(1, _LEAVES // games))))
        idle = self._idle[str(spec), game]
        try:
            agent = idle.pop()
        except IndexError:
            net = None if spec.net is None else self._net(spec, game)
            agent = make_agent(spec, game, next(self._seeds), net=net)
        ends = search.ends - _GAME_SECONDS * games
        agent.stopped = lambda: self.is_leaving() or time.monotonic() >= ends
        search.agent = agent
        try:
            choice = agent.choose_action(state)
        except AgentError:
            raise
        except Exception as error:
            self._tell(printable(f"the search failed, the net moves: {error!r}"))
            return first_choice(game, state)
        finally:
            search.agent = None
        if sum(map(len, [*self._idle.values()])) >= _MOST_SEARCHES:
            self._idle.clear()
        self._idle[str(spec), game].append(agent)
        if isinstance(choice, Resign | TakeBack):
            return None, True
        if spec.kind == "exact" and agent.stopped():  # a random move
            return first_choice(game, state)
        return int(choice), agent.known_outcome == 3 - game.to_play(state)

    def _net(self, spec: AgentSpec, game: StateManager) -> Evaluator:
        """Return an agent's net; before a swap, it shares the batches of plain Hex."""
        assert spec.net is not None
        net = load_net(spec.net, game)
        if spec.kind == "onnx":
            return net
        if isinstance(net, SwapEvaluator):
            return SwapEvaluator(self._shared(load_net(spec.net, game.without_swap)), game)
        return self._shared(net)

    def prepare(self, bots: Iterable[Bot]) -> None:
        """Begin to load what moves on common boards need."""
        self._threads.submit(self._prepare, [*bots])

    def _prepare(self, bots: list[Bot]) -> None:
        for bot, size, has_swap in itertools.product(bots, _COMMON_SIZES, (True, False)):
            with suppress(AgentError):
                if not self.is_leaving():
                    self._chosen(_Search(Question(bot, size, (), has_swap, 0.1, False), 0.0))

    def close(self) -> None:
        """End all threads."""
        self._threads.shutdown(cancel_futures=True)
        self.quick.shutdown(cancel_futures=True)
        self._evaluation.shutdown()


@cache
def best_net(game: StateManager) -> Evaluator | None:
    """Return the best bundled net for a board, ``None`` without one."""
    found = with_best_net(AgentSpec("best"), game).net
    return None if found is None else load_net(found, game)


def first_choice(game: StateManager, state: State) -> tuple[int | None, bool]:
    """Return the first choice of the board's best net, else a cell in the middle, and False."""
    net, legal = best_net(game), game.legal_actions(state)
    return int(legal[len(legal) // 2] if net is None else np.argmax(net.policy(state))), False


@lru_cache(maxsize=64)
def spec_of(bot: Bot, game: StateManager, seconds: float) -> AgentSpec:
    """Return the agent of a bot on a board; raise an ``AgentError`` if it does not play there."""
    try:
        spec = with_best_net(parse_agent(bot.agent), game)
    except AgentError:
        spec = with_best_net(parse_agent(bot.without_net), game)
    if spec.net is not None:
        load_net(spec.net, game)
    elif spec.kind == "exact":
        make_agent(spec, game)
    if searches(spec):
        simulations = spec.options.get("simulations", _MOST_SIMULATIONS)
        spec = spec.with_options(simulations=simulations, time_limit=seconds)
    if "memory" in agent_kind(spec.kind).Options.model_fields and "memory" not in spec.options:
        spec = spec.with_options(memory=_MEGABYTES * max(1.0, seconds))
    return spec


def _is_batched(spec: AgentSpec, game: StateManager) -> bool:
    """Return whether the leaves of a search are evaluated together, and nothing says how many."""
    if spec.kind != "mcts" or spec.net is None or {"leaves", "tree_policy"} & spec.options.keys():
        return False
    return not load_net(spec.net, game).facts.plays_rollouts
