"""Who meets whom, in which colours, and who starts."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple


class Seats(NamedTuple):
    """How the two sides of a series sit in one of its games.

    Attributes:
        first_is_player_1: Whether the first side has player 1's stones; else player 2's.
        starting_player: Who makes the first move, 1 or 2.
    """

    first_is_player_1: bool
    starting_player: int

    @property
    def first_starts(self) -> bool:
        """Whether the first side makes the first move."""
        return self.first_is_player_1 == (self.starting_player == 1)


def balanced_seats(games: int) -> tuple[Seats, ...]:
    """Return the seats of each game of a series.

    In each pair of games the sides change places altogether, so that both play both sides of the
    same opening; from pair to pair the colour that starts changes. At any moment of the series
    each side has had each colour, and has started, as often as the other, within one game.

    Args:
        games: Games of the series, any number.
    """
    return tuple(Seats(number % 2 == 0, 1 + number // 2 % 2) for number in range(games))


def round_robin(entrants: int) -> tuple[tuple[int, int], ...]:
    """Return the first and the second side of each series of a round robin.

    Everybody is the first side, who has the odd game of a series, as often as the second, within
    one series.
    """
    return tuple(
        (low, high) if (low + high) % 2 else (high, low)
        for low, high in combinations(range(entrants), 2)
    )
