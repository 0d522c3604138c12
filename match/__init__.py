"""One game, one series of games, and what their results say. Nothing here draws or learns."""

from match.game import DRAW, GameRecord, play_game
from match.observer import Observer
from match.openings import Opening, iterate_openings, varied_openings
from match.series import (
    SeriesResult,
    StartingPlayer,
    count_distinct,
    game_title,
    play_series,
    starting_players,
)
from match.statistics import elo_ratings, rank_correlation, wilson_interval

__all__ = [
    "DRAW",
    "GameRecord",
    "Observer",
    "Opening",
    "SeriesResult",
    "StartingPlayer",
    "count_distinct",
    "elo_ratings",
    "game_title",
    "iterate_openings",
    "play_game",
    "play_series",
    "rank_correlation",
    "starting_players",
    "varied_openings",
    "wilson_interval",
]
