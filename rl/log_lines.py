"""The lines of ``metrics.jsonl`` and ``games.jsonl``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anet import TrainingMetrics
from base.params import Params
from rl import schedule
from rl.episode import Episode


def metrics_record(
    params: Params, episodes: Sequence[Episode], metrics: TrainingMetrics, cases: int
) -> dict[str, Any]:
    """Return one line of ``metrics.jsonl``, without the time.

    Args:
        params: The pivotal parameters.
        episodes: The episodes of the update.
        metrics: The metrics of the update.
        cases: Number of cases in the replay buffer.
    """
    last = episodes[-1].number
    searched = sum(episode.search_seconds for episode in episodes)
    record = {
        "episode": last,
        "loss": metrics.loss,
        "entropy": metrics.entropy,
        "accuracy": metrics.accuracy,
        "cases": cases,
        "plies": float(np.mean([len(episode.actions) for episode in episodes])),
        "rollout_epsilon": schedule.rollout_epsilon(params, last),
        "simulations_per_second": sum(e.simulations for e in episodes) / searched,
    }
    if metrics.value_loss is not None:
        record["value_loss"] = metrics.value_loss
        record["sigma"] = schedule.sigma(params, last)
    return record


def game_record(episode: Episode) -> dict[str, Any]:
    """Return one line of ``games.jsonl``."""
    return {
        "episode": episode.number,
        "starting_player": episode.starting_player,
        "actions": list(episode.actions),
        "winner": episode.winner,
    }
