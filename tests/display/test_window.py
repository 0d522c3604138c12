"""Games in a window, with a toolkit that only pretends to have a screen."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest
from matplotlib import pyplot
from matplotlib.backend_bases import CloseEvent, FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from rich.console import Console

from display import DisplayError, WindowDisplay
from params import DisplayParams

MakeParams = Callable[..., DisplayParams]


class PretendedManager(FigureManagerBase):
    """A window that is opened without a screen."""

    def show(self) -> None:
        """Open it."""


class PretendedCanvas(FigureCanvasAgg):
    """A canvas in a window; it counts how often it was drawn."""

    required_interactive_framework = "headless"
    manager_class = PretendedManager
    drawn = 0

    def draw_idle(self, *args: Any, **kwargs: Any) -> None:
        """Draw now."""
        self.draw()  # type: ignore[no-untyped-call]
        PretendedCanvas.drawn += 1

    def flush_events(self) -> None:
        """Handle nothing."""


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[PretendedCanvas]]:
    """Let matplotlib open windows that nobody sees."""
    module = ModuleType("pretended_backend")
    module.FigureCanvas = PretendedCanvas  # type: ignore[attr-defined]
    module.FigureManager = PretendedManager  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pretended_backend", module)
    PretendedCanvas.drawn = 0
    pyplot.switch_backend("module://pretended_backend")
    yield PretendedCanvas
    pyplot.close("all")
    pyplot.switch_backend("agg")


def close(display: WindowDisplay) -> None:
    """Close a window as a user does."""
    canvas = display._figure.canvas
    canvas.callbacks.process("close_event", CloseEvent("close_event", canvas))


def test_every_state_of_a_shown_game_is_drawn(
    screen: type[PretendedCanvas], hex_game: Any, make_params: MakeParams, plain_console: Console
) -> None:
    with WindowDisplay(hex_game.game, make_params(mode="window", every=2), plain_console) as shown:
        for number in range(1, 4):
            hex_game.announce(shown, f"episode {number}")
        assert pyplot.get_fignums()
    assert screen.drawn == 2 * len(hex_game.states)
    assert not pyplot.get_fignums(), "the window is closed at the end"


def test_closing_the_window_switches_the_display_off_and_stops_nothing(
    screen: type[PretendedCanvas], hex_game: Any, make_params: MakeParams, plain_console: Console
) -> None:
    with WindowDisplay(hex_game.game, make_params(mode="window", delay=1), plain_console) as shown:
        close(shown)
        assert not shown.enabled
        hex_game.announce(shown)
        assert screen.drawn == 0
        shown.delay = 0
        shown.toggle()
        hex_game.announce(shown)
        assert screen.drawn == len(hex_game.states), "switched on again, a new window is there"


def test_the_progress_stays_in_the_terminal(
    screen: type[PretendedCanvas], hex_game: Any, make_params: MakeParams, plain_console: Console
) -> None:
    with WindowDisplay(hex_game.game, make_params(mode="window"), plain_console) as shown:
        shown.start_progress("training", 1)
        hex_game.announce(shown)
        shown.advance()
    text = plain_console.file.getvalue()  # type: ignore[attr-defined]
    assert "training: 1/1" in text
    assert "rows" not in text


def test_without_a_screen_one_line_says_what_to_do(hex_game: Any, make_params: MakeParams) -> None:
    pyplot.switch_backend("agg")
    with pytest.raises(DisplayError) as caught:
        WindowDisplay(hex_game.game, make_params(mode="window"))
    assert "use display.mode=terminal or display.mode=file" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not pyplot.get_fignums()
