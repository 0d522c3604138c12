"""Games and progress in the terminal, and in files that are none."""

from __future__ import annotations

import io
import itertools
import os
import re
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from rich.console import Console

from base.params import DisplayParams
from display.boards.cells import Coordinates
from display.boards.moment import GameView
from display.boards.terminal import TerminalBoard
from display.live.display import Display
from display.live.screen import Screen
from tests.project import TIMEOUT

MakeParams = Callable[..., DisplayParams]


def written(console: Console) -> str:
    """Return what a console has written."""
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def drawn(view: GameView, **options: Any) -> str:
    """Return a view as text on a console of its own."""
    console = Console(file=io.StringIO(), width=80, **options)
    console.print(TerminalBoard(view))
    return written(console)


def final_view(played: Any) -> GameView:
    """Return the end of a game."""
    view: GameView = played.views("episode 1 of 3", ("ANET 50", "MCTS"))[-1]
    return view


def test_the_end_of_a_game_is_complete_without_colour(hex_game: Any) -> None:
    text = drawn(final_view(hex_game))
    assert "episode 1 of 3" in text
    assert "● red    ANET 50   joins north-east and south-west" in text
    assert "■ black  MCTS      joins north-west and south-east" in text
    winner = ("red (ANET 50)", "black (MCTS)")[hex_game.winner - 1]
    assert f"{winner} wins in {len(hex_game.actions)} moves" in text
    assert f"{{ }} last move {Coordinates(hex_game.game).move(hex_game.actions[-1])}" in text
    stones = "●■"[hex_game.winner - 1]
    path = hex_game.game.winning_path(hex_game.states[-1])
    assert text.count(f"({stones})") == len(path) - 1
    assert text.count(f"{{{stones}}}") == 1
    assert "\x1b" not in text


def test_colour_adds_only_colour(hex_game: Any) -> None:
    view = final_view(hex_game)
    coloured = drawn(view, force_terminal=True, color_system="truecolor", height=60)
    assert "\x1b[" in coloured
    plain = [line.rstrip() for line in drawn(view).splitlines()]
    bare = [line.rstrip() for line in _without_escapes(coloured).splitlines()]
    assert [line for line in bare if line] == [line for line in plain if line]


def test_a_console_without_unicode_gets_ascii(hex_game: Any) -> None:
    class Latin(io.StringIO):
        encoding = "latin-1"

    console = Console(file=Latin(), width=80)
    console.print(TerminalBoard(final_view(hex_game)))
    assert written(console).isascii()


def test_other_games_are_shown_as_they_draw_themselves(nim_game: Any) -> None:
    text = drawn(final_view(nim_game))
    assert nim_game.game.text(nim_game.states[-1]) in text
    assert f"player {nim_game.winner}" in text
    assert "red" not in text


def test_a_file_gets_the_end_of_each_shown_game_and_no_control_codes(
    hex_game: Any, make_params: MakeParams, plain_console: Console
) -> None:
    plain_console.get_time = lambda: 0.0
    with Display(hex_game.game, make_params(every=2, delay=5), plain_console) as display:
        display.start_progress("training", 5)
        for number in range(1, 6):
            hex_game.announce(display, f"episode {number} of 5")
            display.advance(1, status=f"loss {number}.0")
    text = written(plain_console)
    assert "\x1b" not in text
    assert "\r" not in text
    shown = [line.split("  ")[0] for line in text.splitlines() if line.startswith("episode")]
    assert shown == ["episode 1 of 5", "episode 2 of 5", "episode 4 of 5"]
    assert text.count("rows ↘") == 3
    assert "training: 5/5, 0:00, loss 5.0" in text


@pytest.mark.parametrize(("total", "lines"), [(200, 10), (10, 10), (3, 3), (1, 1), (0, 0)])
def test_a_file_gets_a_line_for_each_tenth_of_the_way(
    total: int, lines: int, hex_game: Any, make_params: MakeParams, plain_console: Console
) -> None:
    with Display(hex_game.game, make_params(), plain_console) as display:
        display.start_progress("games", total)
        for _ in range(total):
            display.advance()
    assert len(written(plain_console).splitlines()) == lines


def test_a_display_that_is_off_draws_nothing_and_never_waits(
    hex_game: Any, make_params: MakeParams, plain_console: Console, monkeypatch: Any
) -> None:
    def fail(*_: object) -> None:
        pytest.fail("a display that is off must not draw")

    params = make_params(mode="off", delay=60)
    with Display(hex_game.game, params, plain_console) as display:
        for method in ("_draw", "_begin", "_end", "_wait"):
            monkeypatch.setattr(display, method, fail)
        hex_game.announce(display)
    assert written(plain_console) == ""


def test_a_display_switched_on_begins_with_the_game_that_is_being_played(
    hex_game: Any, make_params: MakeParams, plain_console: Console
) -> None:
    display = Display(hex_game.game, make_params(mode="off", every=50), plain_console)
    with display:
        hex_game.announce(display, "first")
        display.on_game_start("second", ("a", "b"), hex_game.states[0])
        display.on_move(hex_game.states[1], hex_game.actions[0])
        display.toggle()
        for state, action in zip(hex_game.states[2:], hex_game.actions[1:], strict=True):
            display.on_move(state, action)
        display.on_game_over(hex_game.states[-1], hex_game.winner)
        hex_game.announce(display, "third")
        display.toggle()
        hex_game.announce(display, "fourth")
    text = written(plain_console)
    assert f"second   move {len(hex_game.actions)}" in text
    assert all(title not in text for title in ("first", "third", "fourth"))


def test_a_display_switched_on_between_games_shows_the_next_one(
    hex_game: Any, make_params: MakeParams, plain_console: Console
) -> None:
    display = Display(hex_game.game, make_params(mode="off", every=50), plain_console)
    with display:
        hex_game.announce(display, "first")
        display.toggle()
        hex_game.announce(display, "second")
        hex_game.announce(display, "third")
    assert "second" in written(plain_console)
    assert "third" not in written(plain_console)


def test_switching_off_ends_a_long_delay_at_once(
    hex_game: Any, make_params: MakeParams, terminal_console: Console
) -> None:
    with Display(hex_game.game, make_params(delay=60), terminal_console) as display:
        game = threading.Thread(target=hex_game.announce, args=(display,))
        game.start()
        _wait_until(lambda: display._shown is not None)
        display.toggle()
        game.join(timeout=TIMEOUT)
        assert not game.is_alive()
    assert "wins" not in written(terminal_console)


def test_the_live_area_shows_board_and_progress_and_leaves_the_end_behind(
    hex_game: Any, make_params: MakeParams, terminal_console: Console
) -> None:
    with Display(hex_game.game, make_params(), terminal_console) as display:
        display.start_progress("training", 1)
        hex_game.announce(display)
        display.advance(1, status="loss [2.31]")
        display.message("saved [bold]anet_00001.pt[/bold]")
    text = _without_escapes(written(terminal_console))
    assert "last move" in text
    assert "wins in" in text
    assert "1/1" in text
    assert "loss [2.31]" in text
    assert "saved [bold]anet_00001.pt[/bold]" in text


def test_a_terminal_breaks_messages_between_words_but_leaves_paths_whole(
    hex_game: Any, make_params: MakeParams, terminal_console: Console
) -> None:
    path = f"Kept in {os.sep.join(['a folder'] * 20)}"
    with Display(hex_game.game, make_params(), terminal_console) as display:
        display.message("word " * 30, path)
    lines = _without_escapes(written(terminal_console)).splitlines()
    assert path in lines
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


def test_the_live_display_pauses_while_a_human_types(
    hex_game: Any, make_params: MakeParams, terminal_console: Console
) -> None:
    with Display(hex_game.game, make_params(), terminal_console) as display:
        display.start_progress("games", 2)
        with display.paused():
            before = written(terminal_console)
            time.sleep(0.3)
            assert written(terminal_console) == before
        display.advance()
        display.message("still here")
    assert "still here" in written(terminal_console)


def _without_escapes(text: str) -> str:
    from rich.text import Text

    return Text.from_ansi(text).plain


def _wait_until(condition: Callable[[], bool], seconds: float = TIMEOUT) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "waited too long"
        time.sleep(0.01)
