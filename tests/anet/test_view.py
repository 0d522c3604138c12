"""The input planes of a net."""

import numpy as np
import pytest
from numpy.typing import NDArray

from anet.view import PLANES, View
from base.params import ANETParams
from state_manager import State, StateManager, make_game
from tests.anet.conftest import BOARDS, states_of


def seen(game: StateManager, states: list[State], **params: object) -> NDArray[np.float32]:
    view = View(game, ANETParams.model_validate(params))
    inputs = view.inputs(game.observations(states), np.array([state[0] for state in states]))
    assert inputs.shape == (len(states), view.num_inputs)
    return inputs


def planes_of(game: StateManager, state: State, **params: object) -> list[str]:
    """Return the input planes of a convolutional net side by side, # for 1 and . for 0."""
    rows, columns = View(game, ANETParams.model_validate(params)).grid
    inputs = seen(game, [state], network="convolutional", **params)
    planes = inputs.reshape(PLANES, rows + 2, columns + 2).astype(int)
    return [
        " ".join("".join(".#"[cell] for cell in row) for row in each)
        for each in zip(*planes, strict=True)
    ]


FLAT = [0, 0, 1, 0, 2, 1, 2, 0, 0]
"""
. . 1
 . 2 1
  2 . .
"""


HEX = make_game("hex", size=3)
RED_TO_MOVE, BLACK_TO_MOVE = (HEX.from_flat([mover, *FLAT]) for mover in (1, 2))


RED = """
##### #...# ..... .....
...#. #...# .###. .....
...#. #.#.# .###. .....
..... ##..# .###. .....
##### #...# ..... ....."""
BLACK = """
##### #...# ..... .....
...#. #...# ..... .###.
...#. #.#.# ..... .###.
..... ##..# ..... .###.
##### #...# ..... ....."""
MOVER = """
##### #...# ..... .....
...#. #...# .###. .....
..#.. #...# .###. .....
..... ###.# .###. .....
##### #...# ..... ....."""
PADDED = """
#####. #...#. ...... ......
...#.. #...#. .###.. ......
...#.. #.#.#. .###.. ......
...... ##..#. .###.. ......
#####. #...#. ...... ......
...... ...... ...... ......"""


@pytest.mark.parametrize(
    ("state", "params", "planes"),
    [
        (RED_TO_MOVE, {}, RED),
        (BLACK_TO_MOVE, {}, BLACK),
        (BLACK_TO_MOVE, {"view": "mover"}, MOVER),
        (RED_TO_MOVE, {"padded_size": 4}, PADDED),
    ],
    ids=["red", "black", "mover", "padded"],
)
def test_planes_hold_stones_and_edges(state: State, params: dict[str, object], planes: str) -> None:
    assert planes_of(HEX, state, **params) == planes.split("\n")[1:]


def test_edges_without_an_owner_are_left_out() -> None:
    game = make_game("hexapawn")
    assert planes_of(game, game.initial_state(2)) == [
        "..... ..... ..... .....",
        "..... .###. ..... .###.",
        "..... ..... ..... .###.",
        ".###. ..... ..... .###.",
        "..... ..... ..... .....",
    ]


def test_the_input_of_an_mlp_is_the_features() -> None:
    for name, options in BOARDS.items():
        board = make_game(name, **options)
        states = states_of(board)
        assert np.array_equal(seen(board, states), board.observations(states))


def test_a_board_that_is_padded_to_9_gives_164_inputs() -> None:
    game = make_game("hex", size=5)
    states = states_of(game)
    inputs = seen(game, states, padded_size=9)
    assert inputs.shape == (len(states), 164)
    for state, row in zip(states, inputs, strict=True):
        assert row[:2].tolist() == [state[0] == 1, state[0] == 2]
        cells = np.array(game.to_flat(state)[1:]).reshape(5, 5)
        for player, board in zip((1, 2), row[2:].reshape(2, 9, 9), strict=True):
            assert np.array_equal(board[:5, :5], cells == player)
            assert board.sum() == (cells == player).sum()
