"""Programs that are forked report what ``python -X dev`` would, and compile their kernels."""

import os
from pathlib import Path

import pytest

from tests.forked import CAN_FORK, Forked, run_python

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="Windows cannot fork")
OPEN = "file = open('left', 'w')\n"
CIRCLE = "class Circle: pass\ncircle = Circle()\ncircle.file, circle.itself = file, circle\n"


@pytest.mark.parametrize("program", [OPEN, OPEN + CIRCLE, OPEN + CIRCLE + "raise SystemExit(0)"])
def test_a_file_that_is_left_open_is_reported(program: str, tmp_path: Path) -> None:
    status, output, errors = run_python(program, tmp_path, os.environ)
    assert (status, output) == (0, "")
    assert "ResourceWarning: unclosed file <_io." in errors


def test_a_crash_is_reported(tmp_path: Path) -> None:
    program = "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"
    assert (
        "Fatal Python error: Segmentation fault" in Forked(program, tmp_path, os.environ).end()[2]
    )


def test_a_forked_program_compiles_kernels_in_any_parent_process(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    program = "from mcts.search import back_up; print(type(back_up).__name__)"
    assert run_python(program, tmp_path, environment) == (0, "Kernel\n", "")
