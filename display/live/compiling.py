"""What is seen while kernels are compiled, which happens once: how many, how long, how far."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from display.live.screen import Screen

_SECONDS_EACH = 0.4
_SECONDS_OF_STARTING = 2.0
_MUCH_SLOWER = 4
"""How many times as long it takes on a machine that is slow, or busy."""
_KERNELS_A_LINE = 6
"""At least; or a quarter of them all."""


@contextmanager
def show_compiling(kernels: int, processes: int) -> Iterator[Callable[[], None]]:
    """Say on the standard error that kernels are compiled, and how far that is.

    A terminal sees a bar and a clock; elsewhere each quarter is said in a line.

    Args:
        kernels: How many.
        processes: How many are compiled at a time.

    Yields:
        What to call when one is compiled.
    """
    seconds = _SECONDS_OF_STARTING * (processes > 1) + kernels * _SECONDS_EACH / processes
    short = 5 * max(1, round(seconds / 5))
    long = 5 * max(2, round(_MUCH_SLOWER * seconds / 5))
    text = f"Compiling {kernels} kernels, once: about {short} to {long} s"
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        console.print(text, soft_wrap=True)
        yield _plain_progress(console, kernels)
        return
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        expand=True,
    )
    with Screen.in_use.cleared() if Screen.in_use else nullcontext(), progress:
        yield partial(progress.advance, progress.add_task(text, total=kernels))


def _plain_progress(console: Console, kernels: int) -> Callable[[], None]:
    """Return what says in a line that another quarter is compiled, and guesses at the rest."""
    began, compiled, step = time.monotonic(), 0, max(_KERNELS_A_LINE, kernels // 4)

    def one_is_compiled() -> None:
        nonlocal compiled
        compiled += 1
        if compiled % step == 0:
            seconds = time.monotonic() - began
            left = seconds / compiled * (kernels - compiled)
            line = f"compiled: {compiled}/{kernels}, {seconds:.0f} s, about {left:.0f} s left"
            console.print(line, soft_wrap=True)

    return one_is_compiled
