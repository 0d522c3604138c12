"""Terminals that are low, narrow, slow, or have few colours."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from typing import Any

import pytest
from rich.color import Color
from rich.console import Console
from rich.segment import Segment

from base.params import DisplayParams
from display.boards.cells import Coordinates
from display.boards.moment import GameView
from display.boards.terminal import TerminalBoard
from display.live.display import Display
from state_manager import make_game

MakeParams = Callable[..., DisplayParams]
SYSTEMS = ("truecolor", "256", "standard")
BOARD_LINES = 20


def view_of(game: Any, actions: list[int], players: tuple[str, str] = ("ANET 50", "MCTS")) -> Any:
    """Return a view after some actions."""
    state = game.initial_state(1)
    for action in actions:
        state = game.child_state(state, action)
    last = actions[-1] if actions else None
    return GameView(game, state, "game 1 of 9", players, len(actions), last, game.winner(state))


def segments_of(
    view: GameView, system: Any = None, height: int | None = None, width: int = 80
) -> list[Segment]:
    """Return the drawing of a view, on this number of lines and columns."""
    console = Console(file=io.StringIO(), force_terminal=True, color_system=system, width=80)
    return list(
        console.render(TerminalBoard(view), console.options.update(width=width, height=height))
    )


def lines_of(view: GameView, height: int | None = None, width: int = 80) -> list[str]:
    """Return the drawing of a view as lines."""
    segments = segments_of(view, height=height, width=width)
    text = "".join(segment.text for segment in segments)
    return [line.rstrip() for line in text.splitlines()]


@pytest.fixture(scope="module")
def large_game() -> Any:
    """Hex on 10 x 10, whose board needs 20 lines."""
    return make_game("hex", size=10)


@pytest.mark.parametrize("height", range(BOARD_LINES + 1, 31))
def test_colours_and_player_to_move_are_shown_if_the_board_fits(
    height: int, large_game: Any
) -> None:
    lines = lines_of(view_of(large_game, [0, 99]), height=height)
    assert len(lines) <= height
    text = "\n".join(lines)
    assert "> ● red" in text
    assert "■ black" in text
    assert "rows ↘" in text
    assert ("last move" in text) == (height >= BOARD_LINES + 2)
    assert ("game 1 of 9" in text) == (height >= BOARD_LINES + 2)
    assert ("joins" in text) == (height >= BOARD_LINES + 4)
    assert ("" in lines) == (height >= BOARD_LINES + 7)


def test_a_terminal_that_is_too_low_shows_a_message(large_game: Any) -> None:
    view = view_of(large_game, [0])
    assert "> ■ black" not in "\n".join(lines_of(view, height=BOARD_LINES))
    lines = lines_of(view, height=BOARD_LINES - 1)
    assert "The board needs 20 lines, here are 19." in lines
    assert any("> ■ black" in line for line in lines)
    assert lines_of(view, height=1) == ["The board needs 20 lines, here are 1."]


def test_a_terminal_that_is_too_narrow_shows_a_message(large_game: Any) -> None:
    lines = lines_of(view_of(large_game, [0]), width=40)
    assert "The board needs 46 columns, here are 40." in lines
    assert not any("rows" in line for line in lines)
    assert any("rows" in line for line in lines_of(view_of(large_game, [0]), width=46))


@pytest.mark.parametrize("width", [30, 40, 60, 80])
def test_nothing_is_cut_where_the_terminal_is_narrow(width: int, hex_game: Any) -> None:
    names = ("mcts simulations=1000", "anet_00200 probabilistic")
    view = view_of(hex_game.game, hex_game.actions, names)
    lines = lines_of(view, width=width)
    assert max(map(len, lines)) <= width
    words = " ".join(" ".join(lines).split())
    last = Coordinates(hex_game.game).move(hex_game.actions[-1])
    winner = ("red", "black")[hex_game.winner - 1]
    assert f"{winner} ({names[hex_game.winner - 1]}) wins in {len(hex_game.actions)}" in words
    assert f"{{ }} last move {last}" in words
    assert "( ) winning path" in words
    assert "joins north-west and south-east" in words


def test_a_long_heap_is_broken_and_not_cut() -> None:
    game = make_game("nim", stones=120, max_take=9)
    lines = lines_of(view_of(game, []), width=40)
    assert max(map(len, lines)) <= 40
    assert sum(line.count("o") for line in lines if "oo" in line) == 120
    assert any("120 left" in line for line in lines)


@pytest.mark.parametrize("width", [40, 80])
def test_the_cells_of_a_ledge_are_numbered_and_the_coins_explained(width: int) -> None:
    board = (0, 1) * 14 + (2, 1)
    lines = lines_of(view_of(make_game("ledge", board=board), []), width=width)
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    assert "c  copper" in text
    assert "G  gold" in text
    assert text.count("| ") == 2, "one edge, and what it means"
    rows = [line for line in lines if "·" in line]
    below = [lines[lines.index(row) + 1] for row in rows]
    numbers = [int(number) for line in below for number in line.split()]
    assert numbers == list(range(30))
    for row, line in zip(rows, below, strict=True):
        gold = row.find("G")
        if gold >= 0:
            assert line[gold - 1 : gold + 1] == "28"


def colours(segments: list[Segment], character: str) -> set[tuple[Color | None, Color | None]]:
    """Return in which inks and on which papers a character is drawn."""
    styles = [segment.style for segment in segments if character in segment.text]
    return {(style.color, style.bgcolor) for style in styles if style is not None}


def lightness(colour: Color | None) -> float:
    """Return how light a colour is, from 0 to 1."""
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
    stone = "●■"[hex_game.winner - 1]
    path = colours(segments, f"({stone})") | colours(segments, f"{{{stone}}}")
    board = {paper for _, paper in colours(segments, "·")}
    assert len(path) == 1
    ((ink, paper),) = path
    assert paper not in board
    assert abs(lightness(ink) - lightness(paper)) > 0.25


def test_a_board_that_does_not_change_is_drawn_for_the_clock_alone(
    large_game: Any, make_params: MakeParams, terminal_console: Console
) -> None:
    file = terminal_console.file
    assert isinstance(file, io.StringIO)
    with Display(large_game, make_params(), terminal_console) as display:
        display.start_progress("games", 1000)
        display.on_game_start("game", ("a", "b"), large_game.initial_state(1))
        started, before = time.monotonic(), len(file.getvalue())
        time.sleep(0.7)
        boards = file.getvalue()[before:].count("rows")
        assert boards <= 1 + (time.monotonic() - started), "a tick each second"


def test_steps_that_follow_each_other_fast_are_drawn_together(
    large_game: Any, make_params: MakeParams, terminal_console: Console
) -> None:
    file = terminal_console.file
    assert isinstance(file, io.StringIO)
    with Display(large_game, make_params(), terminal_console) as display:
        display.start_progress("games", 2000)
        display.on_game_start("game", ("a", "b"), large_game.initial_state(1))
        started, before = time.monotonic(), len(file.getvalue())
        for _ in range(2000):
            display.advance()
        boards = file.getvalue()[before:].count("rows")
        assert 1 <= boards <= 2 + 10 * (time.monotonic() - started)
    assert "2000/2000" in file.getvalue()
