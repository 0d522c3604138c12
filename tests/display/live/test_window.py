"""Games in a window, with a toolkit without a screen."""

import os
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.backend_bases import (
    CloseEvent,
    Event,
    FigureManagerBase,
    KeyEvent,
    MouseButton,
    MouseEvent,
)
from matplotlib.backends.backend_agg import FigureCanvasAgg
from rich.console import Console

from display.boards.cells import cell_centers
from display.live.display import DisplayError
from display.live.keys import KeyListener
from display.live.window import WindowDisplay
from mcts import Thought
from state_manager import make_game
from tests.display.conftest import params

Window = Callable[..., WindowDisplay]


class PretendedManager(FigureManagerBase):
    """A window that is opened without a screen."""

    def show(self) -> None:
        """Open it."""


class PretendedCanvas(FigureCanvasAgg):
    """A canvas in a window; it counts how often it was drawn."""

    required_interactive_framework = "headless"
    manager_class = PretendedManager
    drawn = 0
    planned: ClassVar[list[Callable[[], object]]] = []

    def draw_idle(self, *args: Any, **kwargs: Any) -> None:
        self.draw()  # type: ignore[no-untyped-call]
        PretendedCanvas.drawn += 1

    def flush_events(self) -> None:
        """Handle what a test has planned for the next time."""
        if PretendedCanvas.planned:
            PretendedCanvas.planned.pop(0)()


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[PretendedCanvas]]:
    """Let matplotlib open invisible windows."""
    module = ModuleType("pretended_backend")
    module.FigureCanvas = PretendedCanvas  # type: ignore[attr-defined]
    module.FigureManager = PretendedManager  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pretended_backend", module)
    PretendedCanvas.drawn = 0
    PretendedCanvas.planned = []
    pyplot.switch_backend("module://pretended_backend")
    yield PretendedCanvas
    pyplot.close("all")
    pyplot.switch_backend("agg")


@pytest.fixture
def window(screen: object, plain_console: Console) -> Window:
    return lambda game, **changes: WindowDisplay(
        game, params(mode="window", **changes), plain_console
    )


def happen(display: WindowDisplay, name: str, kind: type[Event], *about: Any) -> None:
    """Send an event to a window, as a toolkit does."""
    canvas = display._figure.canvas
    canvas.callbacks.process(name, kind(name, canvas, *about))


def close(display: WindowDisplay) -> Callable[[], object]:
    """Return the closing of a window by its user."""
    return lambda: happen(display, "close_event", CloseEvent)


def press(display: WindowDisplay, key: str) -> Callable[[], object]:
    return lambda: happen(display, "key_press_event", KeyEvent, key)


def click(display: WindowDisplay, cell: int) -> Callable[[], object]:

    def clicked() -> None:
        place = display._axes.transData.transform(cell_centers(display.game)[cell])
        happen(display, "button_press_event", MouseEvent, *place, MouseButton.LEFT)

    return clicked


@pytest.fixture
def typing(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], object]]:
    """Return a function that types at the standard input, which is no terminal."""
    ours, theirs = os.pipe()
    with os.fdopen(ours) as stdin, os.fdopen(theirs, "w") as keyboard:
        monkeypatch.setattr(sys, "stdin", stdin)

        def type_in(text: str) -> None:
            keyboard.write(text)
            keyboard.flush()

        yield type_in


@pytest.mark.parametrize(
    ("name", "clicks", "answer"),
    [
        ("hex", [7], "c2"),
        ("tic_tac_toe", [7], "b3"),
        ("connect_four", [3], "column 3"),
        ("hexapawn", [6, 3], "a1 to a2"),
        ("hexapawn", [0, 7, 4], "b1 to b2"),
        ("nim", [7], "take 3"),
    ],
)
def test_clicks_are_moves(
    name: str,
    clicks: list[int],
    answer: str,
    screen: type[PretendedCanvas],
    window: Window,
    typing: Callable[[str], object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = make_game(name, **({"stones": 10, "max_take": 3} if name == "nim" else {}))
    with window(game) as shown:
        shown.on_game_start("game", ("a", "b"), game.initial_state(1))
        screen.planned = [click(shown, cell) for cell in clicks]
        assert shown.ask("your move: ") == answer
        typing("typed\n")
        assert shown.ask("your move: ") == "typed", "typing goes on working"
        typing("one\ntwo\n")
        assert [shown.ask(""), shown.ask("")] == ["one", "two"]
        screen.planned = [close(shown), lambda: None]
        typing("three\n")
        assert shown.ask("") == "three", "without the window as well"
        with open(os.devnull) as nothing:
            monkeypatch.setattr(sys, "stdin", nothing)
            with pytest.raises(EOFError):
                shown.ask("your move: ")


def test_keys_in_the_window_change_what_it_shows(
    screen: type[PretendedCanvas], window: Window, hex_game: Any
) -> None:
    with window(hex_game.game) as shown:
        shown.on_game_start("game", ("a", "b"), hex_game.states[0])
        thought = Thought(np.full(16, 1 / 16), 0.5)
        screen.planned = [press(shown, "t"), press(shown, "c")]
        shown.on_move(hex_game.states[1], hex_game.actions[0], thought)
        shown._wait(0.0)
        shown._handle_events()
        shown._handle_events()
        words = [text.get_text() for text in shown._axes.texts]
        assert words.count("6") == 15
        assert any("value +0.50 for red" in each for each in words)
        assert "0" in words, "rows and columns in the course's notation"
        screen.planned = [press(shown, "d")]
        shown._handle_events()
        shown.on_move(hex_game.states[2], hex_game.actions[1], thought)
        shown._handle_events()
        assert not shown._axes.texts, "no board stands as if its game went on"
        assert "No games are shown" in shown._axes.get_title()


@pytest.mark.parametrize(("ending", "over"), [("key", True), ("close", True), ("key", False)])
def test_the_last_board_stays_until_a_key_or_the_window_is_closed(
    ending: str,
    over: bool,
    screen: type[PretendedCanvas],
    window: Window,
    monkeypatch: pytest.MonkeyPatch,
    hex_game: Any,
) -> None:
    seen: list[bool] = []
    with window(hex_game.game) as shown:
        monkeypatch.setattr(KeyListener, "resume", lambda self: None)
        monkeypatch.setattr(KeyListener, "listening", property(lambda self: True))
        if over:
            hex_game.announce(shown)
        ends = press(shown, "x") if ending == "key" else close(shown)
        screen.planned = [lambda: seen.append(bool(pyplot.get_fignums())), ends]
    assert seen == ([True] if over else [])
    assert not pyplot.get_fignums() or ending == "close"


def test_every_state_of_a_shown_game_is_drawn(
    screen: type[PretendedCanvas], window: Window, nim_game: Any
) -> None:
    with window(nim_game.game, every=2) as shown:
        for number in range(1, 4):
            nim_game.announce(shown, f"episode {number}")
        assert pyplot.get_fignums()
    assert screen.drawn == 2 * len(nim_game.states)
    assert not pyplot.get_fignums(), "the window is closed at the end"


def test_closing_the_window_switches_the_display_off_and_stops_nothing(
    screen: type[PretendedCanvas], window: Window, nim_game: Any
) -> None:
    with window(nim_game.game, delay=1) as shown:
        close(shown)()
        assert not shown.enabled
        nim_game.announce(shown)
        assert screen.drawn == 0
        shown.delay = 0
        shown.toggle()
        nim_game.announce(shown)
        assert screen.drawn == len(nim_game.states), "switched on again, a new window is there"


def test_a_missing_screen_gives_one_line_with_a_hint(hex_game: Any) -> None:
    pyplot.switch_backend("agg")
    with pytest.raises(DisplayError) as caught:
        WindowDisplay(hex_game.game, params(mode="window"))
    assert "use display.mode=terminal or display.mode=file" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not pyplot.get_fignums()
