"""A module of kernels, in which each calls the one before it; and programs that use them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.forked import run_python
from tests.project import ROOT

KERNELS = """
from numba import types
from base.jit import kernel

@kernel(types.int64(types.int64), inner=True)
def step_0(x):
    return x + 1
""" + "".join(
    f"""
@kernel(types.int64(types.int64), inner={number % 7 != 0})
def step_{number}(x):
    return step_{number - 1}(x) + 1
"""
    for number in range(1, 8)
)

BEGIN = """
import contextlib, json, signal, sys
import psutil
import base.jit, base.jit.compiling
from numba.core import event
import few_kernels

base.jit.compiling.processes_for = lambda kernels: 2
seen = []

def workers():
    commands = [" ".join(child.cmdline()) for child in psutil.Process().children()]
    return sum("loky" in each and "resource_tracker" not in each for each in commands)

@contextlib.contextmanager
def watch(kernels, processes):
    seen.append([kernels, processes])
    yield lambda: seen.append(1)

base.jit.watch_compiling(watch)
recording = event.install_recorder("numba:compile")
recorder = recording.__enter__()
"""

END = """
print(json.dumps({
    "result": few_kernels.step_7(10),
    "seen": seen,
    "compiled here": [
        event.data["dispatcher"].__name__ for _, event in recorder.buffer if event.is_start
    ],
    "workers left": workers(),
}))
"""


IN_ORDER = [f"step_{number}" for number in range(8)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a module of kernels, each of which calls the one before."""
    (tmp_path / "few_kernels.py").write_text(KERNELS)
    return tmp_path


def start(folder: Path, program: str, **environment: str) -> tuple[dict[str, Any], str]:
    """Run a program between ``BEGIN`` and ``END``; return its report and errors."""
    cache, path = str(folder / "cache"), os.pathsep.join([str(folder), str(ROOT)])
    variables = {**os.environ, "NUMBA_CACHE_DIR": cache, "PYTHONPATH": path, **environment}
    text = BEGIN + program + END
    if environment:
        command: list[str] = [sys.executable, "-X", "dev", "-c", text]
        done = subprocess.run(command, env=variables, capture_output=True, text=True)
        status, output, errors = done.returncode, done.stdout, done.stderr
    else:
        status, output, errors = run_python(text, folder, variables)
    assert status == 0, errors
    report: dict[str, Any] = json.loads(output)
    return report, errors


def run(folder: Path, program: str, **environment: str) -> dict[str, Any]:
    """Do the same with a program that prints no errors."""
    report, errors = start(folder, program, **environment)
    assert errors == ""
    return report
