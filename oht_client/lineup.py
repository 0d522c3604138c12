"""Who plays, on a board of which size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from oht_client.errors import OHTError
from oht_client.timed_agent import TimedAgent

if TYPE_CHECKING:
    from agents import Agent, AgentSpec
    from base.params import Params
    from state_manager import StateManager

_SCHEDULING_SECONDS = 0.05
"""For which a busy machine may let others compute while we should."""
_WITHOUT_NET = "mcts"
_SMALL = (3, 4)


class Seat(NamedTuple):
    """Who plays on boards of one size.

    Attributes:
        game: Hex of this size.
        agent: Who plays it.
        name: What to call the agent.
    """

    game: StateManager
    agent: TimedAgent
    name: str


class Lineup:
    """The agent of the parameters for the board that is expected, and one for any other board.

    Attributes:
        expected: Who plays on the board of ``oht.board_size``.
    """

    def __init__(self, params: Params, net: Path | None) -> None:
        """Check that the agent and its net fit each other and ``oht.board_size``.

        Args:
            params: Their section ``oht`` names the agent, the board and the time for a move.
            net: What the agent plays with, if its word names none.

        Raises:
            AgentError: The agent's word is wrong, or its net is missing or does not fit.
        """
        from agents import AgentError, parse_agent
        from state_manager import make_game

        spec = parse_agent(params.oht.agent)
        if net is not None and spec.net is not None:
            raise AgentError(f"oht.agent: expected no net in {str(spec)!r} beside --net {net}")
        self._params = _search_in_time(params)
        self._limit_of_agent = agent_seconds(params.oht.seconds_per_move)
        self._spec = spec if net is None else replace(spec, net=net)
        self._check_time_limit(self._spec)
        size = params.oht.board_size
        self.expected = self._seat(self._spec, make_game("hex", size=size), self._spec.name)
        self._seats = {size: self.expected}

    def seat(self, size: int) -> Seat:
        """Return who plays on a board; where the expected agent cannot, a search without a net.

        Raises:
            OHTError: Nobody plays on boards of this size.
        """
        from agents import parse_agent
        from base.params import ParamsError
        from state_manager import GameError, make_game

        if size not in self._seats:
            try:
                game = make_game("hex", size=size)
            except (GameError, ParamsError) as error:
                raise OHTError(
                    f"the server's board is one that nobody here plays: {error}"
                ) from error
            name = f"{_WITHOUT_NET} without a net"
            self._seats[size] = self._seat(parse_agent(_WITHOUT_NET), game, name)
        return self._seats[size]

    def warm_up(self) -> None:
        """Choose moves on empty boards, so that nothing is loaded or compiled in a game.

        Compiled code does not depend on the board's size. So a small board does for the search that
        replaces the agent where the server's board is a surprise: then the clock is running.
        """
        expected = self.expected.game.board_shape[0]
        for seat in (self.expected, self.seat(next(size for size in _SMALL if size != expected))):
            for starting_player in (1, 2):
                seat.agent.warm_up(seat.game.initial_state(starting_player))

    def _seat(self, spec: AgentSpec, game: StateManager, name: str) -> Seat:
        """Seat an agent, with a fallback that answers at once."""
        fallback = "random" if spec.net is None else f"anet:{spec.net}"
        quick = self._maker(fallback, game)()
        return Seat(game, TimedAgent(self._maker(spec, game)(), quick, self._limit_of_agent), name)

    def _maker(self, word: str | AgentSpec, game: StateManager) -> Callable[[], Agent]:
        from agents import make_agent

        return lambda: make_agent(word, game, seed=self._params.seed, defaults=self._params)

    def _check_time_limit(self, spec: AgentSpec) -> None:
        from agents import AgentError
        from base.params import parse_scalar

        given = parse_scalar(spec.options.get("time_limit", "0"))
        if given is None or (isinstance(given, int | float) and given >= self._limit_of_agent):
            raise AgentError(
                f"agent {str(spec)!r}: time_limit: expected less than {self._limit_of_agent:g}, so "
                f"that it answers in oht.move_time_limit, got {spec.options['time_limit']}"
            )


def search_seconds(limit: float) -> float:
    """Return when a search stops, of the seconds for a move."""
    return max(0.5 * limit, min(0.75 * limit, limit - 2 * _SCHEDULING_SECONDS))


def agent_seconds(limit: float) -> float:
    """Return when an agent that has not answered is left, of the seconds for a move."""
    return max(0.75 * limit, min(0.9 * limit, limit - _SCHEDULING_SECONDS))


def _search_in_time(params: Params) -> Params:
    """Return the parameters with a limit on searches that leaves time to answer."""
    limit = search_seconds(params.oht.seconds_per_move)
    if params.play.time_limit is not None:
        limit = min(limit, params.play.time_limit)
    # A single game at a time, so that two agents share the memory, each for boards of its size.
    play = params.play.model_copy(update={"time_limit": limit, "workers": 1})
    return params.model_copy(update={"play": play})
