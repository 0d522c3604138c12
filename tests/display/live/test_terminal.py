"""Games and progress in terminals of all kinds, and in files; which games are shown."""

import io
import itertools
import os
import re
import threading
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.color import Color
from rich.console import Console
from rich.segment import Segment
from rich.text import Text

from base.params import DisplayParams
from display.boards.moment import GameView
from display.boards.terminal import TerminalBoard
from display.live.display import Display
from display.live.screen import Screen, show_compiling
from state_manager import make_game
from tests.display.conftest import params
from tests.display.tables import shown, view_of
from tests.project import TIMEOUT, wait_until


def without_escapes(text: str) -> str:
    return Text.from_ansi(text).plain


def written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_colour_adds_only_colour(hex_game: Any) -> None:
    view = hex_game.views("episode 1 of 3", ("ANET 50", "MCTS"))[-1]
    console = Console(file=io.StringIO(), width=80, height=60, force_terminal=True)
    console.print(TerminalBoard(view))
    assert "\x1b[" in written(console)
    bare = [line.rstrip() for line in without_escapes(written(console)).splitlines()]
    assert [line for line in bare if line] == [
        line for line in shown(TerminalBoard(view)).splitlines() if line
    ]


def test_a_file_gets_the_end_of_each_shown_game_and_no_control_codes(
    hex_game: Any, plain_console: Console
) -> None:
    plain_console.get_time = lambda: 0.0
    with Display(hex_game.game, params(every=2, delay=5), plain_console) as display:
        display.start_progress("training", 5)
        for number in range(1, 6):
            hex_game.announce(display, f"episode {number} of 5")
            display.advance(1, status=f"loss {number}.0")
    text = written(plain_console)
    assert "\x1b" not in text
    assert "\r" not in text
    titles = [line.split("  ")[0] for line in text.splitlines() if line.startswith("episode")]
    assert titles == ["episode 1 of 5", "episode 2 of 5", "episode 4 of 5"]
    assert text.count("rows ↘") == 3
    assert "training: 5/5, 0:00, loss 5.0" in text


@pytest.mark.parametrize(("total", "lines"), [(200, 10), (10, 10), (3, 3), (1, 1), (0, 0)])
def test_a_file_gets_a_line_for_each_tenth_of_the_way(
    total: int, lines: int, hex_game: Any, plain_console: Console
) -> None:
    with Display(hex_game.game, params(), plain_console) as display:
        display.start_progress("games", total)
        for _ in range(total):
            display.advance()
    assert len(written(plain_console).splitlines()) == lines


def test_a_display_that_is_off_draws_nothing_and_never_waits(
    hex_game: Any, plain_console: Console
) -> None:
    with Display(hex_game.game, params(mode="off", delay=60), plain_console) as display:
        hex_game.announce(display)
    assert written(plain_console) == ""


def test_a_display_switched_on_begins_with_the_game_that_is_being_played(
    hex_game: Any, plain_console: Console
) -> None:
    display = Display(hex_game.game, params(mode="off", every=50), plain_console)
    with display:
        hex_game.announce(display, "first")
        hex_game.announce(display, "second", toggled_at=(2,))
        hex_game.announce(display, "third")
        display.toggle()
        hex_game.announce(display, "fourth")
        display.toggle()
        hex_game.announce(display, "fifth")
    text = written(plain_console)
    assert f"second   move {len(hex_game.actions)}" in text
    assert "fifth" in text, "switched on between games, it shows the next one"
    assert all(title not in text for title in ("first", "third", "fourth"))


def test_switching_off_ends_a_long_delay_at_once(hex_game: Any, terminal_console: Console) -> None:
    with Display(hex_game.game, params(delay=60), terminal_console) as display:
        game = threading.Thread(target=hex_game.announce, args=(display,))
        game.start()
        wait_until(lambda: display._shown is not None)
        display.toggle()
        game.join(timeout=TIMEOUT)
        assert not game.is_alive()
    assert "wins" not in written(terminal_console)


def test_the_live_area_shows_board_and_progress_and_leaves_the_end_behind(
    hex_game: Any, terminal_console: Console
) -> None:
    path = f"Kept in {os.sep.join(['a folder'] * 20)}"
    with Display(hex_game.game, params(), terminal_console) as display:
        display.start_progress("training", 1)
        hex_game.announce(display)
        display.advance(1, status="loss [2.31]")
        with display.paused():
            before = written(terminal_console)
            display.refresh()
            assert written(terminal_console) == before, "nothing is drawn while a human types"
        display.message("saved [bold]anet_00001.pt[/bold]", "word " * 30, path)
    text = without_escapes(written(terminal_console))
    for words in ("last move", "wins in", "1/1", "loss [2.31]", "saved [bold]anet_00001.pt[/bold]"):
        assert words in text
    lines = text.splitlines()
    assert path in lines, "a path is not broken"
    assert [line.count("word") for line in lines if "word" in line] == [16, 14]


def test_slow_steps_still_show_the_remaining_time() -> None:
    output, clock = io.StringIO(), itertools.count(0, 100)
    with Screen(Console(file=output, width=80, get_time=lambda: float(next(clock)))) as screen:
        screen.start_progress("training", 10)
        for _ in range(10):
            screen.advance()
    lines = output.getvalue().splitlines()
    assert len(lines) == 10
    assert all(re.search(r"\d/10, [\d:]+, [\d:]+ left$", line) for line in lines[1:-1]), lines
    assert "left" not in lines[-1]


GAME = make_game("hex", size=3)


class Counted(Display):
    def __init__(self, every: int = 1) -> None:
        super().__init__(GAME, DisplayParams(mode="terminal", every=every, delay=0.0))

    def shows_next(self) -> bool:
        """Announce a game, and return whether it is shown."""
        self.shown = False
        self.on_game_start("", ("", ""), GAME.initial_state())
        return self.shown

    def _draw(self, view: GameView) -> None:
        self.shown = True

    def _end(self, view: GameView) -> None:
        """Print nothing."""


def test_training_shows_the_first_episode_and_every_nth_and_goes_on_counting() -> None:
    chosen = Counted(50)
    assert [number for number in range(1, 201) if chosen.shows_next()] == [1, 50, 100, 150, 200]
    chosen.show_every(50, played=120)
    assert [number for number in range(121, 201) if chosen.shows_next()] == [150, 200]


def test_each_series_shows_its_first_games() -> None:
    chosen, shown = Counted(), []
    chosen.show_first(2)
    for series in range(3):
        chosen.new_series()
        shown += [(series, game) for game in range(5) if chosen.shows_next()]
    assert shown == [(series, game) for series in range(3) for game in range(2)]


@given(st.integers(1, 30), st.integers(0, 60))
def test_a_new_series_does_not_disturb_the_count_of_episodes(every: int, before: int) -> None:
    disturbed, left_alone = Counted(every), Counted(every)
    for _ in range(before):
        assert disturbed.shows_next() == left_alone.shows_next()
    disturbed.new_series()
    after = [[each.shows_next() for _ in range(60)] for each in (disturbed, left_alone)]
    assert after[0] == after[1]


def test_a_file_gets_a_line_for_each_quarter(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr("display.live.screen.time", SimpleNamespace(monotonic=lambda: now))
    with show_compiling(41, 2) as one_is_compiled:
        for _ in range(41):
            now += 0.5
            one_is_compiled()
    output, errors = capsys.readouterr()
    assert output == ""
    assert errors.splitlines() == [
        "Compiling 41 kernels, once: about 10 to 40 s",
        "compiled: 10/41, 5 s, about 16 s left",
        "compiled: 20/41, 10 s, about 10 s left",
        "compiled: 30/41, 15 s, about 6 s left",
        "compiled: 40/41, 20 s, about 0 s left",
    ]


def test_a_terminal_shows_the_progress(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    with show_compiling(7, 1) as one_is_compiled:
        for _ in range(7):
            one_is_compiled()
    output, errors = capsys.readouterr()
    assert output == ""
    assert "Compiling 7 kernels, once: about 5 to 10 s" in errors
    assert "7/7" in errors


def test_a_live_board_is_hidden_during_compilation(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    console = Console(force_terminal=True, force_interactive=True)
    monkeypatch.setattr(type(console.file), "isatty", lambda self: True, raising=False)
    with Screen(console) as screen:
        screen.show_board("the board")
        assert Screen.in_use is screen
        capsys.readouterr()
        with show_compiling(7, 1):
            capsys.readouterr()
            screen.show_board("another board")
            assert "another board" not in capsys.readouterr().out
        screen.refresh()
        assert "another board" in capsys.readouterr().out
    assert Screen.in_use is None


SYSTEMS = ("truecolor", "256", "standard")


def segments_of(view: GameView, system: Any) -> list[Segment]:
    console = Console(file=io.StringIO(), force_terminal=True, color_system=system, width=80)
    return list(console.render(TerminalBoard(view), console.options))


@pytest.fixture(scope="module")
def large_game() -> Any:
    """Hex on 10 x 10, whose board needs 20 lines."""
    return make_game("hex", size=10)


def colours(segments: list[Segment], character: str) -> set[tuple[Color | None, Color | None]]:
    """Return in which inks and on which papers a character is drawn."""
    styles = [segment.style for segment in segments if character in segment.text]
    return {(style.color, style.bgcolor) for style in styles if style is not None}


def lightness(colour: Color | None) -> float:
    assert colour is not None
    return sum(colour.get_truecolor()) / 765


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_board_is_light_and_red_is_red_with_any_number_of_colours(
    system: str, hex_game: Any
) -> None:
    view = view_of(hex_game.game, hex_game.actions[:6])
    segments = segments_of(view, system)
    for colour, paper in colours(segments, "●") | colours(segments, "·"):
        if paper is None:
            continue
        red, green, blue = paper.get_truecolor()
        assert min(red, green, blue) >= 192
        assert max(red, green, blue) - green <= 12, "neither pink nor blue"
        assert lightness(colour) < 0.55
    for colour, _ in colours(segments, "●"):
        assert colour is not None
        red, green, blue = colour.get_truecolor()
        assert red >= 128
        assert max(green, blue) < red / 3


@pytest.mark.parametrize(("system", "most"), [("256", 256), ("standard", 16), ("windows", 16)])
def test_every_role_has_a_style_and_no_colour_is_left_to_be_converted(
    system: str, most: int, hex_game: Any
) -> None:
    others: tuple[tuple[str, list[int]], ...]
    others = (("ledge", []), ("hexapawn", [1]), ("tic_tac_toe", [0, 3, 1, 4, 2]), ("nim", []))
    views = [view_of(hex_game.game, hex_game.actions)]
    views += [view_of(make_game(name), actions) for name, actions in others]
    styles = [each.style for view in views for each in segments_of(view, system) if each.style]
    colours = [colour for style in styles for colour in (style.color, style.bgcolor) if colour]
    numbers = [colour.number for colour in colours if not colour.is_default]
    assert all(number is not None and number < most for number in numbers)
    assert len(numbers) > 30


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_winning_path_stands_out_from_the_board(system: str, hex_game: Any) -> None:
    segments = segments_of(view_of(hex_game.game, hex_game.actions), system)
    stone = "●■"[hex_game.game.winner(hex_game.states[-1]) - 1]
    path = colours(segments, f"({stone})") | colours(segments, f"{{{stone}}}")
    board = {paper for _, paper in colours(segments, "·")}
    assert len(path) == 1
    ((ink, paper),) = path
    assert paper not in board
    assert abs(lightness(ink) - lightness(paper)) > 0.25


@pytest.mark.parametrize("steps", [0, 2000])
def test_the_clock_alone_redraws_a_board_and_fast_steps_are_drawn_together(
    steps: int, large_game: Any, terminal_console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = terminal_console.file
    assert isinstance(file, io.StringIO)
    now = 100.0
    monkeypatch.setattr("display.live.screen.time", SimpleNamespace(monotonic=lambda: now))
    monkeypatch.setattr("display.live.screen._CLOCK_TICKS_PER_SECOND", 1e-3)
    with Display(large_game, params(), terminal_console) as display:
        display.start_progress("games", 2000)
        display.on_game_start("game", ("a", "b"), large_game.initial_state(1))
        before = len(file.getvalue())
        for _ in range(steps):
            now += 0.001
            display.advance()
        boards = file.getvalue()[before:].count("rows")
    assert boards == steps // 125
    assert f"{steps}/2000" in file.getvalue()
