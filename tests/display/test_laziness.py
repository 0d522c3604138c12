"""What is imported when."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import display

ROOT = Path(__file__).resolve().parents[2]


def modules_after(code: str) -> set[str]:
    """Return the top-level modules that a fresh Python has after running some code."""
    code += "; import sys; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_importing_the_display_imports_nothing_heavy() -> None:
    heavy = {"rich", "matplotlib", "numpy", "numba", "torch", "PIL"}
    assert not modules_after("import display") & heavy


def test_the_terminal_needs_no_matplotlib_and_pictures_touch_no_window() -> None:
    assert "matplotlib" not in modules_after("import display; display.TerminalDisplay")
    code = "import display, sys; display.save_board; assert 'matplotlib.pyplot' not in sys.modules"
    assert "matplotlib" in modules_after(code)


@pytest.mark.parametrize("name", display.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(display, name) is not None


def test_other_names_are_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        display.nothing  # noqa: B018
