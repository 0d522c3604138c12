"""The interface of agents, and their kinds by name. A new kind is one file and one line here."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

import mcts
from agents.spec import AgentError
from base.registry import Registry

if TYPE_CHECKING:
    from agents.options import AgentOptions
    from anet.evaluator import Evaluator
    from base.params.rl_section import ActionChoice
    from state_manager import State, StateManager

_COOLER = 3.0
"""A swap, and a first stone that may be swapped, are drawn at the temperature divided by this: then
on 5x5 and 6x6 the page's levels decide the swap right as often as they find a winning move, where
not every move wins (150 positions of games of *Club* on each)."""

_MOST_ANALYSED = 1_000_000
"""Simulations from a state after which an analysis searches no more, so that trees stay small."""

Seed = int | np.random.SeedSequence | np.random.Generator

AGENTS = Registry(
    "a kind of agent",
    {
        "random": "agents.random:RandomAgent",
        "human": "agents.human:HumanAgent",
        "anet": "agents.anet_agent:ANETAgent",
        "mcts": "agents.mcts_agent:MCTSAgent",
        "nrpa": "agents.mcts_agent:NRPAAgent",
        "exact": "agents.random:ExactAgent",
        "best": "agents.mcts_agent:MCTSAgent",
        "onnx": "agents.anet_agent:OnnxAgent",
        "engine": "agents.engine_agent:EngineAgent",
        "openspiel": "agents.open_spiel:OpenSpielAgent",
    },
    AgentError,
)


@dataclass(frozen=True)
class TakeBack:
    """A choice in place of an action: the last ``plies`` moves are taken back."""

    plies: int


@dataclass(frozen=True)
class Resign:
    """A choice in place of an action: the mover gives the game up."""


Decision = int | TakeBack | Resign


class HumanIO(NamedTuple):
    """Input and output for a human player."""

    ask: Callable[[str], str | TakeBack | Resign]  # shows a prompt; returns the line, or a choice
    show: Callable[[str], None]  # some lines of text
    show_board: Callable[[State], None] | None = None  # a state; as text if ``None``
    hint: str = ""  # sentences about other input
    name_of: Callable[[int], str] | None = None  # of a move; the game's if ``None``


class Agent:
    """Base class of all agents. Each has ``choose_action``, and its values for these fields."""

    Options: ClassVar[type[AgentOptions]]  # of a kind of agents, in the agent's word
    net_use: ClassVar[Literal["none", "optional", "required"]] = "none"  # of the word
    name = ""  # on displays and in records
    batches = False  # whether ``choose_actions`` is faster than several ``choose_action``
    net: Evaluator | None = None  # that evaluates positions; ``None`` without one
    search: mcts.MCTS | None = None  # holds the tree of the last move; ``None`` without one
    thought: mcts.Thought | None = None  # of its last move; ``None`` if unknown
    known_outcome = 0  # 1, 2 or 3 (draw) if its last move was chosen knowing this result
    simulations_run = 0  # or rollouts, of all searches so far; 0 without search
    search_seconds = 0.0  # their total time
    stopped: Callable[[], bool] = staticmethod(lambda: False)  # true stops a search; games set it

    def __init__(
        self,
        game: StateManager,
        net: Evaluator | None = None,
        options: Any = None,
        seed: Seed = 0,
        name: str = "",
        human_io: HumanIO | None = None,
    ) -> None:
        """Play ``game``; an ``AgentError`` if this kind cannot.

        ``options`` are an instance of ``Options``; ``None`` for the defaults. ``name`` is the kind
        if empty. ``human_io`` is ``None`` without a terminal.
        """
        self.name = name or type(self).__name__.removesuffix("Agent").lower()
        self.net = net
        self._game = game
        self._options: Any = options or self.Options()
        self._rng = np.random.default_rng(seed)
        self._human_io = human_io
        self._prepare()

    def _prepare(self) -> None:
        """Set up what this kind needs; called at the end of ``__init__``."""

    def choose_action(self, state: State) -> Decision:
        """Return a legal action in a state that is not final, or another choice."""
        raise NotImplementedError

    def limit_time(self, seconds: float) -> None:
        """Search for at most this time before each move from now on; for an agent that searches."""
        self._options = self._options.model_copy(update={"time_limit": seconds})
        self._prepare()

    @property
    def is_deterministic(self) -> bool:
        """Whether its moves depend on neither random numbers nor the clock."""
        return False

    @property
    def batch_key(self) -> Hashable:
        """Agents with equal keys may choose together; ``None``, as with a time limit: never."""
        return (type(self),)

    def choose_actions(self, agents: Sequence[Agent], states: Sequence[State]) -> list[int]:
        """Return the actions of agents with one batch key, as each would choose, up to rounding."""
        return [chosen_action(agent, state) for agent, state in zip(agents, states, strict=True)]

    def best_so_far(self, state: State) -> int | None:
        """Return the best move found so far in a state, if any; for any thread, at any time."""
        return None if self.search is None else self.search.best_so_far(state)

    def ponder(self, state: State, action: int) -> None:
        """After this action, search on until ``stopped``."""

    def expected_line(self, action: int) -> list[int]:
        """Return the moves that the agent expects, from ``action``, its last one, on."""
        if self.search is None or self.thought is None or not self.thought.is_search:
            return [action]
        return mcts.principal_variation(self.search.tree, action)

    def look(self, state: State) -> tuple[mcts.SearchResult, list[int]] | None:
        """Return what the last search, if any, knows of a later state, and the expected line."""
        if self.search is None or self.thought is None or not self.thought.is_search:
            return None
        result = self.search.look(state)
        if result.simulations == 0:
            return None
        return result, mcts.principal_variation(self.search.tree, result.best_action)

    def analyse(
        self, state: State, seconds: float, stopped: Callable[[], bool], most: int
    ) -> tuple[mcts.SearchResult, dict[int, list[int]]]:
        """Search on from a state that is not final, until a time limit or a true ``stopped``.

        Return all that is known, and the expected line of the best action and of the next ones by
        visits, at ``most`` that many. After a million simulations the search stops for good. An
        agent without a ``search`` raises an ``AgentError``.
        """
        if (search := self.search) is None:
            raise AgentError(f"{self.name}: expected an agent that searches, such as mcts")
        left = _MOST_ANALYSED - search.look(state).simulations
        if left > 0:
            search.search(state, left, time.perf_counter() + seconds, stopped)
        result = search.look(state)
        best, visits = int(result.best_action), result.visit_counts
        self.thought = result.thought(best)
        tried = sorted(np.flatnonzero(visits).tolist(), key=lambda action: -visits[action])
        first = [best, *(action for action in tried if action != best)][:most]
        return result, {each: mcts.principal_variation(search.tree, each) for each in first}

    def _choose(self, weights: NDArray[np.floating], actions: NDArray[np.int64]) -> int:
        """Return one of these actions; a swap is drawn first, against the likeliest other move."""
        how, swap = self._options, self._game.swap_action

        def chosen(some: NDArray[np.int64], temperature: float = how.temperature) -> int:
            return choose(weights, some, how.choice, how.epsilon, self._rng, temperature)

        if how.choice != "probabilistic" or len(actions) != swap:  # the swap is over
            return chosen(actions)
        cooler = how.temperature / _COOLER
        if actions[-1] != swap:  # the first stone
            return chosen(actions, cooler)
        cells = actions[:-1]
        both = np.array([cells[np.argmax(weights[cells])], swap])
        return swap if chosen(both, cooler) == swap else chosen(cells)


def choose(
    distribution: NDArray[np.floating],
    legal_actions: NDArray[np.int64],
    choice: ActionChoice,
    epsilon: float,
    rng: np.random.Generator,
    temperature: float = 1.0,
) -> int:
    """Return one of the legal actions, ascending, by weights `[A]` such as visit counts.

    ``greedy`` takes the largest weight, and the lowest action of a tie; it draws no random numbers.
    ``epsilon_greedy`` does the same, but with probability ``epsilon`` takes a uniformly random
    action; ``probabilistic`` draws by weight ** (1 / temperature), and is ``greedy`` at 0. A weight
    that is negative or not finite, or zeros only to draw from, are a ``ValueError``.
    """
    weights = np.asarray(distribution, np.float64)[legal_actions]
    if not (np.all(np.isfinite(weights)) and np.all(weights >= 0.0)):
        raise ValueError(f"expected finite weights of at least 0, got {weights.tolist()}")
    if choice == "probabilistic" and temperature > 0.0:
        if weights.max() == 0.0:
            raise ValueError("expected a legal action with a weight above 0, got none")
        from state_manager.draw import draw  # here, as Numba takes a while to load

        return int(legal_actions[draw(weights, len(weights), temperature, rng.random())])
    if choice == "epsilon_greedy" and rng.random() < epsilon:
        return int(rng.choice(legal_actions))
    return int(legal_actions[np.argmax(weights)])


class _Foreign(Agent):
    batch_key = None

    def __init__(self, choose: Callable[[State], Decision], name: str) -> None:
        self.name, self._chosen = name, choose

    def choose_action(self, state: State) -> Decision:
        return self._chosen(state)


def foreign(choose: Callable[[State], Decision], name: str = "") -> Agent:
    """Return an agent that chooses by a function of the state; its name is the function's."""
    return _Foreign(choose, name or choose.__name__)


def chosen_action(agent: Agent, state: State) -> int:
    """Return the action that an agent chooses; an ``AgentError`` if it makes another choice."""
    choice = agent.choose_action(state)
    if isinstance(choice, TakeBack | Resign):
        raise AgentError(f"{agent.name}: expected a move, got {type(choice).__name__.lower()}")
    return int(choice)


def agent_kind(kind: str) -> type[Agent]:
    """Return the class of a kind, and import only its modules; an ``AgentError`` without one."""
    return cast(type[Agent], AGENTS.find(kind))
