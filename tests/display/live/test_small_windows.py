"""Terminals that are slow, or have few colours."""

from __future__ import annotations

import io
from types import SimpleNamespace
from typing import Any

import pytest
from rich.color import Color
from rich.console import Console
from rich.segment import Segment

from display.boards.moment import GameView
from display.boards.terminal import TerminalBoard
from display.live.display import Display
from state_manager import make_game
from tests.display.conftest import params
from tests.display.tables import view_of

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


@pytest.mark.parametrize("system", ["256", "standard"])
def test_no_colour_is_left_to_be_converted(system: str, hex_game: Any) -> None:
    ledge = make_game("ledge")
    views = [view_of(hex_game.game, hex_game.actions), view_of(ledge, [])]
    most = {"256": 256, "standard": 16}[system]
    seen = 0
    for segment in [each for view in views for each in segments_of(view, system)]:
        if segment.style is None:
            continue
        for colour in (segment.style.color, segment.style.bgcolor):
            if colour is not None and not colour.is_default:
                assert colour.number is not None
                assert colour.number < most
                seen += 1
    assert seen > 30


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
