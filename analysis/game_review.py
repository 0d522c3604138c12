"""Reviews of games: the verdict after each move, and the cost of each move to its player.

The cost of a move is a loss of winning chances: the chances after the best move, less those after
the move made. Both positions have the same player to move, so a search's bias cancels out. Chances
are in percent, 50 (1 + value). Grades and accuracy are those of lichess
(https://lichess.org/page/accuracy; ``Advice.scala`` of lila), but its limits are half of these: its
values come from a stronger search.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from state_manager import DRAW, State, StateManager

CLEAR = 0.2
"""From this value on, an unproven position counts as winning for a player."""
_GRADES = (30.0, "blunder"), (20.0, "mistake"), (10.0, "inaccuracy")
"""The lowest cost of each grade, in percent."""
_COSTLIEST = 3


@dataclass(frozen=True)
class Verdict:
    """The evaluation of a state."""

    value: float  # in [-1, 1], seen from player 1
    exact: bool  # proven: 1, -1 or, for a draw, 0; other values are a search's estimate

    @property
    def winner(self) -> int:
        """The player that is winning, 1 or 2; 3 for a draw, or a search's value near 0."""
        if abs(self.value) < CLEAR:
            return DRAW
        return 1 if self.value > 0 else 2

    def for_player(self, player: int) -> float:
        """Return the value seen from a player."""
        return self.value if player == 1 else -self.value

    def chances(self, player: int) -> float:
        """Return a player's winning chances, in percent."""
        return 50.0 * (1.0 + self.for_player(player))


@dataclass(frozen=True)
class ReviewedMove:
    """A move of the game.

    ``searched`` is the search's verdict after the move, if ``after`` is exact and the alternative
    is not; else ``None``.
    """

    ply: int  # its number, from 1
    state: State  # `[S]` int8, the state before it
    action: int  # the move
    before: Verdict  # the verdict before it
    after: Verdict  # the verdict after it
    probability: float | None = None  # of this move in the net's policy; ``None`` without a net
    better: tuple[int, ...] = ()  # of a move with a cost: the best moves, as far as they were found
    line: tuple[int, ...] = ()  # of a move with a cost: its refutation, by both players' best moves
    alternative: Verdict | None = None  # after the best move; ``None`` if it equals ``before``
    searched: Verdict | None = None
    best: tuple[int, ...] = ()  # of a move with a cost: the best line in its place

    @property
    def player(self) -> int:
        """The player of the move."""
        return int(self.state[0])

    @property
    def could_have(self) -> Verdict:
        """The verdict after the best move."""
        return self.alternative or self.before

    @property
    def exact(self) -> bool:
        """Whether the cost is proven."""
        return self.could_have.exact and (self.searched or self.after).exact

    @property
    def loss(self) -> float:
        """The cost of the move: the mover's loss of winning chances, in percent, 0 to 100."""
        left = (self.searched or self.after).chances(self.player)
        return max(0.0, self.could_have.chances(self.player) - left)

    @property
    def grade(self) -> str:
        """The grade of a costly move; else empty."""
        return next((word for least, word in _GRADES if round(self.loss) >= least), "")

    @property
    def is_mistake(self) -> bool:
        """Whether the move should be taken back in teaching: a mistake or a blunder."""
        return self.grade in ("mistake", "blunder")

    @property
    def accuracy(self) -> float:
        """The accuracy in percent: 100 without cost; 64, 40 and 25 at the limits of the grades."""
        return min(100.0, max(0.0, 103.1668 * math.exp(-0.04354 * self.loss) - 3.1669))

    def to_json(self, game: StateManager) -> dict[str, Any]:
        """Return everything as JSON data, moves with their names."""

        def named(actions: Sequence[int]) -> list[dict[str, Any]]:
            return [{"action": each, "name": game.action_name(each)} for each in actions]

        def verdict(given: Verdict) -> dict[str, Any]:
            return {"winner": given.winner, "value": given.value, "exact": given.exact}

        return {
            "ply": self.ply,
            "player": self.player,
            **named([self.action])[0],
            "probability": self.probability,
            "before": verdict(self.before),
            "after": verdict(self.after),
            "alternative": None if self.alternative is None else verdict(self.alternative),
            "loss": self.loss,
            "grade": self.grade,
            "accuracy": self.accuracy,
            "exact": self.exact,
            "mistake": self.is_mistake,
            "better": named(self.better),
            "line": named(self.line),
            "best": named(self.best),
            "state": game.to_flat(self.state),
            "board": game.text(self.state).splitlines(),
        }


def costliest(moves: Sequence[ReviewedMove]) -> list[ReviewedMove]:
    """Return the costliest moves, at most three, worst first, without moves of no cost."""
    dear = [move for move in moves if move.loss > 0]
    return sorted(dear, key=lambda move: (-move.loss, not move.exact, -move.ply))[:_COSTLIEST]


def accuracy_of(moves: Sequence[ReviewedMove], player: int) -> float | None:
    """Return the mean accuracy of a player's moves, in percent; ``None`` without any."""
    found = [move.accuracy for move in moves if move.player == player]
    return sum(found) / len(found) if found else None
