"""Who is told about a game, and what is kept of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

if TYPE_CHECKING:
    from mcts import Thought
    from state_manager import State, StateManager

DRAW = 3
"""The ``winner`` of a game that nobody won."""


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
        seconds: How long it thought in all; of what was asked for several games, its share.
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
        state = state.copy()
        game.rules.play(state, action)  # it was checked when it was made
        for observer in observers:
            observer.on_move(state, action, thoughts.get(ply))
    for observer in observers:
        observer.on_game_over(state, record.winner)
