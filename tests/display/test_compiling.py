"""What is seen while kernels are compiled."""

from __future__ import annotations

import os
from types import SimpleNamespace

import pytest
from rich.console import Console

from display import compiling, show_compiling
from display.compiling import expected_seconds
from display.screen import Screen


def test_elsewhere_than_on_a_terminal_a_line_is_said_at_once_and_one_for_each_quarter(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(compiling, "expected_seconds", lambda *about: 15)
    monkeypatch.setattr(compiling, "time", SimpleNamespace(perf_counter=lambda: now))
    with show_compiling(10, 2) as one_is_compiled:
        assert capsys.readouterr() == ("", "Compiling 10 kernels, once: about 15 s\n")
        for _ in range(10):
            now += 2.0
            one_is_compiled()
    output, errors = capsys.readouterr()
    assert output == ""
    assert errors.splitlines() == [
        "  3 of 10 kernels, about 14 s left",
        "  5 of 10 kernels, about 10 s left",
        "  8 of 10 kernels, about 4 s left",
        "  10 of 10 kernels, 20 s in all",
    ]


def test_a_busy_machine_takes_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert expected_seconds(26, 2) == 10
    assert expected_seconds(38, 2) > expected_seconds(26, 2)
    assert expected_seconds(26, 1) > expected_seconds(26, 2)
    assert expected_seconds(26, 2, busy=5.0) >= 2 * expected_seconds(26, 2)
    assert expected_seconds(4, 4) == 5


def test_a_terminal_shows_how_far_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(compiling, "expected_seconds", lambda *about: 5)
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
