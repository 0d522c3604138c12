"""Games, series of games, round robins and their statistics; without display or training."""

from agents.match.arena import Arena, WonStarts
from agents.match.game import GameStoppedError, play_game
from agents.match.game_record import Effort, GameRecord, Observer, show_game
from agents.match.scores import Contestant, Pair, Results, Row, Score, ScoredGame
from agents.match.series import (
    PlannedGame,
    StartingPlayer,
    count_distinct,
    game_title,
    play_series,
    play_side_by_side,
    starting_players,
)
from agents.match.statistics import rank_correlation, wilson_interval
