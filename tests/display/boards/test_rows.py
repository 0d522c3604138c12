"""Pictures of a heap and of a ledge."""

from __future__ import annotations

from typing import Any

import pytest
from matplotlib.axes import Axes
from matplotlib.colors import same_color
from matplotlib.patches import Circle

from display.boards.cells import row_layout
from display.boards.moment import GameView
from display.boards.palette import COPPER, GOLD
from display.boards.picture import draw_board, new_board_figure
from state_manager import StateManager, make_game


def discs(axes: Axes, colour: str) -> list[Circle]:
    """Return the discs of a colour."""
    circles = [patch for patch in axes.patches if isinstance(patch, Circle)]
    return [circle for circle in circles if same_color(circle.get_facecolor(), colour)]


def words(axes: Axes) -> list[str]:
    """Return everything that is written."""
    return [text.get_text().strip() for text in axes.texts]


def drawn(game: StateManager, actions: list[int]) -> Axes:
    """Draw a game after some actions of player 1 and 2 in turn."""
    state = game.initial_state(1)
    for action in actions:
        state = game.child_state(state, action)
    _, axes = new_board_figure(game)
    about = len(actions), actions[-1] if actions else None, game.winner(state)
    draw_board(axes, GameView(game, state, "game", ("first", "second"), *about))
    return axes


@pytest.mark.parametrize("stones", range(1, 121))
def test_the_rows_of_a_heap_are_balanced(stones: int) -> None:
    layout = row_layout("heap", stones)
    assert [stone for line in layout.lines for stone in line] == list(range(stones))
    lengths = {len(line) for line in layout.lines}
    assert max(lengths) - min(lengths) <= 1
    assert len(layout.lines) == 1 or max(lengths) >= 2 * len(layout.lines)
    assert layout.cell >= 0.3
    assert layout.inches[1] < layout.inches[0]


def test_a_ledge_shows_coins_in_their_colours_over_numbered_cells_and_names_them() -> None:
    axes = drawn(make_game("ledge", board=(0, 1, 0, 2, 1)), [])
    copper, gold = discs(axes, COPPER), discs(axes, GOLD)
    assert len(copper) == 2 + 1, "two coins, and one that explains them"
    assert len(gold) == 1 + 1
    numbers = {text.get_text(): text for text in axes.texts if text.get_text().isdecimal()}
    assert sorted(numbers) == ["0", "1", "2", "3", "4"]
    assert {"copper", "gold", "edge"} <= set(words(axes))
    (coin,) = [disc for disc in gold if disc.get_radius() > 0.3]
    x, _ = coin.center
    assert x == numbers["3"].get_position()[0]
    (edge,) = [text for text in axes.texts if text.get_text() == "edge"]
    assert edge.get_position()[0] < numbers["0"].get_position()[0]


@pytest.mark.parametrize("game", [make_game("nim"), make_game("ledge"), make_game("hex", size=3)])
def test_the_player_to_move_is_marked(game: Any) -> None:
    for actions, mover, mark in (([], "first", "▸"), ([1], "second", "◂")):
        axes = drawn(game, actions)
        marks = [text for text in axes.texts if text.get_text().strip() in ("▸", "◂")]
        assert [text.get_text().strip() for text in marks] == [mark]
        for name in ("first", "second"):
            (text,) = [text for text in axes.texts if name in text.get_text()]
            bold = name == mover or game.drawing.kind == "diamond"
            assert (text.get_fontweight() == "bold") == bold
