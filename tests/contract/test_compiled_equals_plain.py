"""The compiled kernels compute what their plain Python says, to the last bit.

The same script runs in two processes, one of them with ``NUMBA_DISABLE_JIT=1``: ``.py_func`` would
unwrap only the outermost of the kernels.
"""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.contract.transcript import SECTIONS
from tests.forked import run_python
from tests.project import ROOT

COMPILED = """
import runpy, warnings
warnings.simplefilter("error")  # such as those of an overflow
runpy.run_module("tests.contract.transcript", run_name="__main__")
"""


@pytest.fixture(scope="module")
def transcripts() -> tuple[dict[str, Any], dict[str, Any]]:
    """What the compiled and the plain process have written."""
    plain = subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "tests.contract.transcript"],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    status, compiled, errors = run_python(COMPILED, ROOT, {**os.environ, "NUMBA_DISABLE_JIT": "0"})
    assert (status, errors) == (0, "")
    text, _ = plain.communicate()
    assert plain.returncode == 0
    return json.loads(compiled), json.loads(text)


@pytest.mark.parametrize("section", [section.__name__ for section in SECTIONS])
def test_compiled_equals_plain(
    section: str, transcripts: tuple[dict[str, Any], dict[str, Any]]
) -> None:
    compiled, plain = transcripts
    assert compiled[section]
    assert compiled[section].keys() == plain[section].keys()
    for name, result in compiled[section].items():
        assert result == plain[section][name], name
