"""A net's view of a game: the source of each input, and the output of each action.

An input of a net is one of the game's features, or always 0, or always 1. A view lists the source
of each input, for each player to move. This one list turns the board to the mover, pads it to a
fixed size, and lays it out in planes, with the edges painted in their owners' colours.

Letters: B states, F features, I inputs, A actions.
"""

import numpy as np
import torch
from torch import Tensor, nn

from anet.errors import NetError
from anet.reading import Reading
from base.params import ANETParams
from state_manager import Indices, StateManager
from state_manager.rules import Symmetry

PLANES = 4
"""Player 1's pieces and edges; player 2's; ones on the board if player 1 is to move; if player 2
is. In the mover's view the mover is player 1. With the swap one more: ones if it is legal."""


class View:
    """The layout of a net's inputs and outputs for a game.

    Attributes:
        num_inputs: I.
        grid: Rows and columns of the padded board; planes are two larger each way.
        shape: Of the planes: their number, rows and columns.
        second: The place of each feature (`[F]` int64) among the game's features, and of each
            action (`[A]` int64) among the outputs, in player 2's view.
        places: `[F]` int64, an input that shows each feature to player 1.
        action_cells: int64, the cell of each action but the swap in the grid, row by row; ``None``
            if actions are no cells.
    """

    def __init__(self, game: StateManager, params: ANETParams, device: torch.device) -> None:
        """Lay the inputs out for a network on a device; a ``NetError`` if the game does not fit."""
        self.grid = _grid(game, params)
        planes = PLANES + (game.swap_action is not None)
        self.shape = (planes, self.grid[0] + 2, self.grid[1] + 2)
        self.second = _second_view(game, params)
        if params.sees_planes:
            layout = _planes(game, self.shape)
        elif params.padded_size is not None:
            layout = _padded(game, self.grid)
        else:
            layout = np.arange(game.num_features)
        self.num_inputs = len(layout)
        self.places = np.empty(game.num_features, np.int64)
        shown = layout < game.num_features
        self.places[layout[shown]] = np.flatnonzero(shown)
        self.action_cells = _action_cells(game, self.grid)
        if params.network == "pooled" and self.action_cells is None:
            raise NetError(
                f"anet.network: expected residual, got pooled: the actions of {game.name} are not "
                "about one cell each"
            )

        turned = [*np.argsort(self.second[0]), game.num_features, game.num_features + 1]
        self._first = torch.from_numpy(layout).to(device)
        self._second = torch.from_numpy(np.array(turned)[layout]).to(device)
        self._second_actions = torch.from_numpy(self.second[1]).to(device)
        self.turns = params.view == "mover"
        self._as_it_lies = np.array_equal(layout, np.arange(game.num_features))
        self._layouts = layout, np.array(turned)[layout] if self.turns else layout
        self._num_features = game.num_features

    def reading(self, symmetry: Symmetry | None = None) -> Reading:
        """Return the ``Reading`` of a game's states, or of their images under a symmetry."""
        features = np.arange(self._num_features) if symmetry is None else symmetry.features
        actions = np.arange(len(self.second[1])) if symmetry is None else symmetry.actions
        starts, inputs = [], []
        for layout in self._layouts:
            shown = [np.flatnonzero(layout == feature) for feature in features]
            starts.append(np.cumsum([0, *map(len, shown)]))
            inputs.append(np.concatenate(shown))
        return Reading(
            constants=np.array([each > self._num_features for each in self._layouts], np.float32),
            starts=np.stack(starts),
            inputs=np.stack(inputs),
            outputs=np.stack([actions, self.second[1][actions] if self.turns else actions]),
        )

    def inputs(self, features: Tensor, second: Tensor) -> Tensor:
        """Return the net's inputs `[B, I]` for a game's features `[B, F]`; see ``ANET.logits``."""
        if self._as_it_lies and not self.turns:
            return features
        known = nn.functional.pad(nn.functional.pad(features, (0, 1)), (0, 1), value=1.0)
        seen = known.index_select(1, self._first)
        if not self.turns:
            return seen
        return torch.where(second, known.index_select(1, self._second), seen)

    def logits(self, outputs: Tensor, second: Tensor) -> Tensor:
        """Return the outputs `[B, A]` in the order of the game's actions."""
        if not self.turns:
            return outputs
        return torch.where(second, outputs.index_select(1, self._second_actions), outputs)


def _grid(game: StateManager, params: ANETParams) -> tuple[int, int]:
    """Return the rows and columns of the padded board."""
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


def _second_view(game: StateManager, params: ANETParams) -> tuple[Indices, Indices]:
    """Return the input of each feature and the output of each action in player 2's view."""
    if params.view == "absolute":
        return np.arange(game.num_features), np.arange(game.num_actions)
    swap = game.colour_swap
    if swap is None:
        raise NetError(f"anet.view: expected absolute, {game.name} has no colour swap")
    return swap.features, swap.actions


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
