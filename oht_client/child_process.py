"""The course's client as a child process, seen from the parent: calls come in, answers go out."""

from __future__ import annotations

import collections
import contextlib
import json
import logging
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from oht_client.errors import OHTError

_BRIDGE = Path(__file__).with_name("bridge.py")
_SECONDS_TO_END = 5.0

# What the parent decides or answers must not reach the child in another way; with the last one
# the course's client writes the token into its log.
_WITHHELD = ("IT3105_AUTH", "IT3105_QUALIFY", "IT3105_ECHO")

# The first generation's client takes nothing, or a notice, for a state and parses it.
_CUT_WORDS = ("SyntaxError", "OSError: Received empty string", "ConnectionResetError")
_CUT_MEANS = "so it ends when the server leaves, for instance as a move came too late"

_logger = logging.getLogger(__name__)


class ChildProcess:
    """Runs ``bridge.py``; leaving its ``with`` block ends it, whatever it is doing."""

    def __init__(self, folder: Path, job: Mapping[str, Any], silence_limit: float) -> None:
        """Start the child.

        Args:
            folder: Where the course's client lies; the child's working directory.
            job: See ``bridge``.
            silence_limit: Seconds without a call after which the child is given up.
        """
        environment = {name: os.environ[name] for name in os.environ if name not in _WITHHELD}
        self._silence_limit = silence_limit
        # Ctrl-C is for the parent, which then ends the child.
        self._process = process = subprocess.Popen(
            [sys.executable, "-P", str(_BRIDGE), json.dumps(job)],
            cwd=folder,
            env=environment | {"PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        self._pipes = [
            pipe for pipe in (process.stdin, process.stdout, process.stderr) if pipe is not None
        ]
        self._answers, calls, words = self._pipes
        self._calls: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._words: collections.deque[str] = collections.deque(maxlen=1)
        self._threads = [
            threading.Thread(target=self._collect_calls, args=[calls], daemon=True),
            threading.Thread(target=self._collect_words, args=[words], daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        """Return the child itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the child."""
        self._process.kill()
        self._process.wait()
        for thread in self._threads:
            thread.join()
        for pipe in self._pipes:
            # What a dead child no longer reads is lost.
            with contextlib.suppress(OSError):
                pipe.close()

    def next_call(self) -> list[Any]:
        """Return the name of what the child calls next, and the arguments.

        Raises:
            OHTError: The child has died, or is silent, as its server probably is.
        """
        try:
            line = self._calls.get(timeout=self._silence_limit)
        except queue.Empty as error:
            raise OHTError(
                f"no word from the course's client for {self._silence_limit:g} seconds;"
                " oht.silence_limit says how long to wait"
            ) from error
        if line is None:
            words = self.last_words()
            meaning = f" ({_CUT_MEANS})" if words.startswith(_CUT_WORDS) else ""
            raise OHTError(f"the course's client broke down: {words}{meaning}")
        call: list[Any] = json.loads(line)
        return call

    def answer(self, value: object) -> None:
        """Answer the last call."""
        # That the child has died is found at the next call.
        with contextlib.suppress(OSError):
            self._answers.write(json.dumps(value) + "\n")
            self._answers.flush()

    def last_words(self) -> str:
        """Wait for the end of the child, and return the last line that it has printed."""
        try:
            status = self._process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        for thread in self._threads:
            thread.join()
        return self._words[0] if self._words else f"exit status {status}"

    def _collect_calls(self, pipe: IO[str]) -> None:
        for line in pipe:
            self._calls.put(line)
        self._calls.put(None)

    def _collect_words(self, pipe: IO[str]) -> None:
        for line in pipe:
            if line.strip():
                self._words.append(line.strip())
                _logger.info("the course's client: %s", line.rstrip())
