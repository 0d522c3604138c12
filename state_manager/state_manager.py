"""``StateManager``: the interface of every game, in plain Python.

These methods check their arguments, and pass contiguous int8 to the compiled rules.
Letters: S length of a state, A actions, F features, B states.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property, partial
from string import ascii_lowercase
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from base.jit import direct
from base.params import Section
from base.storage import excerpt
from state_manager.errors import IllegalActionError, StateError, TwoWinnersError
from state_manager.rules import GOES_ON, Indices, Rules, State, Symmetry, mark_features, mark_legal

_CELL = re.compile(r"\((\d+), (\d+)\)")


def as_integers(values: ArrayLike) -> NDArray[Any] | None:
    """Return values as an array of integers; ``None`` if they are not integers."""
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return None  # lists of different lengths, for instance
    return array if array.dtype.kind in "iu" else None


class Drawing(NamedTuple):
    """A game's board on displays: its drawing, and the names of its pieces and sides."""

    # A diamond of hexagons, a heap (only the number of stones counts), coins on a ledge, or a plain
    # grid.
    kind: Literal["diamond", "heap", "ledge", "grid"] = "grid"
    pieces: tuple[str, str] = ("1", "2")  # the letter of each player's piece on a text board
    sides: tuple[str, str] = ("", "")  # those that players join, in words, in connection games
    rows_from_below: bool = False  # whether a1 is in the last row, as in chess

    @property
    def is_hexagonal(self) -> bool:
        """Whether cells are hexagons, on a square board drawn as a diamond."""
        return self.kind == "diamond"

    @property
    def has_board(self) -> bool:
        """Whether the cells are drawn in rows and columns, else as one row of pieces."""
        return self.kind in ("diamond", "grid")


class StateManager(ABC):
    """The logic of one game: initial and child states, legal actions, final states, winners."""

    name: ClassVar[str]  # in the registry
    Params: ClassVar[type[Section]] = Section  # the schema of its parameters
    rules: Rules
    num_actions: int  # A, the number of all actions; the length of the net's output
    num_features: int  # F, the length of the net's binary input
    state_length: int  # S
    board_shape: tuple[int, int]  # rows and columns of the board
    max_plies: int  # the length of the longest game
    # The owners of the first row, the last row, the first column and the last column: a player, or
    # 0 for neither.
    edge_owners: tuple[int, int, int, int] = (0, 0, 0, 0)
    may_be_drawn: bool = False  # whether draws are possible
    # Whether the features after the mover's are the pieces of player 1, cell by cell, then those of
    # player 2; with the swap one more, whether it is legal.
    has_piece_planes: bool = False
    only_adds: bool = False  # whether action a only puts a piece of the mover on cell a
    # The last action, by which the second move of a game may take over the first one; ``None``
    # without this rule.
    swap_action: int | None = None
    player_names: tuple[str, str] = ("player 1", "player 2")  # or the colours of their pieces
    drawing: Drawing = Drawing()
    highest_cell: int = 2  # the highest number in a cell
    # Whether it is the Hex of other programs: of SGF (GM[11]), the Hex Text Protocol and HexWorld,
    # and of the rules in the exported page and in ``--check``.
    has_hex_formats: bool = False

    @property
    def params(self) -> dict[str, object]:
        """The parameters from which ``make_game`` builds this game again.

        A rule that is off, ``False``, is left out: the game is the one that never had it.
        """
        values = {key: getattr(self, key) for key in self.Params.model_fields}
        known = {key: value for key, value in values.items() if value is not False}
        return {key: list(v) if isinstance(v, tuple) else v for key, v in known.items()}

    @property
    def flat_length(self) -> int:
        """The length of a flat form: the mover, the cells and, with the swap, its number."""
        return 1 + math.prod(self.board_shape) + (self.swap_action is not None)

    @property
    def without_swap(self) -> StateManager:
        """The same game without the swap."""
        return self

    def states_without_swap(self, states: State) -> State:
        """Return states, `[S]` or `[B, S]`, as those of ``without_swap``."""
        return states

    def initial_state(self, starting_player: int = 1, cells: Sequence[int] = ()) -> State:
        """Return the state before the first move, `[S]` int8.

        ``cells``, `[C]`, are those of a position that was set up, with any numbers of pieces; then
        the swap is over.

        Raises:
            StateError: If the starting player is not 1 or 2, or a cell is wrong.
        """
        if starting_player not in (1, 2):
            raise StateError(f"expected starting player 1 or 2, got {excerpt(starting_player)}")
        if any(cells):
            swap = (0,) * (self.swap_action is not None)
            return self.from_flat([starting_player, *cells, *swap])
        state = self.first_state()
        state[0] = starting_player
        return state

    def first_state(self) -> State:
        """Return the initial state, `[S]` int8; the caller sets the player to move."""
        return np.zeros(self.state_length, np.int8)

    @abstractmethod
    def winner(self, state: State) -> int:
        """Return 1 or 2 for a winner, 3 for a draw, else 0; or raise a ``StateError``."""

    def from_flat(self, flat: ArrayLike) -> State:
        """Return the state of a flat form, the first ``flat_length`` numbers of a state.

        `[1 + C]` gives `[S]`, `[B, 1 + C]` gives `[B, S]`; with the swap, it has one number more.

        Raises:
            StateError: If a flat form has a wrong length or wrong values.
        """
        states = self._set_up(self._checked_flat(flat))
        return states if np.ndim(flat) == 2 else states[0]

    def _checked_flat(self, flat: ArrayLike) -> State:
        """Return one flat form, or several, as int8 `[B, 1 + C]`, with the swap `[B, 2 + C]`.

        A ``StateError`` is about the first form with a wrong mover or cell.
        """
        length, highest, (rows, columns) = self.flat_length, self.highest_cell, self.board_shape
        given = as_integers(flat)
        if given is None or given.ndim not in (1, 2) or given.shape[-1] != length:
            swap = "" if self.swap_action is None else " and the swap"
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

    @abstractmethod
    def _set_up(self, flat: State) -> State:
        """Return the states of checked flat forms: `[B, 1 + C]` to `[B, S]` int8."""

    def winners(self, states: State) -> State:
        """Return ``winner`` for many checked states: `[B, S]` to `[B]`."""
        return np.array([self.winner(state) for state in states], np.int8)

    @abstractmethod
    def action_name(self, action: int) -> str:
        """Return an action in the words of the game, such as ``(2, 3)`` or ``take 2``."""

    def move_name(self, action: int) -> str:
        """Return ``action_name`` with a letter and a number for each cell, such as ``c2``.

        ``a1`` is at the top left, or as in chess where the game counts its rows from below.
        """

        def lettered(cell: re.Match[str]) -> str:
            row, column = int(cell[1]), int(cell[2])
            number = self.board_shape[0] - row if self.drawing.rows_from_below else 1 + row
            return f"{ascii_lowercase[column]}{number}"

        return _CELL.sub(lettered, self.action_name(action))

    @abstractmethod
    def parse_action(self, text: str) -> int:
        """Return the action that a text names, legal or not; else an ``IllegalActionError``."""

    @abstractmethod
    def text(self, state: State) -> str:
        """Return the board as a few lines of text."""

    @cached_property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """All symmetries but the identity; by default the swap of players, for neutral pieces."""
        features = np.array([1, 0, *range(2, self.num_features)])
        return (Symmetry(features, np.arange(self.num_actions), swaps_players=True),)

    @cached_property
    def colour_swap(self) -> Symmetry | None:
        """The first symmetry that swaps the players, if any."""
        return next((each for each in self.symmetries if each.swaps_players), None)

    def to_flat(self, state: State) -> list[int]:
        """Return the first ``flat_length`` numbers of a state, as Python integers."""
        return list(self.checked(state)[: self.flat_length].tolist())

    def to_play(self, state: State) -> int:
        """Return the player to move, 1 or 2; in a final state, the player next in turn."""
        return int(self.checked(state)[0])

    def is_final(self, state: State) -> bool:
        """Return whether the game is over."""
        return self.winner(state) != GOES_ON

    def legal_actions(self, state: State) -> Indices:
        """Return the legal actions, ascending, int64; none in a final state."""
        state = self.checked(state)
        if self.is_final(state):
            return np.empty(0, np.int64)
        actions = np.empty(self.num_actions, np.int64)
        return actions[: self.rules.legal_actions(state, actions)]

    def child_state(self, state: State, action: int | str) -> State:
        """Return the state after an action or its name; an ``IllegalActionError`` has the board."""
        state = self.checked(state)
        if isinstance(action, str):
            with suppress(IllegalActionError):  # the message below shows the board
                action = self.parse_action(action)
        if not isinstance(action, int | np.integer) or action not in self.legal_actions(state):
            raise IllegalActionError(self._why_illegal(state, action))
        child = state.copy()
        self.rules.play(child, int(action))
        return child

    def children(self, state: State) -> list[tuple[int, State]]:
        """Return each legal action with the state after it."""
        return [(int(a), self.child_state(state, int(a))) for a in self.legal_actions(state)]

    def observation(self, state: State) -> NDArray[np.float32]:
        """Return the net's input for one state, `[F]` float32 of zeros and ones."""
        return self.observations(self.checked(state)[np.newaxis])[0]

    def observations(self, states: ArrayLike) -> NDArray[np.float32]:
        """Return the net's input for many states: `[B, S]` to `[B, F]`."""
        states = self._checked_batch(states)
        features = np.zeros((len(states), self.num_features), np.float32)
        mark_features(self.rules, states, features, np.empty(self.num_features, np.int64))
        return features

    def legal_mask(self, states: ArrayLike) -> NDArray[np.bool_]:
        """Return which actions are legal in states that are not final: `[B, S]` to `[B, A]`."""
        states = self._checked_batch(states)
        mask = np.zeros((len(states), self.num_actions), np.bool_)
        actions = np.empty(self.num_actions, np.int64)
        direct(mark_legal)(self.rules.legal_actions, states, mask, actions)
        return mask

    def winning_path(self, state: State) -> list[int]:
        """Return the cells of a shortest winning chain or a winning line; by default, none."""
        return []

    def landing_cell(self, state: State, action: int) -> int | None:
        """Return the cell of the piece moved by ``action``, the last before ``state``, if any."""
        return None

    def checked(self, state: ArrayLike) -> State:
        """Return ``state`` as contiguous, writable int8; a ``StateError`` if it is not valid."""
        given = self._integers(state, dimensions=1)
        checked = np.ascontiguousarray(given, np.int8)
        if given[0] not in (1, 2):
            problem = f"expected player 1 or 2 to move, got {int(given[0])} in"
        # As unsigned bytes, negative numbers are large: one comparison checks both bounds.
        elif np.max(checked[1 : self.flat_length].view(np.uint8)) > 2 or (
            given.dtype != np.int8 and not np.array_equal(given, checked)
        ):
            problem = "expected 0, 1 or 2 in every cell, got"
        else:
            # Kernels are compiled for writable arrays.
            return checked if checked.flags.writeable else checked.copy()
        raise StateError(f"{problem}\n{self.text(given)}")

    def checked_batch(self, states: ArrayLike) -> State:
        """Return states as contiguous int8 `[B, S]`; see ``checked``."""
        given = self._integers(states, dimensions=2)
        batch = self._checked_batch(given)
        cells = batch[:, 1 : self.flat_length].view(np.uint8)
        wrong = (cells.max(axis=1, initial=0) > 2) | ((batch[:, 0] != 1) & (batch[:, 0] != 2))
        if given.dtype != np.int8:
            wrong |= (given != batch).any(axis=1)
        if wrong.any():
            self.checked(given[np.argmax(wrong)])
        return batch

    def _checked_batch(self, states: ArrayLike) -> State:
        """Return states of any content as contiguous int8 `[B, S]`."""
        return np.require(self._integers(states, dimensions=2), np.int8, ["C", "W"])

    def _integers(self, states: ArrayLike, dimensions: int) -> NDArray[Any]:
        """Return one state (`[S]`) or several (`[B, S]`) as integers; the values are unchecked."""
        given = as_integers(states)
        if given is None or given.ndim != dimensions or given.shape[-1] != self.state_length:
            what = f"a {self.name} state" if dimensions == 1 else f"{self.name} states"
            shape = "" if given is None else f"shape {given.shape}: "
            raise StateError(
                f"expected {what} of {self.state_length} integers, got {shape}{excerpt(states)}"
            )
        return given

    def _one_winner(self, winners: Sequence[int], state: State) -> int:
        """Return the winner, or 0 without one; two winners raise ``TwoWinnersError``."""
        if len(winners) > 1:
            raise TwoWinnersError(f"expected one winner at most, got both in\n{self.text(state)}")
        return winners[0] if winners else GOES_ON

    def _why_illegal(self, state: State, action: int | str) -> str:
        if self.is_final(state):
            return f"expected a game that goes on, this one is over:\n{self.text(state)}"
        if isinstance(action, int | np.integer) and 0 <= action < self.num_actions:
            named = f"{self.action_name(int(action))} by player {int(state[0])}"
            return f"expected a legal action, got {named} in\n{self.text(state)}"
        return (
            f"expected an action from 0 to {self.num_actions - 1}, got {excerpt(action)} in\n"
            f"{self.text(state)}"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the class and its parameters; another process builds the game again."""
        return partial(
            type(self), **{key: getattr(self, key) for key in self.Params.model_fields}
        ), ()

    def __eq__(self, other: object) -> bool:
        """Return whether both manage the same game with the same parameters."""
        if not isinstance(other, StateManager):
            return NotImplemented
        return (self.name, self.params) == (other.name, other.params)

    def __hash__(self) -> int:
        """Hash the name; games of one name are few."""
        return hash(self.name)

    def __repr__(self) -> str:
        """Return the game as on the command line."""
        options = ", ".join(f"{key}={value!r}" for key, value in self.params.items())
        return f"{self.name}({options})"
