"""What an agent is, and the kinds of agents by name. A new kind is one file, and one line here."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol, cast

import numpy as np

from agents.spec import AgentError
from base.storage import excerpt
from base.words import nearest

if TYPE_CHECKING:
    from base.params import Params, Section
    from state_manager import State, StateManager

Seed = int | np.random.SeedSequence | np.random.Generator

AGENTS = {
    "random": "agents.random:RandomAgent",
    "human": "agents.human:HumanAgent",
    "anet": "agents.anet:ANETAgent",
    "mcts": "agents.mcts:MCTSAgent",
    "nrpa": "agents.nrpa:NRPAAgent",
    "exact": "agents.exact:ExactAgent",
}


class Agent(Protocol):
    """Someone who can choose a move.

    One who can say why has a ``thought`` too, a ``mcts.Thought``: of the last move that it chose.

    Attributes:
        name: What the agent is called on displays and in records.
    """

    name: str

    def choose_action(self, state: State) -> int:
        """Return a legal action in a state that is not final."""


class HumanIO(NamedTuple):
    """How a human is spoken to.

    Attributes:
        ask: Shows a prompt and returns the line that was typed.
        show: Shows some lines of text.
        show_board: Shows a state; as plain text through ``show`` if ``None``.
        hint: What else may be typed, or done; a sentence.
    """

    ask: Callable[[str], str]
    show: Callable[[str], None]
    show_board: Callable[[State], None] | None = None
    hint: str = ""


@dataclass(frozen=True)
class AgentRequest:
    """All that a kind of agent may need to make one.

    Attributes:
        game: The rules.
        net: The file of the net, if the agent's word named one.
        options: An instance of the kind's ``Options``.
        given: The names of the options that the word gave; the others are defaults.
        seed: Where the agent's random numbers come from.
        name: What the agent is to be called.
        human_io: How a human is spoken to, if that is possible.
    """

    game: StateManager
    net: Path | None
    options: Any
    given: frozenset[str]
    seed: Seed
    name: str
    human_io: HumanIO | None


class AgentKind:
    """What the class of a kind of agent offers to ``make_agent``.

    Attributes:
        Options: The schema of the options that may stand in the agent's word.
        net_use: Whether the word may, must or must not name a net.
    """

    Options: ClassVar[type[Section]]
    net_use: ClassVar[Literal["none", "optional", "required"]] = "none"

    @classmethod
    def defaults(cls, params: Params) -> Mapping[str, object]:
        """Return the options that the parameters of the run give other defaults."""
        return {}

    @classmethod
    def make(cls, request: AgentRequest) -> Agent:
        """Make the agent.

        Raises:
            AgentError: The options do not go together, or the net does not fit.
        """
        raise NotImplementedError


def agent_kind(kind: str) -> type[AgentKind]:
    """Return the class of a kind of agent; only this kind's modules are imported.

    Raises:
        AgentError: There is no such kind.
    """
    if kind not in AGENTS:
        near = nearest(kind, list(AGENTS))
        hint = f" (did you mean {near}?)" if near else ""
        raise AgentError(
            f"expected a kind of agent ({', '.join(AGENTS)}), got {excerpt(kind)}{hint}"
        )
    module, _, attribute = AGENTS[kind].partition(":")
    return cast(type[AgentKind], getattr(importlib.import_module(module), attribute))
