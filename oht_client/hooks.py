"""The methods of a client that the assignment has us fill in; none of them knows the game.

The names of their arguments are those of the files that the course hands out: the first generation
calls them by position, the second one by name.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from oht_client.flat import size_of
from oht_client.messages import SeriesStart

if TYPE_CHECKING:
    from oht_client.player import TournamentPlayer


class PlayerHooks:
    """Hands everything that happens on to a player.

    It stands apart from the classes that connect, since there are two of each generation: ours, and
    the course's own, which ``official`` loads.

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


class LoggingHooks:
    """What the second generation's client does unless it is overridden: any move, and a log.

    Attributes:
        logger: Where the hooks write.
    """

    logger: logging.Logger

    def get_random_action(self, state: Sequence[int]) -> tuple[int, int]:
        """Return the row and the column of any empty cell."""
        return random_cell(state, size_of(state))

    def handle_series_start(
        self,
        unique_id: int,
        series_id: int,
        player_map: Sequence[Sequence[int]],
        num_games: int,
        game_params: Sequence[int],
    ) -> None:
        """A series starts; see ``PlayerHooks`` for the meaning, here and below."""
        self.logger.info(
            "Series start: unique_id=%s series_id=%s player_map=%s num_games=%s, game_params=%s",
            *(unique_id, series_id, player_map, num_games, game_params),
        )

    def handle_game_start(self, start_player: int) -> None:
        """A game starts."""
        self.logger.info("Game start: start_player=%s", start_player)

    def handle_get_action(self, state: Sequence[int]) -> tuple[int, int]:
        """Return the row and the column of a move; any move unless overridden."""
        self.logger.info("Get action: state=%s", state)
        row, column = self.get_random_action(state)
        self.logger.info("Picked random: row=%s col=%s", row, column)
        return row, column

    def handle_game_over(self, winner: int, end_state: Sequence[int]) -> None:
        """A game has ended."""
        self.logger.info("Game over: winner=%s end_state=%s", winner, end_state)

    def handle_series_over(self, stats: Sequence[Sequence[int]]) -> None:
        """A series has ended."""
        self.logger.info("Series over: stats=%s", stats)

    def handle_tournament_over(self, score: float) -> None:
        """The tournament has ended."""
        self.logger.info("Tournament over: score=%s", score)


def random_cell(state: Sequence[int], size: int) -> tuple[int, int]:
    """Return the row and the column of any empty cell of a board of ``size`` a side."""
    return divmod(random.choice([i for i, cell in enumerate(state[1:]) if cell == 0]), size)
