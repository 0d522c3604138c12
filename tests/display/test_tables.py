"""Boards and tables are shown as in the tables of cases, and imports are lazy."""

import subprocess
import sys

import pytest

from tests.display.tables import ANSWERS, BOARDS, TABLES
from tests.golden.tables import answered, parts
from tests.project import ROOT

PARTS = parts(BOARDS) | parts(TABLES)


@pytest.mark.parametrize("title", PARTS)
def test_a_case_has_the_answer_in_the_table(title: str) -> None:
    """After an intended change: ``python -m tests.display.tables``; read the difference."""
    assert answered(title, PARTS[title], ANSWERS) == PARTS[title]


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
