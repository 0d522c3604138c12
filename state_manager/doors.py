"""What somebody gave for a state, or for several."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def as_integers(values: ArrayLike) -> NDArray[Any] | None:
    """Return what somebody gave as an array of integers; ``None`` if it is something else."""
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return None  # lists of different lengths, for instance
    return array if array.dtype.kind in "iu" else None


def shape_of(given: NDArray[Any] | None) -> str:
    """Say of which shape an array is that should have another."""
    return "" if given is None else f"shape {given.shape}: "
