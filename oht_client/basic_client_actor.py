"""Our player in tournaments of the server's first generation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from oht_client.basic_client_actor_abs import BasicClientActorAbs
from oht_client.messages import SeriesStart

if TYPE_CHECKING:
    from oht_client.player import TournamentPlayer


class PlayerHooks:
    """The methods that the assignment has us fill in; none of them knows the game.

    Both generations have them, and name their arguments like this in the files that the course
    hands out: the first calls them by position, the second by name. They stand apart from the
    classes that connect, since there are two of each generation: ours, and the course's own, which
    ``official`` loads.

    Attributes:
        player: Who does the work.
    """

    def __init__(self, player: TournamentPlayer, *connection: Any, **options: Any) -> None:
        """Play as ``player``; the rest is that of the class that connects."""
        super().__init__(*connection, **options)
        self.player = player

    def handle_series_start(
        self,
        unique_id: int,
        series_id: int,
        player_map: Sequence[Sequence[int]],
        num_games: int,
        game_params: Sequence[int],
    ) -> None:
        """A series starts: several games between the same two players.

        Args:
            unique_id: Our number in the tournament's registry, the same in all tournaments.
            series_id: Which player we are throughout the series: 1 (red) spans the rows, 2 (black)
                spans the columns.
            player_map: (unique id, series id) of both players.
            num_games: Games in the series; the players take turns in starting them.
            game_params: Of Hex only the board's size K.
        """
        self.player.series_start(
            SeriesStart(unique_id, series_id, player_map, num_games, game_params)
        )

    def handle_game_start(self, start_player: int) -> None:
        """A game starts; player ``start_player``, 1 or 2, makes the first move."""
        self.player.game_start(start_player)

    def handle_get_action(self, state: Sequence[int]) -> tuple[int, int]:
        """Return the row and the column, from 0 to K - 1, where our next stone goes.

        Args:
            state: The player to move, which is us, then the K * K cells row by row: 0 empty, 1 or
                2 a stone of that player.
        """
        return self.player.get_action(state)

    def handle_game_over(self, winner: int, end_state: Sequence[int]) -> None:
        """Player ``winner``, 1 or 2, has won; the flat ``end_state`` has the winning stone."""
        self.player.game_over(winner, end_state)

    def handle_series_over(self, stats: Sequence[Sequence[int]]) -> None:
        """A series has ended; ``stats`` are (unique id, series id, wins, losses) of both."""
        self.player.series_over(stats)

    def handle_tournament_over(self, score: float) -> None:
        """The tournament has ended; we won ``score`` percent of its games, from 0 to 100."""
        self.player.tournament_over(score)

    def handle_illegal_action(self, state: Sequence[int], illegal_action: object) -> None:
        """We made a move that the rules forbid; the server ends the tournament.

        In the second generation it loses the game instead, and this is not called.

        Args:
            state: The flat state in which we made it.
            illegal_action: The move, as the server understood it.
        """
        self.player.illegal_action(state, illegal_action)


class BasicClientActor(PlayerHooks, BasicClientActorAbs):
    """The seven methods on our base: ``BasicClientActor(player).connect_to_server()`` plays."""
