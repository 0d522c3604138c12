"""Imports are lazy."""

from __future__ import annotations

import subprocess
import sys

from tests.project import ROOT

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
