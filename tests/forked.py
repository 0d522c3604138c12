"""Python programs in processes that are forked after the slow imports.

A server imports it once, and is forked for each program. Windows cannot fork.
"""

import faulthandler
import gc
import multiprocessing
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.project import ROOT, TIMEOUT

CAN_FORK = sys.platform != "win32"


def main_program(words: Sequence[str]) -> str:
    """Return a program that does what ``python main.py WORDS`` does."""
    imports = f"import runpy, sys; sys.path.insert(0, {str(ROOT)!r}); "
    arguments = f"sys.argv = {['main.py', *words]!r}; "
    return f"{imports}{arguments}runpy.run_path({str(ROOT / 'main.py')!r}, run_name='__main__')"


def run_python(
    program: str, folder: Path, environment: Mapping[str, str], typed: str = ""
) -> tuple[int, str, str]:
    """Run a Python program, see ``Forked``; return its exit status, its output and its errors."""
    if CAN_FORK:
        return Forked(program, folder, environment, typed).end()
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env=dict(environment),
        input=typed,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )
    return done.returncode, done.stdout, done.stderr


class Forked:
    def __init__(
        self, program: str, folder: Path, environment: Mapping[str, str], typed: str = ""
    ) -> None:
        """Start a program.

        Args:
            program: Its text.
            folder: Where it runs.
            environment: All variables. What Numba and torch read when they are imported was read
                before: kernels are compiled, whatever ``NUMBA_DISABLE_JIT`` is.
            typed: Its standard input.
        """
        from multiprocessing import forkserver  # Windows has none

        forkserver.set_forkserver_preload(["tests.slow_imports"])
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PYTHONPATH", str(ROOT))  # the server finds that module by it
            patch.delenv("NUMBA_DISABLE_JIT", raising=False)
            forkserver.ensure_running()
        self._files = tempfile.TemporaryDirectory()
        files = [Path(self._files.name) / name for name in ("input", "output", "errors")]
        files[0].write_text(typed)
        self._written = files[1:]
        arguments = (program, folder, dict(environment), files)
        context = multiprocessing.get_context("forkserver")
        self._process = context.Process(target=_do, args=arguments)
        self._process.start()

    def is_over(self) -> bool:
        return not self._process.is_alive()

    def send_signal(self, number: int) -> None:
        assert self._process.pid is not None
        os.kill(self._process.pid, number)

    def end(self) -> tuple[int, str, str]:
        """Wait for the end; return the exit status, the output and the errors."""
        self._process.join(TIMEOUT)
        self._process.kill()
        self._process.join()
        assert self._process.exitcode is not None
        output, errors = (path.read_text() for path in self._written)
        self._files.cleanup()
        return self._process.exitcode, output, errors


def _do(program: str, folder: Path, environment: dict[str, str], files: list[Path]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    # As with ``-X dev``: crashes and files that are left open are reported.
    faulthandler.enable()
    warnings.simplefilter("default")
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    for number, path in enumerate(files):
        file = os.open(path, os.O_RDWR | os.O_CREAT)
        os.dup2(file, number)
        os.close(file)
    sys.stdin = os.fdopen(0)  # multiprocessing has opened another one
    status: str | int | None = None
    try:
        exec(compile(program, "program", "exec"), {"__name__": "__main__"})
    except SystemExit as end:
        status = end.code
    gc.collect()
    sys.exit(status)
