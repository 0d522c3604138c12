"""A tournament: a client's series against one opponent after the other, and the score."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from oht_client.server.series import play_series
from oht_client.server.sides import ClientSide, Side

if TYPE_CHECKING:
    from state_manager import StateManager


@dataclass(frozen=True)
class Standing:
    """A client's series, as it ended.

    Attributes:
        opponent: The other one's name.
        player: Who the client was, player 1 or 2.
        wins: Games that the client won.
        losses: Games that it lost.
    """

    opponent: str
    player: int
    wins: int
    losses: int


@dataclass(frozen=True)
class TournamentResult:
    """What a client is told at the end, and what is kept.

    Attributes:
        series: The series, in order.
        played: Games that came to their end.
        illegal_actions: Answers of the client that were no legal moves.
        left: Why the client's session ended before its time; empty if it did not.
    """

    series: tuple[Standing, ...]
    played: int
    illegal_actions: int
    left: str

    @classmethod
    def of(cls, client: ClientSide, series: Iterable[Standing], played: int) -> Self:
        """Return what came of a client's series."""
        return cls(tuple(series), played, client.illegal_actions, str(client.fault or ""))

    @property
    def games(self) -> int:
        """All games of the tournament."""
        return sum(standing.wins + standing.losses for standing in self.series)

    @property
    def wins(self) -> int:
        """Games that the client won."""
        return sum(standing.wins for standing in self.series)

    @property
    def score(self) -> float:
        """The percentage of games won, to two decimals."""
        return round(100 * self.wins / self.games, 2)

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON data."""
        return {
            "score": self.score,
            "games": self.games,
            "wins": self.wins,
            "illegal_actions": self.illegal_actions,
            "left": self.left,
            "series": [vars(standing) for standing in self.series],
        }


async def play_tournament(
    game: StateManager,
    client: ClientSide,
    opponents: Iterable[tuple[Side, int]],
    first_starter: int,
    on_series: Callable[[Standing], None],
) -> TournamentResult:
    """Play all series of a tournament; the client is not yet told its score.

    Args:
        game: The rules.
        client: Player 1 in the first series, player 2 in the second, and so on.
        opponents: Each with the number of games, at least 1, to play against it.
        first_starter: The player who starts the first game of each series.
        on_series: Called when a series is over.
    """
    standings: list[Standing] = []
    played = 0
    for number, (opponent, num_games) in enumerate(opponents):
        player = 1 + number % 2
        if client.listener is None:
            standing = Standing(opponent.name, player, 0, num_games)
        else:
            sides: tuple[Side, Side] = (client, opponent)
            result = await play_series(
                game, sides if player == 1 else sides[::-1], num_games, first_starter
            )
            standing = Standing(
                opponent.name, player, result.wins[player - 1], result.wins[2 - player]
            )
            played += result.played
            on_series(standing)
        standings.append(standing)
    return TournamentResult.of(client, standings, played)
