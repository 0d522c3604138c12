"""Types and helpers that the parts of the contract share."""

from state_manager import State, StateManager

Game = tuple[list[State], list[int]]
"""All states of a game, the final one included, and the actions between them."""


def flat_length(game: StateManager) -> int:
    rows, columns = game.board_shape
    return 1 + rows * columns + (game.swap_action is not None)
