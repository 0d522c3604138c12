"""Hexapawn (Gardner 1962): three white pawns against three black ones on a board of 3 x 3.

A pawn moves one cell forward if that is empty, or captures a piece diagonally before it. A player
wins by reaching the far row, by capturing all pawns, or if the opponent cannot move. White begins;
with perfect play black wins.

Layout of a state::

    0          the player to move, 1 (white) or 2 (black)
    1 .. 9     the cells, row by row from the top: 0 empty, 1 a white pawn, 2 a black one

White starts on row 2, at the bottom, and moves up; black starts on row 0 and moves down. The 28
actions have the numbers of the article on Hexapawn Zero, as far as its examples show. For each
colour the starting row comes before the middle one, and columns go from left to right:

=========  ==============================
actions    moves
=========  ==============================
0 .. 5     white forward
6 .. 11    black forward
12 .. 19   white captures, the left first
20 .. 27   black captures, the left first
=========  ==============================
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import ClassVar

import numpy as np
from numba import types

from base.jit import kernel
from base.storage import excerpt
from state_manager.errors import IllegalActionError, StateError
from state_manager.grid import GridGame, cell_name
from state_manager.rules import GOES_ON, STATE, Indices, Rules, State, active_features, rule
from state_manager.state_manager import Drawing

SIZE = 3
CELLS = SIZE * SIZE


def _moves(*sidesteps: int) -> Iterator[tuple[int, int]]:
    """Yield the cells (from, to) of white moves, then of black ones."""
    for forward, rows in ((-1, (2, 1)), (1, (0, 1))):
        for row in rows:
            for column in range(SIZE):
                for sidestep in sidesteps:
                    if 0 <= column + sidestep < SIZE:
                        target = (row + forward) * SIZE + column + sidestep
                        yield row * SIZE + column, target


MOVES = (*_moves(0), *_moves(-1, 1))
"""The cells (from, to) of each action."""
ACTIONS = {move: action for action, move in enumerate(MOVES)}
FROM, TO = np.array(MOVES).T.copy()
FIRST_CAPTURE = 12
ACTIONS_OF = np.array([[*range(6), *range(12, 20)], [*range(6, 12), *range(20, 28)]])
"""`[2, 14]`, the actions of white and of black."""
ACTIONS_EACH = 14


@kernel(types.boolean(STATE, types.int64), inner=True)
def is_legal(state: State, action: int) -> bool:
    """Return whether the mover may play an action of its colour."""
    player = int(state[0])
    target = 0 if action < FIRST_CAPTURE else 3 - player
    return int(state[1 + FROM[action]]) == player and int(state[1 + TO[action]]) == target


@rule
def legal_actions(state: State, actions_out: Indices) -> int:
    """List the mover's steps forward, then its captures."""
    player = int(state[0])
    count = 0
    for place in range(ACTIONS_EACH):
        action = ACTIONS_OF[player - 1, place]
        if is_legal(state, action):
            actions_out[count] = action
            count += 1
    return count


@kernel(types.boolean(STATE))
def can_move(state: State) -> bool:
    """Return whether the mover has a legal action; without pawns it has none."""
    player = int(state[0])
    place = 0
    while place < ACTIONS_EACH and not is_legal(state, ACTIONS_OF[player - 1, place]):
        place += 1
    return place < ACTIONS_EACH


@rule
def play(state: State, action: int) -> int:
    """Move a pawn."""
    player = int(state[0])
    state[0] = 3 - player
    state[1 + FROM[action]] = 0
    state[1 + TO[action]] = player
    far_row = 0 if player == 1 else SIZE - 1
    if TO[action] // SIZE == far_row or not can_move(state):
        return player
    return GOES_ON


class Hexapawn(GridGame):
    """Hexapawn; player 1 is white, player 2 black.

    The article's net has three copies of the input "white to move". Here it and its opposite come
    first, so that the colour swap is a permutation: ``[white, black to move, 9 white, 9 black]``.
    """

    name: ClassVar[str] = "hexapawn"
    rules = Rules(legal_actions, play, active_features)
    player_names = ("white", "black")
    drawing = Drawing(pieces=("W", "B"), rows_from_below=True)

    def __init__(self) -> None:
        """Manage Hexapawn."""
        super().__init__(SIZE, SIZE)
        self.num_actions = len(MOVES)
        # Each of six pawns can move once, to the middle row; the next step is a win.
        self.max_plies = 7

    def first_state(self) -> State:
        """Return the board with all pawns on their starting rows."""
        return np.array((0, 2, 2, 2, 0, 0, 0, 1, 1, 1), np.int8)

    def _set_up(self, flat: State) -> State:
        """Accept at most three pawns of each colour."""
        for player, name in enumerate(self.player_names, start=1):
            pawns = np.sum(flat[:, 1:] == player, axis=1)
            for row in np.flatnonzero(pawns > SIZE)[:1]:
                got = f"{pawns[row]} in {excerpt(flat[row].tolist())}"
                raise StateError(f"expected {SIZE} {name} pawns at most, got {got}")
        return flat

    def winner(self, state: State) -> int:
        """Return the player on its far row, or whose opponent cannot move, else 0."""
        state = self.checked(state)
        far_rows = (state[1 : 1 + SIZE], state[-SIZE:])
        arrived = [player for player, row in enumerate(far_rows, start=1) if player in row]
        stuck = GOES_ON if can_move(state) else 3 - int(state[0])
        return self._one_winner(arrived, state) or stuck

    def landing_cell(self, state: State, action: int) -> int | None:
        """Return the cell to which the pawn has moved."""
        return MOVES[action][1]

    def action_name(self, action: int) -> str:
        """Return ``(2, 0) to (1, 1)``: cells as row and column, counted from 0 at the top left."""
        start, target = MOVES[action]
        return f"{cell_name(start, SIZE)} to {cell_name(target, SIZE)}"

    def parse_action(self, text: str) -> int:
        """Read two cells such as ``(2, 0) to (1, 1)`` or ``2 0 1 1``; as in chess, ``a1-b2``."""
        words = text.strip().lower()
        by_letters = re.fullmatch(r"([abc]\s*[123])\s*(?:-|x|to|)\s*([abc]\s*[123])", words)
        pair = r"(\(?\s*\d[\s,]+\d\s*\)?)"
        found = by_letters or re.fullmatch(rf"{pair}\s*(?:-|x|to|[\s,])\s*{pair}", words)
        with suppress(IllegalActionError, KeyError):
            if found:
                cells = [re.sub(r"(?<=[abc])\s+", "", cell) for cell in found.groups()]
                start, target = map(super().parse_action, cells)
                return ACTIONS[start, target]
        raise IllegalActionError(
            f"expected where a pawn stands and where it goes, rows and columns from 0 to "
            f"{SIZE - 1}, such as '(2, 0) to (1, 0)', or as in chess 'a1-a2', got {excerpt(text)}"
        )

    def turned_boards(self) -> list[tuple[Indices, bool]]:
        """Return the mirror image; the board upside down with the colours swapped; and both."""
        return [(self.grid[:, ::-1], False), (self.grid[::-1], True), (self.grid[::-1, ::-1], True)]

    def moved_actions(self, cells: Indices) -> Indices:
        """Return the image of each action: the action between the images of its two cells."""
        return np.array([ACTIONS[int(cells[start]), int(cells[to])] for start, to in MOVES])
