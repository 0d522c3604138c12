"""The card of a stranger's net: what its ONNX file does not say about its inputs and outputs."""

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import field_validator

from base.params import Section
from base.words import one_of

Cells = NDArray[Any]
STATE = "state"
"""The input of files by ``export``: the player to move, then the cells."""
PLANES: dict[str, Callable[[Cells, Cells], Cells]] = {
    "mover": lambda board, mover: board == mover,
    "opponent": lambda board, mover: board == 3 - mover,
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
_THIRD = "empty", "ones", "zeros"
_TRIED = {1: ["signed"], 2: ["mover_opponent"], 3: [f"mover_opponent_{each}" for each in _THIRD]}
"""The planes to try, by their number. A plane with the player to move is all ones or all zeros if
the net is always shown the same player to move. The mover's pieces are never tried as the
opponent's: in Hex, the cell that wins at once for one player is the one that the other must take.
"""


class Card(Section):
    """How a net sees a board of Hex, and what its outputs mean; ``None`` is found by trial.

    Attributes:
        planes: Names in ``PLANES`` with ``_`` between, in the order of the input; or ``STATE``.
        joins: What the mover joins in boards that the net is right for; other boards are transposed
            and the colours exchanged.
        policy: The output with a number for each cell; the largest is found.
        seen_by: For whom the output of one number is 1 for a win and -1 for a loss.
    """

    planes: str | None = None
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

    def layouts(self, count: int) -> list[Self]:
        """Return the cards to try for an input of ``count`` planes, the usual ones first."""
        sides = [self.joins] if self.joins else ["columns", "rows", "either"]
        every = [self.planes] if self.planes else _TRIED.get(count, [])
        pairs = [{"planes": planes, "joins": joins} for planes in every for joins in sides]
        return [self.model_copy(update=pair) for pair in pairs]

    def __str__(self) -> str:
        """Return the card as options of an agent's word."""
        return ",".join(f"{key}={word}" for key, word in self.model_dump(exclude_none=True).items())
