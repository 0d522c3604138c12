"""Analyses of nets and games: a net's policy compared with a search, and reviews of games.

This room computes; ``display`` draws, and ``commands/analyse.py`` uses both.
"""

from analysis.comparison import Comparison as Comparison
from analysis.comparison import Position as Position
from analysis.comparison import SearchSetup as SearchSetup
from analysis.comparison import compare_with_search as compare_with_search
from analysis.comparison import kind_of_search as kind_of_search
from analysis.comparison import sample_positions as sample_positions
from analysis.comparison import self_play as self_play
from analysis.distributions import TemperatureEffect as TemperatureEffect
from analysis.distributions import apply_temperature as apply_temperature
from analysis.distributions import temperature_effects as temperature_effects
from analysis.game_review import ReviewedMove as ReviewedMove
from analysis.game_review import Reviewer as Reviewer
from analysis.game_review import Verdict as Verdict
from analysis.game_review import accuracy_of as accuracy_of
from analysis.game_review import costliest as costliest
from analysis.game_statistics import GameStatistics as GameStatistics
from analysis.game_statistics import game_statistics as game_statistics
