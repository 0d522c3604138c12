"""What a net has learned, in numbers: its policy beside a search, and how that changes in a game.

Nothing here draws; ``display`` does, and ``commands/analyse.py`` brings both together.
"""

from analysis.comparison import Comparison, SearchSetup, compare_with_search, kind_of_search
from analysis.distributions import (
    DistributionStatistics,
    analyze_distribution,
    apply_temperature,
    kl_divergence,
    total_variation,
)
from analysis.positions import Position, sample_positions, self_play
from analysis.statistics import GameStatistics, game_statistics
from analysis.temperature import TemperatureEffect, temperature_effects

__all__ = [
    "Comparison",
    "DistributionStatistics",
    "GameStatistics",
    "Position",
    "SearchSetup",
    "TemperatureEffect",
    "analyze_distribution",
    "apply_temperature",
    "compare_with_search",
    "game_statistics",
    "kind_of_search",
    "kl_divergence",
    "sample_positions",
    "self_play",
    "temperature_effects",
    "total_variation",
]
