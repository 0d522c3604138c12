"""What the second generation's client does unless a subclass does something else."""

from __future__ import annotations

import logging
import random
from collections.abc import Sequence

from oht_client.flat import size_of


class LoggingHooks:
    """Hooks that write a log and play any move.

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
        """A series starts; see ``BasicClientActor`` for the meaning, here and below."""
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
