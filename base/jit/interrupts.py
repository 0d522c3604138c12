"""Ctrl-C comes when it may."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def deferred_interrupts() -> Iterator[None]:
    """Hold Ctrl-C back while the block runs, or the function that this decorates.

    It keeps a net from being half trained or half saved. And calls of kernels that take other
    kernels need it: Numba runs some Python on the way into them, and what is raised there comes
    out as another error, if at all.

    Outside the main thread, which alone hears signals, this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed = False

    def remember(signal_number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        pressed = True

    previous = signal.signal(signal.SIGINT, remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
        if pressed:
            signal.raise_signal(signal.SIGINT)
