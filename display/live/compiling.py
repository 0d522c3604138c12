"""What is seen while kernels are compiled, which happens once: how many, how long, how far."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from display.live.screen import Screen

_SECONDS_EACH = 0.5


@contextmanager
def show_compiling(kernels: int, processes: int) -> Iterator[Callable[[], None]]:
    """Say on the standard error that kernels are compiled; a terminal sees how far that is.

    Args:
        kernels: How many.
        processes: How many are compiled at a time.

    Yields:
        What to call when one is compiled.
    """
    seconds = 5 * max(1, round(kernels * _SECONDS_EACH / processes / 5))
    text = f"Compiling {kernels} kernels, once: about {seconds} s"
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        console.print(text, soft_wrap=True)
        yield lambda: None
        return
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        console=console,
        transient=True,
    )
    with Screen.in_use.paused() if Screen.in_use else nullcontext(), progress:
        yield partial(progress.advance, progress.add_task(text, total=kernels))
