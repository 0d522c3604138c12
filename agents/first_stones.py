"""The map of first stones: the chances of the first player of Hex after each, for the swap."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from state_manager import StateManager

MAPS = Path(__file__).resolve().parents[1] / "nets" / "first_stones.json"
"""For each size the percentages, row by row, and how they are known; as ``python -m
benchmarks.first_stones`` writes it."""


class FirstStones(NamedTuple):
    """The chances in percent by the cell of the first stone, `[k * k]` int64; swap from 50 on."""

    percent: NDArray[np.int64]
    known: str


def first_stones(game: StateManager, starter: int = 1) -> FirstStones | None:
    """Return the map of a board of Hex for the player who begins; ``None`` without one."""
    size = str(game.board_shape[0])
    if not game.has_hex_formats or size not in _maps():
        return None
    about = _maps()[size]
    rows = np.array([row.split() for row in about["percent"]], np.int64)
    return FirstStones((rows if starter == 1 else rows.T).reshape(-1), about["known"])


@lru_cache
def _maps() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(MAPS.read_text("utf-8"))
    return found
