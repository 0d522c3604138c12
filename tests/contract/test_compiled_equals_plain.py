"""The compiled kernels compute what their plain Python says, to the last bit.

The same script runs in two processes, one of them with ``NUMBA_DISABLE_JIT=1``: ``.py_func`` would
unwrap only the outermost of the kernels.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.contract.transcript import SECTIONS

ROOT = Path(__file__).parents[2]


def start(**environment: str) -> "subprocess.Popen[str]":
    """Start the script; warnings, such as those of an overflow, are errors in it."""
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "tests.contract.transcript"],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.fixture(scope="module")
def transcripts() -> tuple[dict[str, Any], dict[str, Any]]:
    """What the compiled and the plain process have written."""
    running = start(NUMBA_DISABLE_JIT="0"), start(NUMBA_DISABLE_JIT="1")
    compiled, plain = (json.loads(process.communicate()[0]) for process in running)
    assert [process.returncode for process in running] == [0, 0]
    return compiled, plain


@pytest.mark.parametrize("section", [section.__name__ for section in SECTIONS])
def test_compiled_equals_plain(
    section: str, transcripts: tuple[dict[str, Any], dict[str, Any]]
) -> None:
    compiled, plain = transcripts
    assert compiled[section]
    assert compiled[section].keys() == plain[section].keys()
    for name, result in compiled[section].items():
        assert result == plain[section][name], name
