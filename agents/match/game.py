"""One game between two agents, and who is told about it."""

from __future__ import annotations

import operator
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from threading import Event
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

from base.jit import make_ready
from state_manager.errors import GameError, IllegalActionError

if TYPE_CHECKING:
    from agents import Agent
    from mcts import Thought
    from state_manager import State, StateManager

DRAW = 3
"""The ``winner`` of a game that nobody won."""

_COUNTERS = ("simulations_run", "search_seconds")
"""What an agent that searches counts; see ``agents.agent.SearchAgent``."""


class GameStoppedError(Exception):
    """A game was ended before it was over."""


class Observer(Protocol):
    """Hears of every game, move by move; a display is one, and so is a recorder."""

    def on_game_start(self, title: str, players: tuple[str, str], state: State) -> None:
        """Hear that a game starts, from this state; an opening's moves follow as ordinary ones.

        ``title`` is such as "anet_00050 against anet_00200, game 3 of 50"; ``players`` are the
        names of player 1 and player 2, whoever starts.
        """

    def on_move(self, state: State, action: int, thought: Thought | None) -> None:
        """Hear of a move, the state after it, and what the mover thought, where that is known."""

    def on_game_over(self, state: State, winner: int) -> None:
        """Hear that the game is over; ``winner`` is 1 or 2, or 3 for a draw."""


class Effort(NamedTuple):
    """What an agent's moves took; other games were played at the same time.

    Attributes:
        seconds: How long it thought in all.
        simulations: Of its searches; 0 for an agent that does not search.
        search_seconds: How long the searches took.
    """

    moves: int = 0
    seconds: float = 0.0
    simulations: int = 0
    search_seconds: float = 0.0

    @classmethod
    def sum(cls, efforts: Iterable[Self]) -> Self:
        """Return several efforts in one."""
        return cls(*map(sum, zip(cls(), *efforts, strict=True)))

    @property
    def seconds_per_move(self) -> float | None:
        """Time for a move; ``None`` before the first."""
        return self.seconds / self.moves if self.moves else None

    @property
    def simulations_per_move(self) -> float | None:
        """How thorough it is; ``None`` for an agent that does not search."""
        return self.simulations / self.moves if self.simulations else None

    @property
    def simulations_per_second(self) -> float | None:
        """Speed while it searches; ``None`` for an agent that does not search."""
        return self.simulations / self.search_seconds if self.search_seconds else None

    def to_json(self) -> dict[str, Any]:
        """Return the effort as JSON data, with what follows from it."""
        rates = ("seconds_per_move", "simulations_per_move", "simulations_per_second")
        return {**self._asdict(), **{name: getattr(self, name) for name in rates}}


@dataclass(frozen=True)
class GameRecord:
    """A finished game: with the rules, all that is needed to play it again.

    Attributes:
        players: The names of player 1 and player 2.
        starting_player: Who made the first move, 1 or 2.
        opening: The actions that were laid down before the agents were asked.
        actions: All actions of both players in turn, the opening included.
        winner: 1 or 2, or 3 for a draw.
        efforts: What the moves of player 1 and of player 2 took; not kept in files.
        judged: After how many moves the exact judge of player 1, and of player 2, knew that its
            player wins; ``None`` if it never did, or was not asked. Not kept in files.
    """

    players: tuple[str, str]
    starting_player: int
    opening: tuple[int, ...]
    actions: tuple[int, ...]
    winner: int
    efforts: tuple[Effort, Effort] = field(default=(Effort(), Effort()), compare=False)
    judged: tuple[int | None, int | None] = field(default=(None, None), compare=False)

    def to_json(self) -> dict[str, Any]:
        """Return the record as JSON data."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.compare}


def play_game(
    game: StateManager,
    agents: tuple[Agent, Agent],
    starting_player: int = 1,
    opening: Sequence[int] = (),
    observers: Sequence[Observer] = (),
    title: str = "",
    stop: Event | None = None,
) -> GameRecord:
    """Play one game to its end.

    Args:
        game: The rules.
        agents: Player 1 and player 2.
        starting_player: Who makes the first move, 1 or 2.
        opening: Actions laid down first, by the two players in turn, without asking the agents.
        observers: Who is told of the start, of each move and of the end, in this order.
        title: What the observers are told is played.
        stop: Once another thread has set it, no agent is asked, and searches are stopped.

    Raises:
        GameStoppedError: The game was stopped.
        IllegalActionError: An agent or the opening broke the rules; the message says who.
    """
    make_ready(game.rules.legal_actions, game.rules.play)
    players = (agents[0].name, agents[1].name)
    state = game.initial_state(starting_player)
    efforts: tuple[list[Effort], list[Effort]] = ([], [])
    judged: list[int | None] = [None, None]
    for agent in agents:
        if stop is not None and hasattr(agent, "stopped"):
            agent.stopped = stop.is_set
    for observer in observers:
        observer.on_game_start(title, players, state)
    actions: list[int] = []
    while not game.is_final(state):
        if len(actions) < len(opening):
            chooser, thought = "opening", None
            action = opening[len(actions)]
        else:
            if stop is not None and stop.is_set():
                raise GameStoppedError
            player = game.to_play(state)
            agent = agents[player - 1]
            chooser = f"{players[player - 1]} (player {player})"
            action, effort = _ask(agent, state)
            efforts[player - 1].append(effort)
            thought = getattr(agent, "thought", None)
            if judged[player - 1] is None and thought and thought.outcome == player:
                judged[player - 1] = len(actions)
        state = _state_after(game, state, action, chooser)
        actions.append(int(action))
        for observer in observers:
            observer.on_move(state, actions[-1], thought)
    if len(actions) < len(opening):
        raise IllegalActionError(
            f"opening: expected at most {len(actions)} actions, because the game is then over,"
            f" got {list(opening)}"
        )
    winner = game.winner(state)
    for observer in observers:
        observer.on_game_over(state, winner)
    taken = Effort.sum(efforts[0]), Effort.sum(efforts[1])
    laid_down = tuple(map(int, opening))
    played = tuple(actions)
    decided = judged[0], judged[1]
    return GameRecord(players, starting_player, laid_down, played, winner, taken, decided)


def show_game(
    game: StateManager,
    record: GameRecord,
    observers: Sequence[Observer],
    title: str,
    thoughts: Mapping[int, Thought] = MappingProxyType({}),
) -> None:
    """Show observers a finished game, as if they had watched it, under this title.

    ``thoughts`` says what was thought before a move, by its ply, where that is known.
    """
    state = game.initial_state(record.starting_player)
    for observer in observers:
        observer.on_game_start(title, record.players, state)
    for ply, action in enumerate(record.actions):
        state = game.child_state(state, action)
        for observer in observers:
            observer.on_move(state, action, thoughts.get(ply))
    for observer in observers:
        observer.on_game_over(state, record.winner)


def _ask(agent: Agent, state: State) -> tuple[int, Effort]:
    """Return the action that an agent chooses, and what the choice took."""
    before = [getattr(agent, name, 0) for name in _COUNTERS]
    started = time.perf_counter()
    action = agent.choose_action(state)
    seconds = time.perf_counter() - started
    after = [getattr(agent, name, 0) for name in _COUNTERS]
    return action, Effort(1, seconds, *(b - a for a, b in zip(before, after, strict=True)))


def _state_after(game: StateManager, state: State, action: int, chooser: str) -> State:
    """Play the action, or raise an error that begins with the name of who chose it."""
    try:
        return game.child_state(state, operator.index(action))
    except TypeError:
        raise IllegalActionError(
            f"{chooser}: expected an action, a whole number, got {action!r}"
        ) from None
    except GameError as error:
        raise IllegalActionError(f"{chooser}: {error}") from error
