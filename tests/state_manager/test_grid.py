"""The base class of games on a grid, also on boards that are not square."""

import pytest

from state_manager import IllegalActionError, State, StateError, TwoWinnersError, make_game
from state_manager.grid import GridGame
from state_manager.state_manager import Drawing
from tests.state_manager import naive_grids as naive


class Plain(GridGame):
    """A game on any grid, without a winner."""

    drawing = Drawing(pieces=("X", "O"))

    def winner(self, state: State) -> int:
        return 0


class FromBelow(Plain):
    """The same with the first row at the bottom, as in chess."""

    drawing = Drawing(rows_from_below=True)


@pytest.mark.parametrize(("rows", "columns"), [(4, 5), (5, 4), (1, 12), (12, 3)])
def test_every_cell_is_read_back_in_each_notation(rows: int, columns: int) -> None:
    game, from_below = Plain(rows, columns), FromBelow(rows, columns)
    for cell in range(rows * columns):
        row, column = divmod(cell, columns)
        letter = "abcdefghijkl"[column]
        assert game.action_name(cell) == f"({row}, {column})"
        for text in (f"({row}, {column})", f"{row} {column}", f"{row},{column}"):
            assert game.parse_action(text) == from_below.parse_action(text) == cell
        assert game.parse_action(f"{letter}{row + 1}") == cell
        assert from_below.parse_action(f"{letter}{rows - row}") == cell


@pytest.mark.parametrize("text", ["4 0", "0 5", "f1", "a5", "a0", "1", "", "c"])
def test_a_text_that_names_no_cell_is_refused_with_the_ranges_of_the_board(text: str) -> None:
    with pytest.raises(IllegalActionError) as caught:
        Plain(4, 5).parse_action(text)
    assert str(caught.value) == (
        f"expected a cell such as 'c2', or a row from 0 to 3 and a column from 0 to 4, "
        f"such as '1 2', got {text!r}"
    )


NOTATIONS = [
    ("nim", "take 2", "take 2|2| TAKE  2 |Take 2|02"),
    ("connect_four", "column 3", "3|column 3| Column  3 |03"),
    ("hexapawn", "(2, 0) to (1, 1)", "(2, 0) to (1, 1)|2 0 1 1|2,0 1,1|(2,0)-(1,1)|2 0 x 1 1"),
    ("hexapawn", "(2, 0) to (1, 1)", "a1-b2|a1xb2|A1 b2|a1b2|a1 to b2"),
    ("ledge", "3 to 1", "3 to 1|3 1|3-1|3,1| 3  TO 1 |3to1"),
    ("ledge", "pick up", "pick up|pick|p|Pick Up"),
]
REFUSED = [
    ("nim", "stones from 1 to 3, got ", "0|4|take|take two|2 stones|1.0|take2"),
    ("connect_four", "a column from 0 to 6, got ", "7|column|column seven|3 3|column3|c3"),
    ("hexapawn", "where a pawn stands and ", "a1|a1-a3|a1-c2|2 0 2 1|2 0 3 0|d1-d2|0 0"),
    ("ledge", "'5 to 3' from 0 to 9, got ", "1 to 3|2 to 2|10 to 1|3|up|3 to|-3 to 1"),
]


@pytest.mark.parametrize(("name", "action", "texts"), NOTATIONS)
def test_a_move_is_read_in_each_notation(name: str, action: str, texts: str) -> None:
    game = make_game(name)
    assert {game.action_name(game.parse_action(text)) for text in texts.split("|")} == {action}


@pytest.mark.parametrize(("name", "words", "texts"), REFUSED)
def test_what_is_no_move_is_refused(name: str, words: str, texts: str) -> None:
    for text in texts.split("|"):
        with pytest.raises(IllegalActionError, match=words):
            make_game(name).parse_action(text)


def test_a_text_board_has_its_numbers_in_columns() -> None:
    game = Plain(2, 3)
    assert game.text(game.from_flat([1, 0, 1, 2, 0, 0, 0])) == "0 . X O\n1 . . .\n  0 1 2"
    wide = Plain(1, 11)
    assert wide.text(wide.initial_state()).splitlines()[1].split() == [str(n) for n in range(11)]
    assert len(set(map(len, wide.text(wide.initial_state()).splitlines()))) == 1


@pytest.mark.parametrize(
    ("name", "options", "drawing", "error", "words"),
    [
        ("tic_tac_toe", {}, "X X X/. . ./O O O", TwoWinnersError, r"got both in\n0 X X X"),
        ("hexapawn", {}, "W . ./. . ./. . B", TwoWinnersError, r"got both in\n0 W \. \."),
        ("hexapawn", {}, ". . ./W . ./W W W", StateError, "expected 3 white pawns at most, got 4"),
        (
            *("connect_four", {"rows": 4, "columns": 4}, ". . . ./. . . ./O O O O/X X X X"),
            *(TwoWinnersError, r"got both in\n\. \. \. \."),
        ),
        (
            *("connect_four", {"rows": 4, "columns": 4}, ". . . ./. . O ./. . . ./X . . ."),
            *(StateError, r"a stone below that at \(1, 2\)"),
        ),
    ],
)
def test_impossible_positions_are_refused(
    name: str, options: dict[str, int], drawing: str, error: type[StateError], words: str
) -> None:
    game = make_game(name, **options)
    with pytest.raises(error, match=words):
        game.winner(game.from_flat(naive.flat(naive.drawn(drawing))))
