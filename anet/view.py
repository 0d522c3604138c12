"""A net's view of a game: the source of each input, and the output of each action.

An input of a net is one of the game's features, or always 0, or always 1. A layout lists the source
of each input, for each player to move. This one list turns the board to the mover, pads it to a
fixed size, and lays it out in planes, with the edges painted in their owners' colours.

Letters: B states, F features, I inputs, A actions.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from anet.errors import NetError
from base.jit import direct, kernel
from base.params import ANETParams
from state_manager import Indices, State, StateManager
from state_manager.rules import INDICES, Symmetry, mark_features, unsigned

Floats = NDArray[np.float32]

PLANES = 4
"""Player 1's pieces and edges; player 2's; ones on the board if player 1 is to move; if player 2
is. In the mover's view the mover is player 1. With the swap one more: ones if it is legal."""


class Layout(NamedTuple):
    """The layout of a net's inputs and outputs, for each player to move."""

    sources: Indices  # [2, I], the feature that each input shows; F: always 0, F + 1: always 1
    outputs: Indices  # [2, A], the output of each action

    def of_images(self, symmetry: Symmetry) -> "Layout":
        """Return the layout that shows a state's image, and has the outputs of the state."""
        num_features = len(symmetry.features)
        origin = np.r_[np.argsort(symmetry.features), num_features, num_features + 1]
        return Layout(origin[self.sources], np.ascontiguousarray(self.outputs[:, symmetry.actions]))


class View:
    """The layout of a net's ``num_inputs`` inputs and its outputs for a game.

    The ``grid`` has the rows and columns of the padded board; the ``shape`` of the planes, number,
    rows and columns, is two larger each way. ``layouts`` are the layout and, for a symmetric net,
    those of the board's symmetric images. If it ``turns``, player 2 has outputs of its own order.
    ``action_cells``, int64, are the actions' cells in the grid, without the swap; else ``None``.
    """

    def __init__(self, game: StateManager, params: ANETParams) -> None:
        """Lay the inputs out; raise a ``NetError`` if the game does not fit the network."""
        self.game = game
        self.grid = _grid(game, params)
        planes = PLANES + (game.swap_action is not None)
        self.shape = (planes, self.grid[0] + 2, self.grid[1] + 2)
        if params.sees_planes:
            sources = _planes(game, self.shape)
        elif params.padded_size is not None:
            sources = _padded(game, self.grid)
        else:
            sources = np.arange(game.num_features)
        self.num_inputs = len(sources)
        self.action_cells = _action_cells(game, self.grid)
        if params.network == "pooled" and self.action_cells is None:
            raise NetError(
                f"anet.network: expected residual, got pooled: the actions of {game.name} are not "
                "about one cell each"
            )
        actions = np.arange(game.num_actions)
        layout = Layout(np.stack([sources] * 2), np.stack([actions] * 2))
        if params.view == "mover":
            swap = game.colour_swap
            if swap is None:
                raise NetError(f"anet.view: expected absolute, {game.name} has no colour swap")
            turned = layout.of_images(swap)
            outputs = np.stack([actions, turned.outputs[1]])
            layout = Layout(np.stack([sources, turned.sources[1]]), outputs)
        self.turns = not np.array_equal(*layout.outputs)
        images = [each for each in game.symmetries if not each.swaps_players]
        self.layouts = [layout, *(layout.of_images(each) for each in images if params.symmetric)]

    def features(self, states: State) -> Floats:
        """Return the game's features, `[B, F]`, of unchecked states, `[B, S]` int8."""
        features = np.zeros((len(states), self.game.num_features), np.float32)
        indices = np.empty(self.game.num_features, np.int64)
        direct(mark_features)(self.game.rules, states, features, indices)
        return features

    def inputs(self, features: Floats, movers: NDArray[np.int8], image: int = 0) -> Floats:
        """Return inputs `[B, I]` for features `[B, F]` and movers, by a place in ``layouts``."""
        inputs = np.empty((len(movers), self.num_inputs), np.float32)
        features = np.ascontiguousarray(features, np.float32)  # ``direct`` checks no types
        movers = np.ascontiguousarray(movers, np.int8)
        known = np.empty(features.shape[1] + 2, np.float32)
        direct(lay_out)(self.layouts[image].sources, movers, features, known, inputs)
        return inputs


_TABLE = types.int64[:, ::1]
_MOVERS = types.int8[::1]
_LEGAL = types.boolean[:, ::1]
_OUTPUTS = types.float32[:, ::1]
_VALUES = types.float64[::1]


@kernel(types.void(_TABLE, _MOVERS, _OUTPUTS, types.float32[::1], _OUTPUTS))
def lay_out(
    sources: Indices, movers: NDArray[np.int8], features: Floats, known: Floats, inputs: Floats
) -> None:
    """Write the inputs `[B, I]` for features `[B, F]`; ``known``, `[F + 2]`, is scratch memory."""
    num_features = features.shape[1]
    known[num_features], known[num_features + 1] = 0.0, 1.0
    for row in range(len(movers)):
        for feature in range(num_features):
            known[feature] = features[row, feature]
        source = sources[int(movers[row]) - 1]
        for i in range(inputs.shape[1]):
            inputs[row, i] = known[unsigned(source[i])]


@kernel(types.void(_TABLE, _MOVERS, _OUTPUTS, types.float32[::1], _OUTPUTS, _VALUES))
def add_evaluation(
    places: Indices,
    movers: NDArray[np.int8],
    outputs: Floats,
    values: Floats,
    total: Floats,
    total_values: NDArray[np.float64],
) -> None:
    """Add a net's outputs `[B, A]` and values to totals, in the game's order of actions.

    ``places`` are the ``outputs`` of a layout. The net's values are seen by the mover, the totals
    from player 1; `[B]`, or `[0]` without a critic.
    """
    for row in range(len(movers)):
        mover = int(movers[row]) - 1
        for action in range(total.shape[1]):
            total[row, action] += outputs[row, places[mover, action]]
        if len(values) > 0:
            total_values[row] += np.float64(values[row]) if mover == 0 else -np.float64(values[row])


@kernel(types.boolean(_LEGAL, INDICES, _OUTPUTS, _VALUES, types.float64, types.float64[:, ::1]))
def write_policies(
    legal: NDArray[np.bool_],
    actions: Indices,
    outputs: Floats,
    values: NDArray[np.float64],
    weight: float,
    policies: NDArray[np.float64],
) -> bool:
    """Write the softmax of weighted outputs over the legal actions, 0 on all others: `[B, A]`.

    Weight the values, `[B]` or `[0]`, in place. A row without legal actions gets zeros;
    ``actions``, `[A]`, is scratch memory. Return whether all results are finite.
    """
    is_finite = True
    for row in range(len(legal)):
        count = 0
        for action in range(legal.shape[1]):
            policies[row, action] = 0.0
            # Written always, counted only if legal: no branch that could be mispredicted.
            actions[count] = action
            count += legal[row, action]
        highest = -np.float32(math.inf)
        for i in range(count):
            highest = max(highest, outputs[row, actions[i]])
        total = 0.0
        for i in range(count):
            share = math.exp(weight * (float(outputs[row, actions[i]]) - float(highest)))
            policies[row, actions[i]] = share
            total += share
        for i in range(count):
            policies[row, actions[i]] /= total
        is_finite = is_finite and math.isfinite(total)
    for row in range(len(values)):
        values[row] *= weight
        is_finite = is_finite and math.isfinite(values[row])
    return is_finite


def _grid(game: StateManager, params: ANETParams) -> tuple[int, int]:
    size = params.padded_size
    if not game.has_piece_planes:
        if params.sees_planes:
            raise NetError(
                f"anet.network: expected mlp, got {params.network}: {game.name} has no board of "
                "pieces that planes could show"
            )
        if size is not None:
            raise NetError(
                f"anet.padded_size: expected null, got {size}: {game.name} has no board of pieces "
                "that could be filled up"
            )
    if size is None:
        return game.board_shape
    if size < max(game.board_shape):
        rows, columns = game.board_shape
        raise NetError(
            f"anet.padded_size: expected at least {max(rows, columns)} for a board of "
            f"{rows} x {columns}, got {size}"
        )
    return size, size


def _padded(game: StateManager, grid: tuple[int, int]) -> Indices:
    """Return the layout of the mover, then each player's pieces on the padded board."""
    rows, columns = game.board_shape
    pieces = np.full((2, *grid), game.num_features)
    features = np.arange(game.num_features)
    pieces[:, :rows, :columns] = features[2 : 2 + 2 * rows * columns].reshape(2, rows, columns)
    return np.concatenate([[0, 1], pieces.reshape(-1), features[2 + 2 * rows * columns :]])


def _planes(game: StateManager, shape: tuple[int, int, int]) -> Indices:
    """Return the layout of the planes, with a painted ring around the board.

    The sides of the ring are next to the board's edge cells, whatever the padding; a corner belongs
    to both of its sides. The turn to the mover maps the sides onto each other.
    """
    rows, columns = game.board_shape
    always = game.num_features + 1
    planes = np.full(shape, game.num_features)
    board = planes[:, : rows + 2, : columns + 2]
    inside = board[:, 1:-1, 1:-1]
    inside[:2] = np.arange(2, 2 + 2 * rows * columns).reshape(2, rows, columns)
    inside[2], inside[3], inside[PLANES:] = 0, 1, game.num_features - 1
    edges = np.s_[0, :], np.s_[-1, :], np.s_[:, 0], np.s_[:, -1]
    for owner, edge in zip(game.edge_owners, edges, strict=True):
        if owner:
            board[owner - 1][edge] = always
    return planes.reshape(-1)


def _action_cells(game: StateManager, grid: tuple[int, int]) -> Indices | None:
    """Return the cell of each action but the swap if they are as many as cells, else None."""
    rows, columns = game.board_shape
    if game.without_swap.num_actions != rows * columns:
        return None
    return np.arange(grid[0] * grid[1]).reshape(grid)[:rows, :columns].reshape(-1)
