"""Our player in tournaments of the server's first generation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from oht_client.basic_client_actor_abs import BasicClientActorAbs

if TYPE_CHECKING:
    from oht_client.player import Hooks


class SevenMethods:
    """The methods that the assignment has us fill in; no method knows the game.

    They stand apart from the class that connects, since there are two of it: ours, and the course's
    own, which ``official`` loads.

    Attributes:
        player: Who does the work.
    """

    player: Hooks

    def handle_series_start(
        self,
        unique_player_id: int,
        series_id: int,
        player_id_map: Sequence[Sequence[int]],
        num_games: int,
        game_params: Sequence[int],
    ) -> None:
        """A series starts: several games between the same two players.

        Args:
            unique_player_id: Our number in the tournament's registry, the same in all tournaments.
            series_id: Which player we are throughout the series: 1 (red) spans the rows, 2 (black)
                spans the columns.
            player_id_map: (unique id, series id) of both players.
            num_games: Games in the series; the players take turns in starting them.
            game_params: Of Hex only the board's size K.
        """
        self.player.series_start(unique_player_id, series_id, player_id_map, num_games, game_params)

    def handle_game_start(self, series_id: int) -> None:
        """A game starts.

        Args:
            series_id: The player who makes the first move, 1 or 2.
        """
        self.player.game_start(series_id)

    def handle_game_over(self, winner_series_id: int, final_state: Sequence[int]) -> None:
        """A game has ended.

        Args:
            winner_series_id: The winner, 1 or 2.
            final_state: The flat state with the winning stone on it.
        """
        self.player.game_over(winner_series_id, final_state)

    def handle_series_over(self, stats: Sequence[Sequence[int]]) -> None:
        """A series has ended.

        Args:
            stats: (unique id, series id, wins, losses) of both players, for this series.
        """
        self.player.series_over(stats)

    def handle_tournament_over(self, score: float) -> None:
        """The tournament has ended.

        Args:
            score: The percentage of games that we won, from 0 to 100.
        """
        self.player.tournament_over(score)

    def handle_illegal_action(self, state: Sequence[int], act: object) -> None:
        """We made a move that the rules forbid; the server ends the tournament.

        Args:
            state: The flat state in which we made it.
            act: The move, as the server understood it.
        """
        self.player.illegal_action(state, act)

    def handle_get_action(self, state: Sequence[int]) -> tuple[int, int]:
        """Return the row and the column, from 0 to K - 1, where our next stone goes.

        Args:
            state: The player to move, which is us, then the K * K cells row by row: 0 empty, 1 or
                2 a stone of that player.
        """
        return self.player.get_action(state)


class BasicClientActor(SevenMethods, BasicClientActorAbs):
    """The seven methods on our base."""

    def __init__(
        self,
        player: Hooks,
        IP_address: str | None = None,
        verbose: bool = True,
        **connection: Any,
    ) -> None:
        """Play as ``player``; the rest is that of ``BasicClientActorAbs``."""
        super().__init__(IP_address, verbose, **connection)
        self.player = player
