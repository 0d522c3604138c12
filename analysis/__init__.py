"""What a net has learned, in numbers: its policy beside a search, and how that changes in a game.

Nothing here draws; ``display`` does, and ``commands/analyse.py`` brings both together.
"""

from analysis.comparison import (
    Comparison,
    Position,
    SearchSetup,
    compare_with_search,
    kind_of_search,
    sample_positions,
    self_play,
)
from analysis.distributions import TemperatureEffect, apply_temperature, temperature_effects
from analysis.statistics import GameStatistics, game_statistics

__all__ = [
    "Comparison",
    "GameStatistics",
    "Position",
    "SearchSetup",
    "TemperatureEffect",
    "apply_temperature",
    "compare_with_search",
    "game_statistics",
    "kind_of_search",
    "sample_positions",
    "self_play",
    "temperature_effects",
]
