"""Observers and records of games."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, Protocol, Self

from mcts import Thought
from state_manager import State, StateManager

_OPTIONAL = ("setup", "comments", "ending")


class Observer(Protocol):
    """Receives every game, move by move, such as a display; a subclass may leave methods out."""

    def on_game_start(self, title: str, players: tuple[str, str], state: State) -> None:
        """Receive the start of a game and the names of player 1 and player 2, in this order."""
        return

    def on_move(self, state: State, action: int, thought: Thought | None) -> None:
        """Receive a move, the state after it, and the mover's thought, if known."""
        return

    def on_take_back(self, state: State, plies: int) -> None:
        """Receive that the last moves are taken back, and the state now."""
        return

    def on_game_over(self, state: State, winner: int) -> None:
        """Receive the end of the game; ``winner`` is 1 or 2, or 3 for a draw."""
        return


class Effort(NamedTuple):
    """The cost of an agent's moves; other games may have run at the same time."""

    moves: int = 0
    seconds: float = 0.0  # in all; of calls for several games, the game's share
    simulations: int = 0  # of its searches; 0 for an agent without search
    search_seconds: float = 0.0  # of the searches

    @classmethod
    def sum(cls, efforts: Iterable[Self]) -> Self:
        """Return the sum of several efforts."""
        return cls(*map(sum, zip(cls(), *efforts, strict=True)))

    @property
    def seconds_per_move(self) -> float | None:
        """Seconds per move; ``None`` before the first."""
        return self.seconds / self.moves if self.moves else None

    @property
    def simulations_per_move(self) -> float | None:
        """Simulations per move; ``None`` for an agent without search."""
        return self.simulations / self.moves if self.simulations else None

    @property
    def simulations_per_second(self) -> float | None:
        """Search speed; ``None`` for an agent without search."""
        return self.simulations / self.search_seconds if self.search_seconds else None

    def to_json(self) -> dict[str, Any]:
        """Return the effort as JSON data, with the rates."""
        rates = ("seconds_per_move", "simulations_per_move", "simulations_per_second")
        return {**self._asdict(), **{name: getattr(self, name) for name in rates}}


@dataclass(frozen=True)
class GameRecord:
    """A finished game, complete enough to be replayed.

    ``judged`` are the moves after which each player's exact judge proved its win, if it did.
    Neither these nor the ``efforts`` of both players are kept in files.
    """

    players: tuple[str, str]  # the names of player 1 and player 2
    starting_player: int
    opening: tuple[int, ...]
    actions: tuple[int, ...]  # of both players in turn, the opening included
    winner: int  # 1 or 2, or 3 for a draw
    efforts: tuple[Effort, Effort] = field(default=(Effort(), Effort()), compare=False)
    judged: tuple[int | None, int | None] = field(default=(None, None), compare=False)
    setup: tuple[int, ...] = ()  # the cells of a position that was set up, `[C]`
    comments: tuple[str, ...] = ()  # on the first state and on the states after each action
    ending: str = ""  # as in SGF: ``R`` for a resignation, ``T`` for time, ``F`` for a forfeit

    def to_json(self) -> dict[str, Any]:
        """Return the record as JSON data; without optional fields that are empty."""
        kept = {each.name: getattr(self, each.name) for each in fields(self) if each.compare}
        return {name: value for name, value in kept.items() if value or name not in _OPTIONAL}


def show_game(
    game: StateManager, record: GameRecord, observers: Sequence[Observer], title: str
) -> None:
    """Show observers a finished game move by move, under this title."""
    state = game.initial_state(record.starting_player, record.setup)
    for observer in observers:
        observer.on_game_start(title, record.players, state)
    for action in record.actions:
        state = state.copy()
        game.rules.play(state, action)  # checked when it was made
        for observer in observers:
            observer.on_move(state, action, None)
    for observer in observers:
        observer.on_game_over(state, record.winner)
