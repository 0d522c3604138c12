"""The terminal: a live area with a board over a progress bar; progress of compilation."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from itertools import count
from textwrap import fill
from typing import Any, ClassVar, NamedTuple, Self

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn
from rich.text import Text

from base.storage import printable
from display.boards.terminal import RED_WORD

_CLOCK_TICKS_PER_SECOND = 1
_SECONDS_BETWEEN_STEPS = 0.125
_PLAIN_STEPS = 10
_SECONDS_OF_SPEED = 3600.0
"""Window of steps for the estimate of the remaining time; long runs take minutes per step."""
_LONGEST_LINE = 5000  # characters: all moves on a large board
_SECONDS_EACH = 0.4
_SECONDS_OF_STARTING = 2.0
_MUCH_SLOWER = 4  # factor of the compile time on a slow or busy machine
_KERNELS_A_LINE = 6  # at least; or a quarter of them all


class Screen:
    """Owns the one live area of a console; elsewhere than on a terminal it writes plain lines.

    The area is drawn when something in it changes, and each second for the clock: over a slow line
    a board eight times a second is too much. Steps that follow each other fast are drawn together.
    """

    in_use: ClassVar[Screen | None] = None
    """The screen that has its live area open, if there is one."""

    def __init__(self, console: Console | None = None) -> None:
        """Prepare to write to a console, by default to the standard output."""
        # Names from outside may look like rich's markup, or like the names of its pictures.
        # In a notebook, plain lines: its tables and bars would not be plain text.
        self.console = console or Console(
            highlight=False, markup=False, emoji=False, force_jupyter=False
        )
        # Whether the console is a terminal that can be drawn over.
        self.live = self.console.is_interactive and self.console.file.isatty()
        self._board: RenderableType | None = None
        self._progress: Progress | None = None
        self._plain_steps_shown = 0
        self._area: Live | None = None
        self._last_step_drawn = 0.0
        self._lost: OSError | None = None

    def __enter__(self) -> Self:
        """Open the live area."""
        if self.live:
            self._area = Live(
                console=self.console,
                get_renderable=lambda: _Area(self._board, self._progress, self.hint()),
                refresh_per_second=_CLOCK_TICKS_PER_SECOND,
                transient=True,
            )
            self._area.start()
            Screen.in_use = self
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        """Close the live area; raise an error of an earlier write, or note it at another error."""
        try:
            self.leave(finished=error is None)
            self.stop_progress()
        finally:
            if self._area is not None:
                self._area.stop()
                self._area = Screen.in_use = None
        if self._lost is not None:
            if error is None:
                raise self._lost
            error.add_note(f"{self._lost.filename}: {self._lost.strerror}")

    def leave(self, finished: bool) -> None:
        """Clean up before the live area closes; called after errors, too."""

    def hint(self) -> str:
        """Return the line under the progress bar, as it is at the moment."""
        return ""

    @contextmanager
    def cleared(self) -> Iterator[None]:
        """Clear the live area for a while."""
        if (area := self._area) is None:
            yield
            return
        area.stop()
        try:
            yield
        finally:
            area.start()

    def show_board(self, board: RenderableType | None) -> None:
        """Put a board in the live area at once, or clear it away; does nothing elsewhere."""
        self._board = board
        self.refresh()

    def refresh(self) -> None:
        """Redraw the live area."""
        if self._area is not None:
            self._area.refresh()

    def write(self, content: RenderableType) -> None:
        """Write permanently, above the live area; a full disk is reported at the end."""
        if self._lost is not None:
            return
        try:
            self.console.print(content, soft_wrap=isinstance(content, Text))
        except BrokenPipeError:
            raise  # the reader has closed the pipe
        except OSError as error:
            self._lost = OSError(error.errno, error.strerror, "standard output")

    def message(self, *lines: str) -> None:
        """Write lines, broken between words but not in paths; control characters are shown."""
        shown = [printable(line, _LONGEST_LINE) for line in lines]
        if self.live:
            shown = [line if os.sep in line else fill(line, self.console.width) for line in shown]
        if shown:
            self.write(Text("\n".join(shown)))

    def start_progress(self, description: str, total: int) -> None:
        """Start a progress bar, ending the one before."""
        self.stop_progress()
        self._progress = Progress(
            TextColumn("{task.description}", style="bold", markup=False),
            BarColumn(bar_width=None, complete_style=RED_WORD, finished_style="green"),
            MofNCompleteColumn(),
            _Times(),
            TextColumn("{task.fields[status]}", style="cyan", markup=False),
            console=self.console,
            auto_refresh=False,
            expand=True,
            speed_estimate_period=_SECONDS_OF_SPEED,
        )
        self._progress.add_task(description, total=total, status="")
        self._plain_steps_shown = 0
        self.refresh()

    def advance(self, steps: int = 1, status: str | None = None) -> None:
        """Advance the progress bar, with a short status such as "loss 2.31"."""
        if self._progress is None:
            return
        fields: dict[str, Any] = {} if status is None else {"status": status}
        (task,) = self._progress.tasks
        self._progress.update(task.id, advance=steps, **fields)
        if not self.live:
            total = max(1, round(task.total or 1))
            reached = int(task.completed) * _PLAIN_STEPS // total
            if reached > self._plain_steps_shown:
                self._plain_steps_shown = reached
                parts = f"{task.description}: {int(task.completed)}/{total}", _times(task)
                self.write(Text(", ".join(filter(None, (*parts, task.fields["status"])))))
        elif time.monotonic() - self._last_step_drawn >= _SECONDS_BETWEEN_STEPS:
            self._last_step_drawn = time.monotonic()
            self.refresh()

    def stop_progress(self) -> None:
        """End the progress bar; on a terminal the finished bar stays above."""
        progress, self._progress = self._progress, None
        if progress is not None and self.live:
            progress.stop_task(progress.task_ids[0])
            self.console.print(progress)


class _Area(NamedTuple):
    """A board, a progress bar and a hint, as much of them as the terminal has lines for."""

    board: RenderableType | None
    progress: Progress | None
    hint: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw from top to bottom; a board that does not fit is replaced by a line, never cut."""
        footer = [] if self.progress is None else [self.progress.get_renderable()]
        room = console.height - len(footer) - bool(self.hint)
        if self.board is not None:
            yield from console.render(self.board, options.update(height=max(1, room)))
        yield from footer
        if self.hint:
            yield Text(self.hint, "dim", no_wrap=True, overflow="ellipsis")


class _Times(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(_times(task), "dim", no_wrap=True, overflow="ellipsis")


def _times(task: Task) -> str:
    elapsed = _clock(task.finished_time if task.finished else task.elapsed)
    remaining = None if task.finished or task.stop_time is not None else task.time_remaining
    return elapsed if remaining is None else f"{elapsed}, {_clock(remaining)} left"


def _clock(seconds: float | None) -> str:
    """Seconds as 0:42, 12:05 or 1:02:03."""
    minutes, rest = divmod(round(seconds or 0), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@contextmanager
def show_compiling(kernels: int, processes: int) -> Iterator[Callable[[], None]]:
    """Show how many kernels are compiled; yields a function to call when one is."""
    seconds = _SECONDS_OF_STARTING * (processes > 1) + kernels * _SECONDS_EACH / processes
    short = 5 * max(1, round(seconds / 5))
    long = 5 * max(2, round(_MUCH_SLOWER * seconds / 5))
    text = f"Compiling {kernels} kernels, once: about {short} to {long} s"
    console = Console(stderr=True, highlight=False, force_jupyter=False)
    if not console.is_terminal:
        console.print(text, soft_wrap=True)
        began, counter, step = time.monotonic(), count(1), max(_KERNELS_A_LINE, kernels // 4)

        def one_is_compiled() -> None:
            if (compiled := next(counter)) % step == 0:
                seconds = time.monotonic() - began
                left = seconds / compiled * (kernels - compiled)
                line = f"compiled: {compiled}/{kernels}, {seconds:.0f} s, about {left:.0f} s left"
                console.print(line, soft_wrap=True)

        yield one_is_compiled
        return
    columns = TextColumn("{task.description}"), BarColumn(None), MofNCompleteColumn(), _Times()
    progress = Progress(*columns, console=console, transient=True, expand=True)
    with Screen.in_use.cleared() if Screen.in_use else nullcontext(), progress:
        yield partial(progress.advance, progress.add_task(text, total=kernels))
