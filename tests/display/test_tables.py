"""Boards, tables and pictures show what is in the tables of cases, and imports are lazy."""

import subprocess
import sys

import pytest

from analysis import ReviewedMove, Verdict
from display.boards.cells import Coordinates
from display.reports.analysis_plots import NET, OTHER, SEARCH
from display.reports.tables import review_so_far
from state_manager import make_game
from tests.display import pictures
from tests.display.tables import ANSWERS, BOARDS, TABLES
from tests.golden.tables import answered, parts
from tests.project import ROOT

PARTS = parts(BOARDS) | parts(TABLES)
PICTURED = parts(pictures.PICTURES)


@pytest.mark.parametrize("title", PARTS)
def test_a_case_has_the_answer_in_the_table(title: str) -> None:
    """After an intended change: ``python -m tests.display.tables``; read the difference."""
    assert answered(title, PARTS[title], ANSWERS) == PARTS[title]


@pytest.mark.parametrize("title", PICTURED)
def test_a_picture_has_what_is_in_the_table(title: str) -> None:
    """After an intended change: ``python -m tests.display.pictures``; read the difference."""
    assert answered(title, PICTURED[title], pictures.ANSWERS) == PICTURED[title]


def test_no_two_curves_differ_by_colour_alone() -> None:
    pens = (NET, SEARCH, OTHER)
    assert len({str(pen.dashes) for pen in pens}) == len({pen.marker for pen in pens}) == 3


def test_a_review_is_shown_as_far_as_it_is_known() -> None:
    game = make_game("hex", size=4)
    move = pictures.reviewed(game)
    known = ReviewedMove(3, move.state, 1, Verdict(0.0, False), Verdict(0.9, False))
    shown = review_so_far(Coordinates(game), [move, known], 4).plain.splitlines()
    assert shown == ["red's chances", "▁·█·", "costliest: 1. a1 100 %??"]


HEAVY = "rich", "matplotlib", "numpy", "numba", "torch", "PIL"
PROGRAM = f"""
import sys
import display.live
assert not sys.modules.keys() & {set(HEAVY)}, "an error imports no heavy package"
import display.live.display, display.boards.terminal, display.reports.tables
assert "matplotlib" not in sys.modules, "the terminal needs no pictures"
import display.boards.picture
assert "matplotlib" in sys.modules
assert "matplotlib.pyplot" not in sys.modules, "pictures need no window"
"""


def test_heavy_packages_are_imported_where_they_are_needed() -> None:
    subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, check=True)
