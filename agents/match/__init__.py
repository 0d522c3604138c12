"""One game, one series of games, and what their results say. Nothing here draws or learns."""

from agents.match.arena import Arena, ArenaGame, Contestant
from agents.match.arena_results import ArenaResults, ArenaRow, Effort, Pair
from agents.match.game import DRAW, GameRecord, play_game
from agents.match.observer import Observer
from agents.match.openings import Opening, iterate_openings, varied_openings
from agents.match.schedule import Seats, balanced_seats, round_robin
from agents.match.series import (
    SeriesResult,
    StartingPlayer,
    count_distinct,
    game_title,
    play_series,
    starting_players,
)
from agents.match.side_by_side import Held, StoppedError, announce, play_side_by_side
from agents.match.statistics import (
    CrossResults,
    cross_results,
    elo_intervals,
    elo_ratings,
    rank_correlation,
    wilson_interval,
)

__all__ = [
    "DRAW",
    "Arena",
    "ArenaGame",
    "ArenaResults",
    "ArenaRow",
    "Contestant",
    "CrossResults",
    "Effort",
    "GameRecord",
    "Held",
    "Observer",
    "Opening",
    "Pair",
    "Seats",
    "SeriesResult",
    "StartingPlayer",
    "StoppedError",
    "announce",
    "balanced_seats",
    "count_distinct",
    "cross_results",
    "elo_intervals",
    "elo_ratings",
    "game_title",
    "iterate_openings",
    "play_game",
    "play_series",
    "play_side_by_side",
    "rank_correlation",
    "round_robin",
    "starting_players",
    "varied_openings",
    "wilson_interval",
]
