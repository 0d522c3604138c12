"""Keys pressed while games run, on a real pseudo-terminal."""

from __future__ import annotations

import os
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pexpect
import pytest

from display.live.keys import KeyListener
from tests.project import TIMEOUT, wait_until

PROGRAM = Path(__file__).with_name("live_games.py")
ECHOING = termios.ECHO | termios.ICANON | termios.ISIG


@pytest.fixture
def pseudo_terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Put a terminal in the place of the standard input; the value is its other end."""
    ours, theirs = os.openpty()
    with os.fdopen(theirs, "r", closefd=False) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        # The tests' own process is not in the foreground of a terminal made a moment ago.
        monkeypatch.setattr(os, "tcgetpgrp", lambda _: os.getpgrp())
        yield ours
    os.close(ours)
    os.close(theirs)


@contextmanager
def listening(callback: Callable[[str], None]) -> Iterator[KeyListener]:
    """Listen for a while."""
    listener = KeyListener(callback)
    listener.resume()
    try:
        yield listener
    finally:
        listener.pause()


def modes(descriptor: int) -> int:
    """Return which of echo, line editing and interrupts a terminal has."""
    flags: int = termios.tcgetattr(descriptor)[3]
    return flags & ECHOING


def wait_for(keys: list[str], count: int) -> None:
    """Wait until ``count`` keys have arrived."""
    wait_until(lambda: len(keys) >= count)


def test_keys_arrive_one_by_one_and_the_terminal_is_restored(pseudo_terminal: int) -> None:
    keys: list[str] = []
    descriptor = sys.stdin.fileno()
    with listening(keys.append) as listener:
        assert listener.listening
        assert modes(descriptor) == termios.ISIG, "keys at once, unechoed, Ctrl-C still a signal"
        os.write(pseudo_terminal, b"d")
        wait_for(keys, 1)
        os.write(pseudo_terminal, b"xd")
        wait_for(keys, 3)
    assert keys == ["d", "x", "d"]
    assert modes(descriptor) == ECHOING


def test_a_pause_leaves_what_is_typed_to_others(pseudo_terminal: int) -> None:
    keys: list[str] = []
    with listening(keys.append) as listener:
        listener.pause()
        assert modes(sys.stdin.fileno()) == ECHOING
        os.write(pseudo_terminal, b"(2, 3)\n")
        assert sys.stdin.readline() == "(2, 3)\n"
        listener.resume()
        os.write(pseudo_terminal, b"d")
        wait_for(keys, 1)
    assert keys == ["d"]


def test_after_ctrl_z_and_fg_keys_arrive_as_before(
    pseudo_terminal: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Meanwhile a shell reads the terminal in its own mode."""
    keys: list[str] = []
    descriptor, shell = sys.stdin.fileno(), os.getpgrp() + 1
    with listening(keys.append):
        monkeypatch.setattr(os, "tcgetpgrp", lambda _: shell)
        flags = termios.tcgetattr(descriptor)
        flags[3] |= ECHOING
        termios.tcsetattr(descriptor, termios.TCSANOW, flags)
        monkeypatch.setattr(os, "tcgetpgrp", lambda _: os.getpgrp())
        wait_until(lambda: modes(descriptor) == termios.ISIG)
        os.write(pseudo_terminal, b"d")
        wait_for(keys, 1)
        monkeypatch.setattr(os, "tcgetpgrp", lambda _: shell)
    assert keys == ["d"]
    assert modes(descriptor) == termios.ISIG, "in the background the terminal is the shell's"


def test_without_a_terminal_nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        with listening(lambda _: None) as listener:
            assert not listener.listening
    monkeypatch.setattr(sys, "stdin", None)
    with listening(lambda _: None) as listener:
        assert not listener.listening


class Games:
    """A program on a terminal of 80 x 40 that shows random games of 3 x 3 Hex."""

    def __init__(self, games: int, delay: float) -> None:
        self.child = pexpect.spawn(
            "/bin/sh",
            ["-c", f"stty -a; {sys.executable} {PROGRAM} terminal 1 {games} {delay} 3; stty -a"],
            dimensions=(40, 80),
            encoding="utf-8",
            timeout=TIMEOUT,
            env={**os.environ, "TERM": "xterm-256color"},
        )

    def sees(self, text: str) -> None:
        """Wait for a text on the screen."""
        self.child.expect(text)

    def does_not_see(self, text: str, seconds: float) -> None:
        """Check that a text is absent for this time."""
        assert self.child.expect([text, pexpect.TIMEOUT], timeout=seconds) == 1


@pytest.fixture
def start_games() -> Iterator[Callable[[int, float], Games]]:
    """Start programs, and end them."""
    started: list[Games] = []

    def start(games: int, delay: float) -> Games:
        started.append(Games(games, delay))
        return started[-1]

    yield start
    for each in started:
        each.child.close(force=True)


def test_the_key_d_switches_boards_off_and_on_while_games_run(
    start_games: Callable[[int, float], Games],
) -> None:
    games = start_games(100_000, 0.05)
    games.sees("d: stop showing games")
    games.sees("rows")
    games.sees("wins in")
    assert modes(games.child.child_fd) == termios.ISIG
    games.child.send("d")
    games.sees("d: show games")
    games.does_not_see("rows", 1.0)
    games.child.send("d")
    games.sees("d: stop showing games")
    games.sees("rows")
    games.sees("wins in")
    games.child.send("d")
    games.sees("d: show games")
    games.does_not_see("rows", 1.0)


def test_ctrl_c_interrupts_and_the_terminal_is_as_it_was(
    start_games: Callable[[int, float], Games],
) -> None:
    games = start_games(100_000, 60)
    games.sees("speed")
    games.sees("d: stop showing games")
    assert modes(games.child.child_fd) == termios.ISIG
    games.child.sendintr()
    games.sees("KeyboardInterrupt")
    wait_until(lambda: modes(games.child.child_fd) == ECHOING)


def test_after_the_last_game_the_terminal_is_as_it_was(
    start_games: Callable[[int, float], Games],
) -> None:
    games = start_games(2, 0.0)
    games.child.expect(pexpect.EOF)
    text = games.child.before
    assert isinstance(text, str)
    settings = [part.split("\r\n\r\n")[0] for part in text.split("speed ")[1:]]
    assert len(settings) == 2
    assert settings[1].strip() in settings[0]
    assert "all games are played" in text
    assert text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l"), "the cursor is visible again"
