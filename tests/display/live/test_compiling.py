"""The display while kernels are compiled."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from rich.console import Console

from display.live.screen import Screen, show_compiling


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
