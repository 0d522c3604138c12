"""Cells of a grid by name, on boards that are not square too."""

import pytest

from state_manager import IllegalActionError
from state_manager.grid import cell_name, parse_cell


@pytest.mark.parametrize("words", ["3 4", "3,4", "(3, 4)", "e4", " E4 "])
def test_a_cell_of_a_board_with_more_columns_than_rows_is_read(words: str) -> None:
    assert parse_cell(words, 4, 5) == 19
    assert cell_name(19, 5) == "(3, 4)"


@pytest.mark.parametrize("words", ["4 3", "3 5", "f1", "a5", "", "x"])
def test_a_cell_beside_such_a_board_is_refused_with_both_ranges(words: str) -> None:
    with pytest.raises(IllegalActionError) as caught:
        parse_cell(words, 4, 5)
    assert str(caught.value).startswith(
        "expected a row from 0 to 3 and a column from 0 to 4, such as '1 2', or 'c2', got"
    )
