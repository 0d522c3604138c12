"""State shared by all pages: allowed agents and nets, cached agents, training, room and ladder."""

import math
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from agents import Agent, AgentSpec, agent_kind, make_agent, parse_agent, with_best_net
from base.params import Params
from display.boards.cells import Coordinates
from mcts.tree_memory import memory_share
from state_manager import StateManager
from web.friends.rooms import Room
from web.ladder.ladder import Ladder
from web.runs.training import Training
from web.server.requests import RequestError

NETS = Path(__file__).resolve().parents[2] / "nets"
"""The nets that come with the program."""
_REFUSED = ("human", "engine")
_MOST_AGENTS = 12  # size of the agent cache; the agents' trees share the memory of one run
MOST_SIMULATIONS = 1_000_000
_EFFORT = ("simulations", "time_limit")
"""The options that a page sets for a time per move or a clock."""
_MOST_UNSTOPPABLE = 1_000  # simulations of OpenSpiel, 50 ms on 11x11; they block all other requests
_LONGEST = 60.0  # time limit of a request in seconds


@dataclass
class Deadline:
    """Deadline of a request; its clock starts with the work, not in the queue."""

    client: str = ""  # the address that asks; empty if unknown
    at: float = math.inf  # in seconds of ``time.monotonic``

    def start(self) -> None:
        """Start the time limit."""
        self.at = min(self.at, time.monotonic() + _LONGEST)

    def cancel(self) -> None:
        """Cancel the request; callable from any thread."""
        self.at = 0.0

    def is_over(self) -> bool:
        """Return whether the request is late or cancelled."""
        return time.monotonic() >= self.at

    def check(self) -> None:
        """Raise a ``RequestError`` if the request is late or cancelled."""
        if self.is_over():
            raise RequestError("the request was cancelled, or took too long")


@dataclass
class _Slot:
    agent: Agent | None = None  # made at its first use
    lock: threading.Lock = field(default_factory=threading.Lock)  # held while the agent is used


class AgentPool:
    """Agents by their words; each agent serves one request at a time."""

    def __init__(
        self, params: Params, runs: Path = Path("runs"), given: Sequence[str] = ()
    ) -> None:
        """Allow nets of the program and in ``runs``, and the agents in ``given``.

        Given agents have no limits, unless a page changes their simulations or time.
        ``params`` are the defaults of agents, and their seed.
        """
        self.params, self.runs, self.given = params.for_games(1), runs, tuple(given)
        self.training = Training(runs)
        self.room = Room()
        self.ladder: Ladder | None = None
        self._slot = lru_cache(_MOST_AGENTS)(lambda word, game: _Slot())

    @contextmanager
    def agent(self, spec: AgentSpec, game: StateManager, deadline: Deadline) -> Iterator[Agent]:
        """Lend an agent to one request; later requests for it wait.

        Raises an ``AgentError`` if it cannot be made, a ``RequestError`` if pages may not name it,
        or the request is late or cancelled.
        """
        slot = self._slot(str(spec), game)
        with slot.lock:
            deadline.check()
            if slot.agent is None:
                slot.agent = self._made(spec, game)
            slot.agent.stopped = deadline.is_over
            yield slot.agent

    def _made(self, spec: AgentSpec, game: StateManager) -> Any:
        given = [parse_agent(each) for each in self.given]
        if spec.without(*_EFFORT) not in [each.without(*_EFFORT) for each in given]:
            if spec.kind in _REFUSED:
                words = f"expected --agent {spec.kind}:... with serve, to let pages name it"
                raise RequestError(words)
            if spec.net is not None and str(spec.net) != "best":
                self.check_net(spec.net)
        if spec not in given:
            _check_effort(spec.options, is_unstoppable=spec.kind == "openspiel")
        spec = with_best_net(spec, game)
        known = agent_kind(spec.kind).Options.model_fields
        if "memory" in known and "memory" not in spec.options:
            share = max(1.0, memory_share(self.params.mcts.memory, _MOST_AGENTS))
            spec = spec.with_options(memory=round(share))
        return make_agent(spec, game, seed=self.params.seed, defaults=self.params)

    def names(self, game: StateManager) -> Coordinates:
        """Return the names of a game's moves, in the notation of the parameters."""
        return Coordinates(game, self.params.display.letters)

    def check_net(self, net: Path) -> None:
        """Raise a ``RequestError`` unless a net is a .pt file in the folders of nets and runs."""
        place = net.resolve()
        if not any(place.is_relative_to(root.resolve()) for root in (NETS, self.runs)):
            raise RequestError(f"expected a net below {NETS.name} or {self.runs.name}")
        if place.suffix != ".pt":
            raise RequestError("expected a net, a file that ends in .pt")


def _check_effort(options: Mapping[str, str], is_unstoppable: bool) -> None:
    """Raise a ``RequestError`` if options ask for too many simulations or too much memory."""
    simulations, rollouts = options.get("simulations", ""), options.get("rollouts", "1")
    most = _MOST_UNSTOPPABLE if is_unstoppable else MOST_SIMULATIONS
    if simulations not in ("", "null") or is_unstoppable:
        # Only decimals: 0x989680 would be a number, too.
        is_number = simulations.isdecimal() and rollouts.isdecimal()
        if not is_number or int(simulations) * int(rollouts) > most:
            got = simulations + (f" times {rollouts}" if rollouts != "1" else "") or "none"
            words = f"expected at most {most} simulations, or rollouts in all, got {got}"
            raise RequestError(words)
    for name in ("memory", "time_limit")[: 1 + is_unstoppable]:
        if name in options:
            raise RequestError(f"{name}: expected it left out")
