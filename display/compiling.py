"""What is seen while kernels are compiled, which happens once: how many, how long, how far."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from display.screen import Screen

_SECONDS_EACH = 0.7
_SECONDS_TO_START = 2.0
"""Other processes import Numba before they compile."""
_PLAIN_STEPS = 4


def expected_seconds(kernels: int, processes: int, busy: float = 0.0) -> int:
    """Return how long compiling is likely to take, in steps of 5 seconds.

    Args:
        kernels: How many.
        processes: How many are compiled at a time.
        busy: How many other processes keep the machine's cores busy on average.
    """
    idle = kernels * _SECONDS_EACH / processes + _SECONDS_TO_START
    waiting = max(1.0, (busy + processes) / (os.cpu_count() or 1))
    return 5 * max(1, round(idle * waiting / 5))


@contextmanager
def show_compiling(kernels: int, processes: int) -> Iterator[Callable[[], None]]:
    """Say on the standard error that kernels are compiled, and how far that is.

    A terminal sees a bar; elsewhere a line is written for each quarter.

    Args:
        kernels: How many.
        processes: How many are compiled at a time.

    Yields:
        What to call when one is compiled.
    """
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    seconds = expected_seconds(kernels, processes, busy)
    text = f"Compiling {kernels} kernels, once: about {seconds} s"
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        console.print(text, soft_wrap=True)
        yield _plain_lines(console, kernels)
        return
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )
    with Screen.in_use.paused() if Screen.in_use else nullcontext(), progress:
        yield partial(progress.advance, progress.add_task(text, total=kernels))


def _plain_lines(console: Console, kernels: int) -> Callable[[], None]:
    """Return what to call for each kernel; it writes a line for each quarter of them."""
    began = time.perf_counter()
    compiled = 0

    def one_is_compiled() -> None:
        nonlocal compiled
        compiled += 1
        if compiled * _PLAIN_STEPS // kernels == (compiled - 1) * _PLAIN_STEPS // kernels:
            return
        seconds = time.perf_counter() - began
        words = f"about {seconds * (kernels / compiled - 1):.0f} s left"
        if compiled == kernels:
            words = f"{seconds:.0f} s in all"
        console.print(f"  {compiled} of {kernels} kernels, {words}", soft_wrap=True)

    return one_is_compiled
