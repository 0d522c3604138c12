"""A small training in a process of its own, for the page: one at a time, ended with the server."""

import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from base.project import ROOT
from web.server.requests import RequestError
from web.runs.run_files import PARAMS

_WORDS = ("game.size=4", "rl.episodes=400", "display.mode=off")
_CHECK_SECONDS = 0.1


class Training:
    """A process that trains in a new run; pages may only start and stop it."""

    def __init__(self, runs: Path) -> None:
        """Prepare to train in a folder of runs."""
        self._runs, self._name, self._is_closed = runs, "", False
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The run that trains now; empty without one."""
        return self._name if self._process is not None and self._process.poll() is None else ""

    def start(self, is_over: Callable[[], bool]) -> str:
        """Start a training; return the name of its run once the run exists, or ``is_over()``.

        Raises a ``RequestError`` if one runs already, or if it fails at once.
        """
        with tempfile.TemporaryFile() as errors:
            with self._lock:
                if self.name or self._is_closed:
                    reason = f"{self.name} runs" if self.name else "the server ends"
                    raise RequestError(f"expected one training at a time, {reason}")
                self._name = name = f"page-{datetime.now():%Y%m%d-%H%M%S}"
                folder = self._runs.absolute() / name
                # Ctrl-C in the terminal must reach the server alone, which then ends the training.
                self._process = process = subprocess.Popen(
                    [sys.executable, ROOT / "main.py", "train", "--run", folder, *_WORDS],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=errors,
                    start_new_session=True,
                )
            while not (process.poll() is not None or (folder / PARAMS).exists() or is_over()):
                time.sleep(_CHECK_SECONDS)
            if process.poll():
                errors.seek(0)
                *_, words = ["", *errors.read().decode("utf-8", "replace").splitlines()]
                raise RequestError(f"the training has ended: {words or 'it was stopped'}")
            return name

    def stop(self, for_good: bool = False) -> None:
        """End the training, if one runs, as Ctrl-C does, and wait; ``for_good`` admits no other."""
        with self._lock:
            self._is_closed |= for_good
            if self._process is not None:
                self._process.terminate()  # main.py saves at this signal as at Ctrl-C
                self._process.wait()
