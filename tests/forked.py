"""Programs in processes of their own that need not import again what is slow to import.

A server imports it once, and is forked for each program. Windows cannot fork.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import warnings
from collections.abc import Mapping
from multiprocessing import forkserver
from pathlib import Path

import pytest

from tests.project import PATIENCE, ROOT

CAN_FORK = sys.platform != "win32"


class Forked:
    """A Python program that runs."""

    def __init__(self, program: str, folder: Path, environment: Mapping[str, str]) -> None:
        """Start a program.

        Args:
            program: Its text.
            folder: Where it looks for modules first; what it writes goes into files there.
            environment: All variables. What Numba and torch read when they are imported was read
                before.
        """
        forkserver.set_forkserver_preload(["tests.slow_imports"])
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PYTHONPATH", str(ROOT))  # the server finds that module by it
            forkserver.ensure_running()
        self._written = [folder / name for name in ("output.txt", "errors.txt")]
        arguments = (program, folder, dict(environment), self._written)
        context = multiprocessing.get_context("forkserver")
        self._process = context.Process(target=_do, args=arguments)
        self._process.start()

    def is_over(self) -> bool:
        """Tell whether the program has ended."""
        return not self._process.is_alive()

    def send_signal(self, number: int) -> None:
        """Send a signal to the program."""
        assert self._process.pid is not None
        os.kill(self._process.pid, number)

    def end(self) -> tuple[int, str, str]:
        """Wait for the end; return the exit status, the output and the errors."""
        self._process.join(PATIENCE)
        self._process.kill()
        self._process.join()
        assert self._process.exitcode is not None
        output, errors = (path.read_text() for path in self._written)
        return self._process.exitcode, output, errors


def _do(program: str, folder: Path, environment: dict[str, str], written: list[Path]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    warnings.simplefilter("default")  # files that are left open are told of, too
    sys.path.insert(0, str(folder))
    for number, path in enumerate(written, start=1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    exec(compile(program, "program", "exec"), {"__name__": "__main__"})
