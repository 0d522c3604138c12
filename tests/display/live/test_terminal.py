"""Games and progress in the terminal, and in files that are none."""

from __future__ import annotations

import io
import itertools
import os
import re
import threading
from typing import Any

import pytest
from rich.console import Console
from rich.text import Text

from display.boards.terminal import TerminalBoard
from display.live.display import Display
from display.live.screen import Screen
from tests.display.conftest import params
from tests.display.tables import shown
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
    hex_game: Any, plain_console: Console, monkeypatch: Any
) -> None:
    def fail(*_: object) -> None:
        pytest.fail("a display that is off must not draw")

    with Display(hex_game.game, params(mode="off", delay=60), plain_console) as display:
        for method in ("_draw", "_begin", "_end", "_wait"):
            monkeypatch.setattr(display, method, fail)
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
