"""Analyses of nets and games: a net's policy compared with a search, and reviews of games.

This room computes; ``display`` draws, and ``commands/analyse.py`` uses both.
"""

from analysis.comparison import (
    ROLLOUT_EPSILON,
    ComparedPosition,
    Comparison,
    TemperatureEffect,
    compare_with_search,
    kind_of_search,
    sample_positions,
    self_play,
    temperature_effects,
)
from analysis.distributions import apply_temperature
from analysis.game_review import ReviewedMove, Verdict, accuracy_of, costliest
from analysis.game_statistics import GameStatistics, game_statistics
from analysis.reviewer import Known, Reviewer
