"""Games in a window, drawn move by move, where a person may click a move."""

import time
from contextlib import suppress
from dataclasses import replace
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Circle
from rich.console import Console
from rich.text import Text

from base.params import DisplayParams
from display.boards.cells import begins_a_move, cell_at, cell_centers, clicked_move
from display.boards.moment import GameView
from display.boards.palette import GOLD
from display.boards.picture import draw_board, new_board_figure
from display.live.display import Display, DisplayError
from display.live.keys import LineReader
from mcts import Thought
from state_manager import State, StateManager

_EVENT_SECONDS = 0.05
_OFF = "No games are shown; the key d shows them again."
_HOLDING = "The last board stays until you press a key or close the window."


class WindowDisplay(Display):
    """Shows games in a matplotlib window; the progress bar stays in the terminal.

    Closing the window switches the display off and stops nothing else; the key ``d`` in the
    terminal opens it again. At the end the last board stays until closed, if a person is at the
    terminal or at the window.
    """

    in_terminal = False

    def __init__(
        self, game: StateManager, params: DisplayParams, console: Console | None = None
    ) -> None:
        """Open a window; raise a ``DisplayError`` if matplotlib cannot."""
        super().__init__(game, params, console)
        self._figure: Any = None
        self._axes: Axes  # of the figure
        self._events_handled = 0.0
        self._stale = self._over = False
        self._asking = False
        self._clicks: list[int] = []
        self._clicked: int | None = None
        self._open()

    def leave(self, finished: bool) -> None:
        """Close the window."""
        try:
            if finished:
                self.controls.resume()
                if self._over and self.has_window and self.controls.listening:
                    self.controls.take("any other key: end")
                    self.message(_HOLDING)
                    with suppress(KeyboardInterrupt):
                        self.next_key()
            if (figure := self._figure) is not None:
                from matplotlib import pyplot

                self._figure = None
                pyplot.close(figure)
        finally:
            super().leave(finished)

    def next_key(self) -> str:
        """Wait for a key here or in the terminal; a closed window counts as ``q``."""
        while self.has_window:
            self._handle_events()
            if (key := self.controls.next(_EVENT_SECONDS)) is not None:
                return key
        return "q"

    def _open(self) -> None:
        """Open the window, without blocking and without changing pyplot's settings."""
        try:
            from matplotlib import pyplot

            with pyplot.rc_context({"toolbar": "None"}):
                figure = pyplot.figure(num=f"{self.game.name} {self.game.params}")
            if figure.canvas.required_interactive_framework is None:
                pyplot.close(figure)
                raise RuntimeError("matplotlib found no screen or no GUI toolkit")
            figure.show()
        except Exception as error:
            # Toolkits raise errors of their own classes where there is no screen.
            why, other = " ".join(str(error).split()), "display.mode=terminal or display.mode=file"
            raise DisplayError(f"no window can be opened ({why}): use {other}") from error
        self._figure, self._axes = new_board_figure(self.game, figure)
        canvas: Any = figure.canvas
        # Matplotlib's own keys: q would close the window, and others change the view.
        canvas.mpl_disconnect(canvas.manager.key_press_handler_id)
        canvas.mpl_connect("close_event", self._on_closed)
        canvas.mpl_connect("key_press_event", lambda event: self.controls.hear(event.key or ""))
        canvas.mpl_connect("button_press_event", self._on_click)

    def _on_closed(self, _event: object) -> None:
        if self._figure is not None:
            self._figure = None
            if self.enabled:
                self.toggle()

    def toggle(self) -> None:
        """Switch the showing of games off or on; the window says that it is off."""
        super().toggle()
        self._stale = True

    @property
    def has_window(self) -> bool:
        """Whether the window is open and shows games."""
        return self._figure is not None and self.enabled

    def ask(self, prompt: str) -> str:
        """Wait for a line or a click; without a window as elsewhere."""
        if not self.has_window:
            return super().ask(prompt)
        with self.paused():
            self.console.print(Text(prompt), end="", soft_wrap=True)
            lines = LineReader()
            self._asking, self._clicked = True, None
            try:
                while self.has_window:
                    line = lines.poll(_EVENT_SECONDS)
                    if line is not None:
                        return line
                    self._handle_events()
                    if self._clicked is not None:
                        name = self.names.move(self._clicked)
                        self.console.print(Text(name))
                        return name
            finally:
                self._asking, self._clicks = False, []
        return super().ask("")

    def _on_click(self, event: Any) -> None:
        if not self._asking or event.inaxes is not self._axes:
            return
        cell = cell_at(self.game, event.xdata, event.ydata)
        if cell is None:
            return
        for clicks in ([*self._clicks, cell], [cell]):
            self._clicked = clicked_move(self.game, self._moments[-1].state, clicks)
            if self._clicked is not None:
                return
        self._clicks = [cell] if begins_a_move(self.game, self._moments[-1].state, cell) else []
        self._stale = True

    def _begin(self) -> None:
        self._over = False
        if self._figure is None:
            self._open()

    def _draw(self, view: GameView) -> None:
        self._stale = True
        self._handle_events()

    def _end(self, view: GameView) -> None:
        """Show the winner; the final board stays until the next shown game."""
        self._over = True
        self.message(self._result)

    def _redraw(self, view: GameView) -> None:
        self._stale = True

    def on_move(self, state: State, action: int, thought: Thought | None = None) -> None:
        """Show a move, or keep the window alive while games are played that are not shown."""
        super().on_move(state, action, thought)
        if time.monotonic() - self._events_handled > _EVENT_SECONDS:
            self._handle_events()

    def _wait(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while self.enabled and self._figure is not None:
            left = until - time.monotonic()
            if left <= 0:
                return
            self._handle_events()
            time.sleep(min(left, _EVENT_SECONDS))

    def _handle_events(self) -> None:
        if self._figure is None:
            return
        if not self.enabled and self._stale:
            self._stale = False
            self._axes.clear()
            self._axes.set_axis_off()
            self._axes.set_title(_OFF)
            self._figure.canvas.draw_idle()
        elif self._stale and (shown := self._shown) is not None:
            self._stale, view = False, self._styled(shown)
            title = f"{view.title}   move {view.moves}" if view.moves else view.title
            draw_board(self._axes, replace(view, title=title))
            ring: dict[str, Any] = {"facecolor": "none", "edgecolor": GOLD, "linewidth": 3}
            for cell in self._clicks:  # on the piece that is to be moved
                self._axes.add_patch(Circle(cell_centers(self.game)[cell], 0.44, **ring))
            self._figure.canvas.draw_idle()
        self._figure.canvas.flush_events()
        self._events_handled = time.monotonic()
