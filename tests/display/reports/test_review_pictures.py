"""Pictures of the mistakes in a game."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from analysis import ReviewedMove, Verdict
from display.boards.cells import Coordinates, cell_centers
from display.reports.review_pictures import plot_game, plot_mistake
from display.reports.tables import review_so_far
from state_manager import StateManager, make_game

GAMES = ["hex", "tic_tac_toe", "connect_four", "hexapawn", "nim", "ledge"]


def mistake(game: StateManager, plies: int = 4) -> ReviewedMove:
    """Return a mistake at the first move, with better moves and a continuation."""
    state = game.initial_state()
    first, *others = game.legal_actions(state).tolist()
    after = game.child_state(state, first)
    line: list[int] = []
    while not game.is_final(after) and len(line) < plies:
        line.append(int(game.legal_actions(after)[0]))
        after = game.child_state(after, line[-1])
    verdicts = Verdict(1.0, True), Verdict(-1.0, True)
    return ReviewedMove(1, state, first, *verdicts, None, tuple(others[:2]), tuple(line))


def words_of(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.findobj(Text)]


@pytest.mark.parametrize("name", GAMES)
def test_a_mistake_of_every_game_is_drawn_with_its_moves_in_words(
    tmp_path: Path, figures: list[Figure], name: str
) -> None:
    game, file = make_game(name), tmp_path / "move.png"
    move, names = mistake(game), Coordinates(game)
    plot_mistake(file, names, move, ("Ada", "Bo"), None)
    assert file.exists()
    words = "\n".join(words_of(figures[0])).replace("\N{NO-BREAK SPACE}", " ")
    assert f"played: {names.move(move.action)}" in words
    assert names.move(move.better[0]) in words
    assert f"2. {names.move(move.line[0])}" in words


def test_the_moves_are_marked_on_their_cells_and_the_line_is_numbered(
    tmp_path: Path, figures: list[Figure]
) -> None:
    game = make_game("hex", size=4)
    move = mistake(game)
    plot_mistake(tmp_path / "move.png", Coordinates(game), move, ("", ""), None)
    before, after = figures[0].axes
    lines = before.get_lines()
    marks = {str(line.get_marker()): tuple(np.ravel(line.get_xydata())) for line in lines}
    centers = cell_centers(game)
    assert marks == {"o": tuple(centers[move.better[-1]]), "X": tuple(centers[move.action])}
    texts = [text for text in after.texts if text.get_zorder() > 9]
    numbers = {text.get_text(): text.get_position() for text in texts}
    wanted = {str(2 + n): tuple(centers[action]) for n, action in enumerate(move.line)}
    assert numbers == wanted


def test_a_game_has_a_bar_for_each_position_and_a_cross_for_each_mistake(
    tmp_path: Path, figures: list[Figure]
) -> None:
    game = make_game("hex", size=3)
    first = mistake(game)
    second = ReviewedMove(2, first.state, 1, first.after, Verdict(-0.4, False))
    plot_game(tmp_path / "game.png", game, [first, second], "a game")
    (axes,) = figures[0].axes
    heights = [bar.get_height() for bar in axes.patches]  # type: ignore[attr-defined]
    assert heights == [1.0, -1.0, -0.4]
    assert [bar.get_alpha() for bar in axes.patches] == [1.0, 1.0, 0.4]
    crosses = [line for line in axes.get_lines() if line.get_marker() == "X"]
    assert [each.get_xdata()[0] for each in crosses] == [1]  # type: ignore[index]


def test_a_review_is_shown_as_far_as_it_is_known() -> None:
    game = make_game("hex", size=4)
    move = mistake(game)
    known = ReviewedMove(3, move.state, 1, Verdict(0.0, False), Verdict(0.9, False))
    shown = review_so_far(Coordinates(game), [move, known], 4).plain.splitlines()
    assert shown == ["red's chances", "▁·█·", "costliest: 1. a1 100 %??"]
