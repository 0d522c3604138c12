"""Games in a window, drawn move by move."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from display.display import Display
from display.errors import DisplayError
from display.picture import draw_board, new_board_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import Console

    from params import DisplayParams
    from state_manager import StateManager

State = NDArray[np.int8]

_EVENT_SECONDS = 0.05


class WindowDisplay(Display):
    """Shows games in a matplotlib window; the progress bar stays in the terminal.

    Closing the window switches the display off and stops nothing else; the key ``d`` in the
    terminal opens it again.
    """

    def __init__(
        self, game: StateManager, params: DisplayParams, console: Console | None = None
    ) -> None:
        """Open a window.

        Raises:
            DisplayError: If matplotlib cannot open windows here.
        """
        super().__init__(game, params, console)
        self._figure: Any = None
        self._axes: Axes | None = None
        self._events_handled = 0.0
        self._open()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the window, and give the terminal back."""
        try:
            self._close()
        finally:
            super().__exit__(kind, error, traceback)

    def _open(self) -> None:
        """Open the window, without blocking and without changing pyplot's settings."""
        try:
            from matplotlib import pyplot

            figure = pyplot.figure(num=f"{self.game.name} {self.game.params}")
            shows_windows = figure.canvas.required_interactive_framework is not None
            if shows_windows:
                figure.show()
            else:
                pyplot.close(figure)
        except Exception as error:
            # Toolkits raise errors of their own classes where there is no screen.
            raise DisplayError(_no_window(str(error))) from error
        if not shows_windows:
            raise DisplayError(_no_window("matplotlib found no screen or no GUI toolkit"))
        self._figure, self._axes = new_board_figure(self.game, figure)
        figure.canvas.mpl_connect("close_event", self._on_closed)

    def _close(self) -> None:
        figure, self._figure = self._figure, None
        if figure is not None:
            from matplotlib import pyplot

            pyplot.close(figure)

    def _on_closed(self, _event: object) -> None:
        """The user closed the window, or it is closed at the end."""
        if self._figure is not None:
            self._figure = None
            if self.enabled:
                self.toggle()

    def _begin(self, state: State) -> None:
        """Open the window again if it was closed before."""
        if self._figure is None:
            self._open()

    def _draw(self, state: State, action: int | None) -> None:
        """Draw the board at once."""
        if self._figure is None or self._axes is None:
            return
        title = f"{self._title}   move {self._moves}" if self._moves else self._title
        draw_board(self._axes, self.game, state, action, title, self._players)
        self._figure.canvas.draw_idle()
        self._handle_events()

    def _end(self, state: State, winner: int) -> None:
        """The final board stays until the next game is shown."""

    def _hide(self) -> None:
        """The last board stays in the window: another thread must not draw there."""

    def on_move(self, state: State, action: int) -> None:
        """Show a move, or keep the window alive while games are played that are not shown."""
        super().on_move(state, action)
        if self._figure is not None:
            now = time.monotonic()
            if now - self._events_handled > _EVENT_SECONDS:
                self._handle_events()

    def _wait(self, seconds: float) -> None:
        """Wait while the window goes on to react; stop when the display is switched off."""
        until = time.monotonic() + seconds
        while self.enabled and self._figure is not None:
            left = until - time.monotonic()
            if left <= 0:
                return
            self._handle_events()
            self._toggled.wait(min(left, _EVENT_SECONDS))

    def _handle_events(self) -> None:
        if self._figure is not None:
            self._figure.canvas.flush_events()
        self._events_handled = time.monotonic()


def _no_window(reason: str) -> str:
    """One line that says what to do instead."""
    why = " ".join(reason.split())
    return f"no window can be opened ({why}): use display.mode=terminal or display.mode=file"
