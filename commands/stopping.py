"""How the program is asked to stop: Ctrl-C, SIGTERM, or a terminal that is closed."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_STANDARD_STREAMS = (0, 1, 2)


@contextmanager
def stop_signals() -> Iterator[list[int]]:
    """Let SIGTERM and SIGHUP do what Ctrl-C does, wherever that is heard or held back.

    What was to be ignored, as ``nohup`` has it, stays so.

    Yields:
        The numbers of those that came; the exit status is then 128 and the first of them.
    """
    heard: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield heard
        return
    terminals = [stream for stream in _STANDARD_STREAMS if _is_terminal(stream)]

    def stop(number: int, frame: FrameType | None) -> None:
        heard.append(number)
        _forget_closed(terminals)
        signal.raise_signal(signal.SIGINT)

    def interrupt(number: int, frame: FrameType | None) -> None:
        if heard:
            signal.default_int_handler(number, frame)

    previous = {}
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            previous[number] = signal.signal(number, stop)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a job in the background of a script
        previous[signal.SIGINT] = signal.signal(signal.SIGINT, interrupt)
    try:
        yield heard
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _is_terminal(stream: int) -> bool:
    try:
        return os.isatty(stream)
    except OSError:
        return False


def _forget_closed(terminals: list[int]) -> None:
    """Let nothing be read from or written to terminals that are gone: each try would fail."""
    for stream in terminals:
        if not _is_terminal(stream):
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, stream)
            os.close(null)
