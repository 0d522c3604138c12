"""Lines from the standard input, while something else goes on."""

from __future__ import annotations

import os
import select
import sys
import time


class LineReader:
    """Gathers what is typed until it is a line; it never waits longer than it is told to."""

    def __init__(self) -> None:
        """Begin a line."""
        self._typed = b""

    def poll(self, seconds: float) -> str | None:
        """Return a line without its end, if there is one within so many seconds.

        Raises:
            EOFError: The input has ended.
        """
        if sys.platform == "win32":
            return self._poll_windows(seconds)
        if sys.stdin is None:
            raise EOFError
        descriptor = sys.stdin.fileno()
        # One byte at a time: what follows the line is left to whoever reads next.
        while select.select([descriptor], [], [], seconds)[0]:
            byte = os.read(descriptor, 1)
            if not byte and not self._typed:
                raise EOFError
            if byte in (b"", b"\n"):
                line, self._typed = self._typed, b""
                return line.decode(errors="replace")
            self._typed += byte
            seconds = 0.0
        return None

    if sys.platform == "win32":

        def _poll_windows(self, seconds: float) -> str | None:
            """Gather keys, which a console hands out one by one."""
            import msvcrt

            time.sleep(seconds)
            while msvcrt.kbhit():
                key = msvcrt.getwche()
                if key == "\x1a":
                    raise EOFError
                if key in "\r\n":
                    line, self._typed = self._typed, b""
                    return line.decode(errors="replace")
                self._typed = self._typed[:-1] if key == "\b" else self._typed + key.encode()
            return None
