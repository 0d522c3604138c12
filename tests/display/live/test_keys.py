"""Keys pressed while games run, on a real pseudo-terminal."""

import os
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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


def test_a_pause_leaves_what_is_typed_to_others(pseudo_terminal: int) -> None:
    keys: list[str] = []
    with listening(keys.append) as listener:
        listener.pause()
        assert modes(sys.stdin.fileno()) == ECHOING
        os.write(pseudo_terminal, b"(2, 3)\n")
        assert sys.stdin.readline() == "(2, 3)\n"
        listener.resume()
        os.write(pseudo_terminal, b"d")
        wait_until(lambda: len(keys) >= 1)
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
        wait_until(lambda: len(keys) >= 1)
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


@pytest.fixture
def start_games() -> Iterator[Callable[[int, float], Any]]:
    """Start programs on a terminal of 80 x 40 that show random games of 3 x 3 Hex; end them."""
    started: list[Any] = []

    def start(games: int, delay: float) -> Any:
        program = f"{sys.executable} {PROGRAM} terminal 1 {games} {delay} 3"
        words = ["-c", f"stty -a; {program}; stty -a"]
        size, env = (40, 80), {**os.environ, "TERM": "xterm-256color"}
        options: dict[str, Any] = {"dimensions": size, "env": env, "encoding": "utf-8"}
        started.append(pexpect.spawn("/bin/sh", words, timeout=TIMEOUT, **options))
        return started[-1]

    yield start
    for each in started:
        each.close(force=True)


def test_the_key_d_switches_boards_off_and_on_while_games_run_and_ctrl_c_ends_them(
    start_games: Callable[[int, float], Any],
) -> None:
    games = start_games(100_000, 0.05)
    for words in ("speed", "d: stop showing games", "rows", "wins in"):
        games.expect(words)
    assert modes(games.child_fd) == termios.ISIG
    games.send("d")
    games.expect("d: show games")
    assert games.expect(["rows", pexpect.TIMEOUT], timeout=0.5) == 1
    games.send("d")
    for words in ("d: stop showing games", "rows", "wins in"):
        games.expect(words)
    games.sendintr()
    games.expect("KeyboardInterrupt")
    wait_until(lambda: modes(games.child_fd) == ECHOING)


def test_after_the_last_game_the_terminal_is_as_it_was(
    start_games: Callable[[int, float], Any],
) -> None:
    games = start_games(2, 0.0)
    games.expect(pexpect.EOF)
    text = games.before
    settings = [part.split("\r\n\r\n")[0] for part in text.split("speed ")[1:]]
    assert len(settings) == 2
    assert settings[1].strip() in settings[0]
    assert "all games are played" in text
    assert text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l"), "the cursor is visible again"
