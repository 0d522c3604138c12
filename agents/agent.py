"""What an agent is, and the kinds of agents by name. A new kind is one file, and one line here."""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from agents.action_choice import choose
from agents.spec import AgentError
from base.registry import Registry

if TYPE_CHECKING:
    from anet import ANET
    from base.params import Params, Section
    from mcts import Thought
    from state_manager import State, StateManager

Seed = int | np.random.SeedSequence | np.random.Generator

AGENTS = Registry(
    "a kind of agent",
    {
        "random": "agents.random:RandomAgent",
        "human": "agents.human:HumanAgent",
        "anet": "agents.anet:ANETAgent",
        "mcts": "agents.mcts:MCTSAgent",
        "nrpa": "agents.nrpa:NRPAAgent",
        "exact": "agents.random:ExactAgent",
        "best": "agents.mcts:MCTSAgent",
        "engine": "agents.engine:EngineAgent",
        "openspiel": "agents.open_spiel:OpenSpielAgent",
    },
    AgentError,
)


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


class AgentKind(Agent):
    """What the kinds of agents share; each says how it chooses an action.

    Attributes:
        Options: The schema of the options that may stand in the agent's word.
        net_use: Whether the word may, must or must not name a net.
        batches: Whether a company is asked faster together than one after the other.
        thought: What it thought before its last move, if it can tell.
    """

    Options: ClassVar[type[Section]]
    net_use: ClassVar[Literal["none", "optional", "required"]] = "none"
    batches = False

    def __init__(
        self,
        game: StateManager,
        net: ANET | None = None,
        options: Any = None,
        seed: Seed = 0,
        name: str = "",
        human_io: HumanIO | None = None,
    ) -> None:
        """Play ``game``.

        Args:
            game: The rules.
            net: A net for this game; agents may share it, and it does not learn.
            options: An instance of ``Options``; ``None`` for the defaults.
            seed: Where all random numbers come from.
            name: What the agent is called; its kind if empty.
            human_io: How a human is spoken to, if that is possible.

        Raises:
            AgentError: The agent cannot play this game.
        """
        self.name = name or type(self).__name__.removesuffix("Agent").lower()
        self.thought: Thought | None = None
        self._game = game
        self._net = net
        self._options: Any = options or self.Options()
        self._rng = np.random.default_rng(seed)
        self._human_io = human_io
        self._prepare()

    def _prepare(self) -> None:
        """Make what the kind needs besides."""

    @classmethod
    def defaults(cls, params: Params) -> Mapping[str, object]:
        """Return the options that the parameters of the run give other defaults."""
        return {}

    @classmethod
    def settled(cls, options: Any, given: Container[str], net: ANET | None) -> Any:
        """Return the options of a word, ``given`` ones and defaults, as they are with its net.

        Raises:
            AgentError: They do not go together.
        """
        return options

    @property
    def net(self) -> ANET | None:
        """Whom it asks, if anybody."""
        return self._net

    @property
    def is_sure(self) -> bool:
        """Whether chance and the clock have no part in its moves."""
        return False

    @property
    def company(self) -> Hashable:
        """What is equal for agents who may be asked together; ``None`` if it wants to be alone.

        Games whose agents both have a company may be played together. Who has a clock, or needs
        much memory for each game, has none.
        """
        return type(self)

    def choose_actions(self, agents: Sequence[Agent], states: Sequence[State]) -> list[int]:
        """Return what agents of this one's company choose, each in the state of its own game.

        They choose what ``choose_action`` does, up to rounding, with random numbers of their own.
        """
        return [agent.choose_action(state) for agent, state in zip(agents, states, strict=True)]

    def _choose(self, weights: NDArray[np.floating], actions: NDArray[np.int64]) -> int:
        """Return one of some legal actions as the options about the choice say."""
        options = self._options
        choice, epsilon, temperature = options.choice, options.epsilon, options.temperature
        return choose(weights, actions, choice, epsilon, self._rng, temperature)


class SearchAgent(AgentKind):
    """Searches before each move.

    Attributes:
        simulations_run: Simulations, or rollouts, of all searches so far.
        search_seconds: How long they took together.
        stopped: Asked during a search whether to stop it; ``play_game`` sets it.
    """

    _search: Any
    """An ``MCTS`` or an ``NRPA``; ``_prepare`` makes it."""

    def _prepare(self) -> None:
        self.simulations_run = 0
        self.search_seconds = 0.0
        self.stopped: Callable[[], bool] = lambda: False

    @property
    def company(self) -> Hashable:
        """See ``AgentKind``."""
        return None

    def _searched(self, state: State, **how: Any) -> Any:
        """Return the result of a search from ``state``."""
        result = self._search.search(state, stopped=self.stopped, **how)
        self.simulations_run += result.simulations
        self.search_seconds += result.seconds
        return result

    def best_so_far(self, state: State) -> int | None:
        """Return the best move that is known in a state, even while it is being searched.

        ``None`` if nothing is known. Any thread may ask.
        """
        return cast(int | None, self._search.best_so_far(state))


def agent_kind(kind: str) -> type[AgentKind]:
    """Return the class of a kind of agent; only this kind's modules are imported.

    Raises:
        AgentError: There is no such kind.
    """
    return cast(type[AgentKind], AGENTS.find(kind))
