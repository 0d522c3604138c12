"""State shared by all pages: the allowed agents and nets, and a cache of agents."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from web.requests import RequestError

if TYPE_CHECKING:
    from agents.agent import AgentKind
    from base.params import Params
    from state_manager import StateManager

NETS = Path(__file__).resolve().parents[1] / "nets"
"""The nets that come with the program."""
_REFUSED = ("human", "engine")
_MOST_AGENTS = 12
"""Size of the agent cache; the agents' trees share the memory of one run."""
_MOST_SIMULATIONS = 1_000_000
_MOST_UNSTOPPABLE = 1_000
"""Simulations of OpenSpiel, 50 ms on 11x11; they block all other requests."""
_LONGEST = 60.0
"""Time limit of a request in seconds."""


@dataclass
class Deadline:
    """Deadline of a request, set when its work begins.

    Attributes:
        deadline: In seconds of ``time.monotonic``.
    """

    deadline: float = math.inf

    def begin(self) -> None:
        """Start the time limit."""
        self.deadline = min(self.deadline, time.monotonic() + _LONGEST)

    def end(self) -> None:
        """Cancel the request; callable from any thread."""
        self.deadline = 0.0

    def is_over(self) -> bool:
        """Return whether the request is late or cancelled."""
        return time.monotonic() >= self.deadline


class AgentPool:
    """Agents by their words; each agent serves one request at a time."""

    def __init__(
        self, params: Params, runs: Path = Path("runs"), given: Sequence[str] = ()
    ) -> None:
        """Allow nets of the program and of runs, and the agents in ``given``.

        Args:
            params: Defaults of agents, and their seed.
            runs: The folder with run directories.
            given: Words of further agents that pages may name, without limits.
        """
        self.params, self.runs, self.given = params, runs, tuple(given)
        self._agents: OrderedDict[tuple[str, StateManager], _Slot] = OrderedDict()
        self._choosing = threading.Lock()

    @contextmanager
    def agent(self, word: str, game: StateManager, deadline: Deadline) -> Iterator[AgentKind]:
        """Lend an agent to one request; later requests for it wait.

        Args:
            word: As on the command line; see ``agents.parse_agent``.
            game: The agent's game.
            deadline: Deadline of the search and of the wait for the agent.

        Raises:
            AgentError: It cannot be made.
            RequestError: Pages may not name it, or the request is late or cancelled.
        """
        with self._choosing:
            slot = self._agents.setdefault((word, game), _Slot())
            self._agents.move_to_end((word, game))
            while len(self._agents) > _MOST_AGENTS:
                self._agents.popitem(last=False)
        with slot.lock:
            if deadline.is_over():
                raise RequestError("nobody waits for the answer")
            if slot.agent is None:
                slot.agent = self._made(word, game)
            slot.agent.stopped = deadline.is_over
            yield slot.agent

    def _made(self, word: str, game: StateManager) -> Any:
        from agents import agent_kind, make_agent, parse_agent, with_best_net
        from mcts.tree_memory import memory_share

        spec = parse_agent(word)
        if word not in self.given:
            if spec.kind in _REFUSED:
                raise RequestError(
                    f"expected --agent {spec.kind}:... with serve, to let pages name it"
                )
            if spec.net is not None and str(spec.net) != "best":
                self.check_net(spec.net)
            simulations = spec.options.get("simulations", "")
            effort = simulations, spec.options.get("rollouts", "1")
            is_unstoppable = spec.kind == "openspiel"
            most = _MOST_UNSTOPPABLE if is_unstoppable else _MOST_SIMULATIONS
            # Only decimals: 0x989680 would be a number, too.
            is_few = all(map(str.isdecimal, effort)) and math.prod(map(int, effort)) <= most
            if not (is_few or (simulations in ("", "null") and not is_unstoppable)):
                got = " times ".join(effort if effort[1] != "1" else effort[:1]) or "none"
                raise RequestError(
                    f"expected at most {most} simulations, or rollouts in all, got {got}"
                )
            for name in ("memory", *(["time_limit"] if is_unstoppable else [])):
                if name in spec.options:
                    raise RequestError(f"{name}: expected it left out")
        spec = with_best_net(spec, game)
        if "memory" in agent_kind(spec.kind).Options.model_fields:
            share = max(1.0, memory_share(self.params.mcts.memory, _MOST_AGENTS))
            spec = replace(spec, options={"memory": f"{share:.0f}", **spec.options})
        return make_agent(spec, game, seed=self.params.seed, defaults=self.params)

    def check_net(self, net: Path) -> None:
        """Check that pages may name a net.

        Raises:
            RequestError: It is not in the folders of nets and runs, or no .pt file.
        """
        place = net.resolve()
        if not any(place.is_relative_to(root.resolve()) for root in (NETS, self.runs)):
            raise RequestError(f"expected a net below {NETS.name} or {self.runs.name}")
        if place.suffix != ".pt":
            raise RequestError("expected a net, a file that ends in .pt")


@dataclass
class _Slot:
    """An agent, made at its first use, and the lock for its use."""

    agent: Any = None
    lock: threading.Lock = field(default_factory=threading.Lock)


Answer = Callable[[AgentPool, Any, Deadline], object]
"""Handles a request, given the pool, the request and its deadline."""
