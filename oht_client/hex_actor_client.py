"""Our player in tournaments of the server's second generation, and in its league."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from oht_client.actor_client import ActorClient

if TYPE_CHECKING:
    from oht_client.player import Hooks


class SixHooks:
    """The hooks that the course's documentation has us override; no hook knows the game.

    They mean what the methods of ``BasicClientActor`` mean, but there is none for a refused move:
    in this generation it loses the game, and the tournament goes on. They stand apart from the
    class that connects, since there are two of it: ours, and the course's own.

    Attributes:
        player: Who does the work.
    """

    player: Hooks

    def handle_series_start(
        self,
        unique_id: int,
        series_id: int,
        player_map: Sequence[Sequence[int]],
        num_games: int,
        game_params: Sequence[int],
    ) -> None:
        """A series starts, in which we are player ``series_id``."""
        self.player.series_start(unique_id, series_id, player_map, num_games, game_params)

    def handle_game_start(self, start_player: int) -> None:
        """A game starts; player ``start_player`` moves first."""
        self.player.game_start(start_player)

    def handle_get_action(self, state: Sequence[int]) -> tuple[int, int]:
        """Return the row and the column of our move, in less than a second."""
        return self.player.get_action(state)

    def handle_game_over(self, winner: int, end_state: Sequence[int]) -> None:
        """A game has ended."""
        self.player.game_over(winner, end_state)

    def handle_series_over(self, stats: Sequence[Sequence[int]]) -> None:
        """A series has ended."""
        self.player.series_over(stats)

    def handle_tournament_over(self, score: float) -> None:
        """The tournament has ended."""
        self.player.tournament_over(score)


class HexActorClient(SixHooks, ActorClient):
    """The hooks on our client."""

    def __init__(self, player: Hooks, **connection: Any) -> None:
        """Play as ``player``; the rest is that of ``ActorClient``."""
        super().__init__(**connection)
        self.player = player
