"""The sides of a game: outcomes that a player can hold from the start or after a first move."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

from state_manager import DRAW, State, StateManager


@dataclass(frozen=True)
class Side:
    """A position, and the outcome that a player can hold there.

    Attributes:
        opening: The actions that lead there, player 1 beginning; none for the empty board.
        player: 1 or 2.
        held: The outcomes at least as good for the player as best play.
    """

    opening: tuple[int, ...]
    player: int
    held: tuple[int, ...]


def sides_of(game: StateManager, outcome_of: Callable[[State], int]) -> list[Side]:
    """Return the sides of a game: of the empty board, and after each first move.

    ``outcome_of`` returns the outcome of a state with best play: 1, 2 or 3 (draw).
    """
    empty = game.initial_state(1)
    positions: list[tuple[tuple[int, ...], State]] = [((), empty)]
    positions += [((action,), child) for action, child in game.children(empty)]
    return [
        Side(opening, player, tuple(sorted({player, outcome})))
        for opening, state in positions
        if not game.is_final(state)
        for outcome in (outcome_of(state),)
        for player in (1, 2)
        if outcome in (player, DRAW)
    ]


def alike(sides: Sequence[Side]) -> list[list[Side]]:
    """Return sides in groups, each for one ``Proof``: equal ply, player and ``held``."""
    groups: dict[tuple[int, int, tuple[int, ...]], list[Side]] = {}
    for side in sides:
        groups.setdefault((len(side.opening), side.player, side.held), []).append(side)
    return list(groups.values())


def after(game: StateManager, opening: Sequence[int]) -> State:
    """Return the state after an opening."""
    return reduce(game.child_state, opening, game.initial_state(1))
