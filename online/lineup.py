"""Agents by board size, and their time limits."""

import contextlib
import math
import queue
import threading
import time
from concurrent.futures import Future, InvalidStateError, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

import agents
from agents import Agent, AgentError, AgentSpec
from base.jit import deferred_interrupts
from base.params import Params, ParamsError
from base.storage import printable
from mcts import Thought
from online.errors import TournamentError
from state_manager import GameError, State, StateManager, make_game

_SCHEDULING_SECONDS = 0.05  # longest delay of our process on a busy machine
_CLOSING_SECONDS = 2.0  # longest wait for an agent that does not stop
_LONGEST_REASON = 300  # characters


@dataclass(frozen=True)
class TimedMove:
    """A move; ``fault`` is why the fallback made it, ``thought`` the agent's, if in time."""

    action: int
    seconds: float
    fault: str = ""
    thought: Thought | None = None


class TimedAgent:
    """Calls an agent; if it is late, takes the best move of its search so far.

    A quick fallback replaces an agent that fails, and a late agent without a best move so far.
    The agent runs in its own thread, on one state at a time: a late agent is stopped, and the next
    call waits for it. Between two moves the agent may ponder, until the next call.
    """

    def __init__(self, agent: Agent, fallback: Agent, limit: float) -> None:
        """Start the thread; ``limit`` is in seconds per move."""
        self.limit, self._agent, self._fallback = limit, agent, fallback
        self._requests = queue.SimpleQueue[tuple[State, Future[int], bool] | None]()
        self._thread = threading.Thread(target=self._serve_requests, daemon=True)
        self._thread.start()

    def warm_up(self, state: State) -> None:
        """Choose a move with both agents without a limit, so that everything is compiled."""
        self._fallback.choose_action(state)
        self._request(state).result()

    def choose_action(self, state: State) -> TimedMove:
        """Return a move for a state that is not final, in time."""
        started = time.perf_counter()
        move = self._request(state, ponders=True)
        fault, action, thought = "", None, None
        try:
            action = move.result(self.limit)
            thought = self._agent.thought  # of this call, the last one
        except Exception as error:
            if move.done() and error is move.exception():
                fault = f"{type(error).__name__}: {error}"
            else:
                action = self._agent.best_so_far(state)
                fault = "" if action is not None else f"no move after {self.limit:g} s"
        finally:
            move.cancel()  # stops a late search, and after Ctrl-C any
        if action is None:
            action = agents.chosen_action(self._fallback, state)
        return TimedMove(action, time.perf_counter() - started, fault, thought)

    def rest(self) -> None:
        """Stop pondering: the game is over."""
        nothing: Future[int] = Future()
        nothing.cancel()
        self._requests.put((np.empty(0, np.int8), nothing, False))

    def close(self) -> None:
        """End the thread, and with it pondering, which would crash as the process exits."""
        self._requests.put(None)
        self._thread.join(_CLOSING_SECONDS)

    def _request(self, state: State, ponders: bool = False) -> Future[int]:
        """Ask for a move, and for pondering after it; a cancelled request stops the agent."""
        move: Future[int] = Future()
        self._requests.put((state, move, ponders))
        return move

    def _serve_requests(self) -> None:
        while (request := self._requests.get()) is not None:
            state, move, ponders = request
            if move.cancelled():
                continue
            self._agent.stopped = move.cancelled
            with contextlib.suppress(InvalidStateError):  # cancelled meanwhile
                try:
                    action = agents.chosen_action(self._agent, state)
                except Exception as error:
                    move.set_exception(error)
                else:
                    move.set_result(action)
                    if ponders:
                        self._agent.stopped = lambda: not self._requests.empty()
                        self._agent.ponder(state, action)


class Seat(NamedTuple):
    """The agents for boards of one size, and their names; ``note`` is for the user."""

    game: StateManager
    agent: TimedAgent
    name: str
    note: str = ""


class Lineup:
    """The ``expected`` agent, agents for other boards, and a ``note`` on the agent's net."""

    def __init__(self, params: Params, net: Path | None, size: int | None = None) -> None:
        """Make the agent of ``params.oht`` for a board, else raise an ``AgentError``."""
        spec = agents.parse_agent(params.oht.agent)
        if net is not None and spec.net is not None:
            raise AgentError(f"oht.agent: expected no net in {str(spec)!r} beside --net {net}")
        limit = params.oht.seconds_per_move
        time_limit = min(search_seconds(limit), params.play.time_limit or math.inf)
        # One game at a time, so two agents share the memory, each for boards of its size.
        play = params.play.model_copy(update={"time_limit": time_limit, "workers": 1})
        self._params = params.model_copy(update={"play": play})
        self._limit_of_agent = max(0.75 * limit, min(0.9 * limit, limit - _SCHEDULING_SECONDS))
        requested = spec if net is None else replace(spec, net=net)
        size = size or params.oht.board_size
        game = make_game("hex", size=size)
        spec = agents.with_best_net(requested, game)
        self.note = "; ".join(agents.agent_notes(game, [requested], [spec]))
        if (spec.time_limit or 0.0) >= self._limit_of_agent:
            most = f"{self._limit_of_agent:g}, so that it moves within oht.move_time_limit"
            got = spec.options["time_limit"]
            raise AgentError(f"{spec.quoted}: time_limit: expected less than {most}, got {got}")
        self._requested = requested
        self.expected = self._seat(spec, game, spec.name)
        self._seats = {size: self.expected}
        self._loader = ThreadPoolExecutor(1)  # a net at a time, as a game is played meanwhile
        self._with_nets: dict[int, Future[Seat | None]] = {}

    def seat(self, size: int) -> Seat:
        """Return the agents for a board, at once; call it between two games.

        An unexpected board gets a search without a net. Meanwhile the requested agent is made for
        that board, as loading a net takes longer than a move: a later call seats it, if it fits,
        and closes the one before. If no agent plays on boards of this size, raise a
        ``TournamentError``.
        """
        if size not in self._seats:
            try:
                game = make_game("hex", size=size)
            except (GameError, ParamsError) as error:
                words = f"expected a playable board from the server: {error}"
                raise TournamentError(words) from error
            self._seats[size] = self._without_net(game)
            with deferred_interrupts():  # which could leave a lock of the pool taken
                self._with_nets[size] = self._loader.submit(self._with_net, game)
        elif size in self._with_nets and self._with_nets[size].done():
            made, seat = self._with_nets.pop(size), self._seats[size]
            if failure := made.exception():
                why = printable(str(failure) or repr(failure), _LONGEST_REASON)
                self._seats[size] = seat._replace(note=f"{seat.name} goes on to play: {why}")
            elif found := made.result():
                seat.agent.close()
                self._seats[size] = found
        return self._seats[size]

    def _without_net(self, game: StateManager) -> Seat:
        name, size = "mcts without a net", game.board_shape[0]
        board = f"the server plays on {size}x{size}, where {self.expected.name} cannot play"
        note = f"WARNING: {board}; {name} plays instead, unless a net for this board is found"
        return self._seat(agents.parse_agent("mcts"), game, name, note)

    def _with_net(self, game: StateManager) -> Seat | None:
        spec = agents.with_best_net(self._requested, game)
        if spec.net is None:
            return None
        seat = self._seat(spec, game, spec.name, f"{spec.name} plays from now on")
        try:
            seat.agent.warm_up(game.initial_state(1))
        except BaseException:
            seat.agent.close()
            raise
        return seat

    def warm_up(self) -> None:
        """Choose moves on empty boards; a small one compiles the search for unexpected boards."""
        small = make_game("hex", size=4 if self.expected.game.board_shape[0] == 3 else 3)
        other = self._without_net(small)
        with contextlib.closing(other.agent):
            for game, agent, *_ in (self.expected, other):
                for starting_player in (1, 2):
                    agent.warm_up(game.initial_state(starting_player))

    def close(self) -> None:
        """End the threads of all agents; wait for a net that is being loaded."""
        for seat in self._seats.values():
            seat.agent.close()
        self._loader.shutdown(cancel_futures=True)
        for made in self._with_nets.values():
            if not (made.cancelled() or made.exception()) and (found := made.result()):
                found.agent.close()

    def _seat(self, spec: AgentSpec, game: StateManager, name: str, note: str = "") -> Seat:
        fallback = AgentSpec("random" if spec.net is None else "anet", spec.net)
        make = partial(agents.make_agent, game=game, seed=self._params.seed, defaults=self._params)
        quick = make(fallback)
        return Seat(game, TimedAgent(make(spec), quick, self._limit_of_agent), name, note)


def search_seconds(limit: float) -> float:
    """Return the time limit of a search, given that of a move, both in seconds."""
    return max(0.5 * limit, min(0.75 * limit, limit - 2 * _SCHEDULING_SECONDS))
