"""What is seen while kernels are compiled."""

from __future__ import annotations

import pytest
from rich.console import Console

from display.live.compiling import show_compiling
from display.live.screen import Screen


def test_elsewhere_than_on_a_terminal_one_line_is_said_at_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with show_compiling(40, 2) as one_is_compiled:
        assert capsys.readouterr() == ("", "Compiling 40 kernels, once: about 10 s\n")
        one_is_compiled()
    assert capsys.readouterr() == ("", "")


def test_a_terminal_shows_how_far_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    with show_compiling(7, 1) as one_is_compiled:
        for _ in range(7):
            one_is_compiled()
    output, errors = capsys.readouterr()
    assert output == ""
    assert "Compiling 7 kernels, once: about 5 s" in errors
    assert "7/7" in errors


def test_a_live_board_gives_way_meanwhile(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    console = Console(force_terminal=True, force_interactive=True)
    monkeypatch.setattr(type(console.file), "isatty", lambda self: True, raising=False)
    with Screen(console, lambda: "the hint") as screen:
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
