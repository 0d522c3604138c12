"""Imports are lazy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def modules_after(code: str) -> set[str]:
    """Return the top-level modules that a fresh Python has after running some code."""
    code += "; import sys; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_an_error_imports_no_heavy_package() -> None:
    heavy = {"rich", "matplotlib", "numpy", "numba", "torch", "PIL"}
    assert not modules_after("import display.live") & heavy


def test_the_terminal_needs_no_matplotlib_and_pictures_need_no_window() -> None:
    code = (
        "import display.live, display.live.display, display.boards.terminal, display.reports.tables"
    )
    assert "matplotlib" not in modules_after(code)
    code = "import display.boards.picture, sys; assert 'matplotlib.pyplot' not in sys.modules"
    assert "matplotlib" in modules_after(code)
