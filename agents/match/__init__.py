"""One game, one series of games, and what their results say. Nothing here draws or learns."""

from agents.match.arena import Arena, round_robin, seats
from agents.match.game import (
    DRAW,
    Effort,
    GameRecord,
    GameStoppedError,
    Observer,
    play_game,
    show_game,
)
from agents.match.openings import iterate_openings, varied_openings
from agents.match.results import Contestant, Pair, PlayedGame, Results, Row, Score
from agents.match.series import (
    PlannedGame,
    StartingPlayer,
    count_distinct,
    game_title,
    play_series,
    starting_players,
)
from agents.match.side_by_side import play_side_by_side
from agents.match.statistics import elo_ratings, rank_correlation, wilson_interval

__all__ = [
    "DRAW",
    "Arena",
    "Contestant",
    "Effort",
    "GameRecord",
    "GameStoppedError",
    "Observer",
    "Pair",
    "PlannedGame",
    "PlayedGame",
    "Results",
    "Row",
    "Score",
    "StartingPlayer",
    "count_distinct",
    "elo_ratings",
    "game_title",
    "iterate_openings",
    "play_game",
    "play_series",
    "play_side_by_side",
    "rank_correlation",
    "round_robin",
    "seats",
    "show_game",
    "starting_players",
    "varied_openings",
    "wilson_interval",
]
