"""The card of a stranger's net: what its ONNX file does not say about its inputs and outputs."""

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import field_validator

from base.params import Section
from base.words import one_of

Cells = NDArray[Any]
STATE = "state"  # the input of files by ``export``: the player to move, then the cells
PLANES: dict[str, Callable[[Cells, Cells], Cells]] = {
    "mover": lambda board, mover: board == mover,
    "opponent": lambda board, mover: board == 3 - mover,
    "numbers": lambda board, mover: board,
    "signed": lambda board, mover: np.where(board == mover, 1, -np.sign(board)),
    "player1": lambda board, mover: board == 1,
    "player2": lambda board, mover: board == 2,
    "empty": lambda board, mover: board == 0,
    "turn1": lambda board, mover: (board >= 0) & (mover == 1),
    "turn2": lambda board, mover: (board >= 0) & (mover == 2),
    "ones": lambda board, mover: board >= 0,
    "zeros": lambda board, mover: board < 0,
}
"""A plane `[B, N, N]` for boards `[B, N, N]` and players to move `[B, 1, 1]`."""
CONSTANT = frozenset({"turn1", "turn2", "ones", "zeros"})
"""Planes with one value: in a vector, each may be a single number before or after all others."""
_TWO = "mover_opponent"
_TRIED = {
    (1, 0): ["signed", "numbers"],
    (1, 1): [STATE, "numbers_ones", "ones_signed", "signed_ones"],
    (2, 0): [_TWO],
    (2, 1): [f"{_TWO}_ones", f"{_TWO}_zeros", f"ones_{_TWO}", f"zeros_{_TWO}"],
    (2, 2): [f"{_TWO}_ones_zeros", f"ones_zeros_{_TWO}"],
    (3, 0): [f"{_TWO}_empty", f"{_TWO}_ones", f"{_TWO}_zeros", f"empty_{_TWO}"],
}
"""The planes to try, by the numbers of planes and of single numbers. A plane with the player to
move is all ones or all zeros if the net is always shown the same player to move. The mover's pieces
are never tried as the opponent's: in Hex, the cell that wins at once for one player is the one that
the other must take.
"""


class Card(Section):
    """How a net sees a board of Hex, and what its outputs mean; ``None`` is found by trial.

    Attributes:
        planes: Names in ``PLANES`` with ``_`` between, in the order of the input; or ``STATE``.
        order: ``last`` if the planes of a cell are side by side, as in Keras; else plane by plane.
        joins: What the mover joins in boards that the net is right for; other boards are transposed
            and the colours exchanged.
        policy: The output with a number for each cell; the largest is found.
        seen_by: For whom the output of one number is 1 for a win and -1 for a loss.
    """

    planes: str | None = None
    order: Literal["first", "last"] | None = None
    joins: Literal["rows", "columns", "either"] | None = None
    policy: str | None = None
    seen_by: Literal["mover", "opponent", "player1", "player2", "none"] | None = None

    @field_validator("planes")
    @classmethod
    def _are_planes(cls, planes: str | None) -> str | None:
        if planes not in (None, STATE) and not set(planes.split("_")) <= set(PLANES):
            raise ValueError(f"expected {one_of(PLANES)}, or several as a_b, got {planes!r}")
        return planes

    def completed(self, other: Self) -> Self:
        """Return this card, with the other one's values where it has none."""
        given = self.model_dump(exclude_none=True)
        return self.model_copy(update=other.model_dump(exclude=set(given)))

    def layouts(self, shape: Sequence[int], size: int) -> list[Self]:
        """Return the cards to try for inputs of a shape, the usual ones first."""
        kind = divmod(math.prod(shape), size * size)
        orders: list[str | None] = [None, "last"]
        if self.order or kind[0] < 2:
            orders = [self.order]
        elif len(shape) == 3:
            fits = [*shape[1:]] == [size, size], [*shape[:2]] == [size, size]
            orders = [order for order, fit in zip(orders, fits, strict=True) if fit]
        sides = [self.joins] if self.joins else ["columns", "rows", "either"]
        every = [self.planes] if self.planes else _TRIED.get(kind, [])
        return [
            self.model_copy(update={"planes": planes, "order": order, "joins": joins})
            for planes in every
            for order in orders
            for joins in sides
        ]

    def inputs(self, boards: Cells, movers: Cells, shape: Sequence[int]) -> Cells:
        """Return the inputs `[B, *shape]` for boards `[B, N, N]` and movers `[B, 1, 1]`."""
        count, words = len(boards), (self.planes or "").split("_")
        if self.planes == STATE:
            return np.hstack([movers[:, 0], boards.reshape(count, -1)]).reshape(count, *shape)
        planes = [PLANES[word](boards, movers) for word in words]
        singles = CONSTANT if math.prod(shape) < len(words) * boards[0].size else frozenset()
        whole = [n for n, word in enumerate(words) if word not in singles]
        axis = -1 if self.order == "last" else 1
        parts = [each[:, 0, :1] for each in planes]
        parts[whole[0] : whole[-1] + 1] = [
            np.stack([planes[n] for n in whole], axis).reshape(count, -1)
        ]
        return np.hstack(parts).reshape(count, *shape)

    def fits(self, shape: Sequence[int], size: int) -> bool:
        """Return whether the planes, if any are given, are those of inputs of a shape."""
        if self.planes is None:
            return True
        words, cells, length = self.planes.split("_"), size * size, math.prod(shape)
        if self.planes == STATE:
            return list(shape) == [cells + 1]
        whole = [n for n, word in enumerate(words) if word not in CONSTANT]
        is_short = len(shape) == 1 and whole != [] and len(whole) == whole[-1] + 1 - whole[0]
        short = len(whole) * cells + len(words) - len(whole)
        return length == len(words) * cells or (is_short and length == short)

    def __str__(self) -> str:
        """Return the card as options of an agent's word."""
        return ",".join(f"{key}={word}" for key, word in self.model_dump(exclude_none=True).items())
