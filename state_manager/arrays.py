"""Conversion of states and flat forms to arrays of integers. Letters: B states, C cells."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from base.storage import excerpt
from state_manager.errors import StateError
from state_manager.rules import State


def as_integers(values: ArrayLike) -> NDArray[Any] | None:
    """Return values as an array of integers; ``None`` if they are not integers."""
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return None  # lists of different lengths, for instance
    return array if array.dtype.kind in "iu" else None


def checked_flat(flat: ArrayLike, length: int, board_shape: tuple[int, int], highest: int) -> State:
    """Return one flat form `[length]`, or several, as int8 `[B, length]`.

    ``length`` is 1 + C, and one more with the swap; ``highest`` is the highest number in a cell.

    Raises:
        StateError: About the first form with a wrong mover or cell.
    """
    rows, columns = board_shape
    given = as_integers(flat)
    if given is None or given.ndim not in (1, 2) or given.shape[-1] != length:
        swap = " and the swap" if length > 1 + rows * columns else ""
        raise StateError(
            f"expected {length} integers, the player to move and "
            f"{rows} x {columns} cells{swap}, got {excerpt(flat)}"
        )
    values = np.atleast_2d(given)
    wrong_cells = (values[:, 1:] < 0) | (values[:, 1:] > highest)
    wrong = wrong_cells.any(axis=1) | ((values[:, 0] != 1) & (values[:, 0] != 2))
    if not wrong.any():
        return np.array(values, np.int8)
    first = int(np.argmax(wrong))
    if values[first, 0] not in (1, 2):
        problem = f"player 1 or 2 to move, got {int(values[first, 0])}"
    else:
        cell = int(np.argmax(wrong_cells[first]))
        row, column = divmod(cell, columns)
        got = int(values[first, 1 + cell])
        problem = f"0 to {highest} in every cell, got {got} at ({row}, {column})"
    raise StateError(f"expected {problem} in {excerpt(values[first].tolist())}")
