"""A tournament: a client's series against one opponent after the other, and the score."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from oht_client.server.series import OnGame, SeriesResult, play_series
from oht_client.server.sides import ClientSide, Side

if TYPE_CHECKING:
    from state_manager import StateManager


@dataclass(frozen=True)
class Standing:
    """A client's series.

    Attributes:
        opponent: The other one's name.
        player: Who the client is, player 1 or 2.
        result: How it stands.
    """

    opponent: str
    player: int
    result: SeriesResult

    @property
    def wins(self) -> int:
        """Games that the client has won."""
        return self.result.wins[self.player - 1]

    @property
    def losses(self) -> int:
        """Games that it has lost."""
        return self.result.wins[2 - self.player]

    def to_json(self) -> dict[str, Any]:
        """Return the standing as JSON data."""
        return {
            "opponent": self.opponent,
            "player": self.player,
            "wins": self.wins,
            "losses": self.losses,
        }


@dataclass
class TournamentResult:
    """How a tournament stands, or ended: what a client is told at the end, and what is kept.

    Attributes:
        client: Who plays it.
        num_games: Games in all.
        series: The series so far, in order.
        stopped: Whether the server has ended it before its time.
    """

    client: ClientSide
    num_games: int
    series: list[Standing] = field(default_factory=list)
    stopped: bool = False

    @property
    def games(self) -> int:
        """Games that are won or lost so far."""
        return sum(standing.wins + standing.losses for standing in self.series)

    @property
    def wins(self) -> int:
        """Games that the client has won."""
        return sum(standing.wins for standing in self.series)

    @property
    def played(self) -> int:
        """Games that came to their end."""
        return sum(standing.result.played for standing in self.series)

    @property
    def left(self) -> str:
        """Why it ended before its time; empty if it did not."""
        return "the server was stopped" if self.stopped else str(self.client.fault or "")

    @property
    def score(self) -> float | None:
        """The percentage of games won, to two decimals; none if the server was stopped."""
        return None if self.stopped else round(100 * self.wins / self.games, 2)

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON data."""
        return {
            "score": self.score,
            "games": self.games,
            "played": self.played,
            "wins": self.wins,
            "illegal_actions": self.client.illegal_actions,
            "left": self.left,
            "series": [standing.to_json() for standing in self.series],
        }


async def play_tournament(
    game: StateManager,
    result: TournamentResult,
    opponents: Iterable[tuple[Side, int]],
    first_starter: int,
    on_series: Callable[[Standing], None],
    on_game: OnGame,
) -> None:
    """Play all series of a tournament; the client is not yet told its score.

    Args:
        game: The rules.
        result: A fresh one, which is kept up to date; its client is player 1 in the first series,
            player 2 in the second, and so on.
        opponents: Each with the number of games, at least 1, to play against it.
        first_starter: The player who starts the first game of each series.
        on_series: Called when a series is over.
        on_game: Called when a game is over.
    """
    client = result.client
    for number, (opponent, num_games) in enumerate(opponents):
        player = 1 + number % 2
        standing = Standing(opponent.name, player, SeriesResult())
        result.series.append(standing)
        if client.listener is None:
            standing.result.wins[2 - player] = num_games
        else:
            sides: tuple[Side, Side] = (client, opponent) if player == 1 else (opponent, client)
            await play_series(game, sides, num_games, first_starter, standing.result, on_game)
            on_series(standing)
