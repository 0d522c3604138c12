"""What a net has learned, in numbers: its policy beside a search, and how that changes in a game.

Nothing here draws; ``display`` does, and ``commands/analyse.py`` brings both together.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from analysis.comparison import (
        Comparison,
        SearchSetup,
        compare_with_search,
        kind_of_search,
    )
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

_HOME = {
    "Comparison": "comparison",
    "DistributionStatistics": "distributions",
    "GameStatistics": "statistics",
    "Position": "positions",
    "SearchSetup": "comparison",
    "TemperatureEffect": "temperature",
    "analyze_distribution": "distributions",
    "apply_temperature": "distributions",
    "compare_with_search": "comparison",
    "game_statistics": "statistics",
    "kind_of_search": "comparison",
    "kl_divergence": "distributions",
    "sample_positions": "positions",
    "self_play": "positions",
    "temperature_effects": "temperature",
    "total_variation": "distributions",
}

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


def __getattr__(name: str) -> object:
    """Import on first use what brings kernels with it."""
    if name in _HOME:
        return getattr(importlib.import_module(f"analysis.{_HOME[name]}"), name)
    raise AttributeError(f"module 'analysis' has no attribute {name!r}")
