"""Keys and whole lines from the terminal while something else runs, and what the keys change."""

import os
import queue
import re
import select
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from display.boards.cells import has_cells
from state_manager import StateManager

TOGGLE_KEY, THOUGHTS_KEY, COORDINATES_KEY = "d", "t", "c"
_POLL_SECONDS = 0.05
_SEQUENCE = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Z]|.", re.DOTALL)
"""The input of one key: a character, or several that begin with an escape."""
_CODES = {
    "up": ("A",), "down": ("B",), "right": ("C",), "left": ("D",),
    "home": ("H", "1~", "7~"), "end": ("F", "4~", "8~"),
}  # fmt: skip
_NAMES = {f"\x1b{o}{code}": name for name, codes in _CODES.items() for code in codes for o in "[O"}
_WINDOWS = {"H": "up", "P": "down", "M": "right", "K": "left", "G": "home", "O": "end"}


class KeyListener:
    """Calls back for each key pressed, from a thread of its own, between ``resume`` and ``pause``.

    The terminal is put in cbreak mode: keys arrive at once and are not echoed, and Ctrl-C is
    still an interrupt. Its settings are restored by ``pause``. Where the standard input is not a
    terminal, or the program runs in the background, nothing is done; after Ctrl-Z and ``fg``, the
    mode is set anew.
    """

    def __init__(self, callback: Callable[[str], None]) -> None:
        """Hand on each key: a character, or matplotlib's name, such as ``left`` or ``home``."""
        self._callback = callback
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()
        self._settings: list[Any] = []

    @property
    def listening(self) -> bool:
        """Whether keys are being read."""
        return self._thread is not None

    def resume(self) -> None:
        """Start to listen, at first or after ``pause``."""
        if self._thread is not None or not _is_foreground_terminal():
            return
        self._stopping.clear()
        if sys.platform != "win32":
            import termios

            self._settings = termios.tcgetattr(sys.stdin.fileno())
            _set_cbreak(sys.stdin.fileno())
        self._thread = threading.Thread(target=self._listen, name="key-listener", daemon=True)
        self._thread.start()

    def pause(self) -> None:
        """Stop listening and restore the terminal, so that a human can type a line."""
        if self._thread is None:
            return
        try:
            self._stopping.set()
            if self._thread is not threading.current_thread():
                self._thread.join()
        finally:
            self._thread = None
            if sys.platform != "win32" and _is_foreground_terminal():
                import termios

                with suppress(termios.error):  # the terminal is gone
                    termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, self._settings)

    def _listen(self) -> None:
        while not self._stopping.is_set() and (keys := self._read()) is not None:
            for key in keys:
                self._callback(key)

    if sys.platform == "win32":

        def _read(self) -> list[str] | None:
            import msvcrt

            keys = []
            self._stopping.wait(_POLL_SECONDS)  # a console has no blocking wait
            while msvcrt.kbhit():
                key = msvcrt.getwch()
                keys.append(_WINDOWS.get(msvcrt.getwch(), "") if key in "\0\xe0" else key)
            return keys

    else:

        def _read(self) -> list[str] | None:
            """Return the keys of a moment; ``None`` if the terminal is gone."""
            if not _is_foreground_terminal():
                self._stopping.wait(_POLL_SECONDS)
                return []
            descriptor = sys.stdin.fileno()
            _set_cbreak(descriptor)  # a shell has set its own mode since Ctrl-Z
            if not select.select([descriptor], [], [], _POLL_SECONDS)[0]:
                return []
            pressed = os.read(descriptor, 64)
            if not pressed:
                return None
            keys = _SEQUENCE.findall(pressed.decode(errors="ignore"))
            return [_NAMES.get(key, key) for key in keys]


class LineReader:
    """Gathers typed characters into a line, with a time limit on each wait."""

    _typed = b""

    def poll(self, seconds: float) -> str | None:
        """Return a line if it is complete in time; raise ``EOFError`` if the input has ended."""
        if sys.platform == "win32":
            return self._poll_windows(seconds)
        if sys.stdin is None:
            raise EOFError
        descriptor = sys.stdin.fileno()
        # One byte at a time: input after the line is left for the next reader.
        while select.select([descriptor], [], [], seconds)[0]:
            byte = os.read(descriptor, 1)
            if not byte and not self._typed:
                raise EOFError
            if byte in (b"", b"\n"):
                line, self._typed = self._typed, b""
                return line.decode(errors="replace")
            self._typed += byte
            seconds = 0.0
        return None

    if sys.platform == "win32":

        def _poll_windows(self, seconds: float) -> str | None:
            import msvcrt

            time.sleep(seconds)
            while msvcrt.kbhit():
                key = msvcrt.getwche()
                if key == "\x1a":
                    raise EOFError
                if key in "\r\n":
                    line, self._typed = self._typed, b""
                    return line.decode(errors="replace")
                self._typed = self._typed[:-1] if key == "\b" else self._typed + key.encode()
            return None


def _is_foreground_terminal() -> bool:
    """Whether keys are available; a background job that reads its terminal would be stopped."""
    try:
        if not sys.stdin.isatty():
            return False
        return sys.platform == "win32" or os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except (AttributeError, OSError, ValueError):
        return False


def _set_cbreak(descriptor: int) -> None:
    """Get keys one by one and unechoed; what was typed ahead is kept."""
    import termios
    import tty

    if termios.tcgetattr(descriptor)[3] & termios.ICANON:
        tty.setcbreak(descriptor, termios.TCSADRAIN)


class Controls(KeyListener):
    """Listens to the keys of the terminal, and holds the display's state set by them."""

    def __init__(
        self,
        game: StateManager,
        on_toggle: Callable[[], None],
        on_change: Callable[[], None],
        letters: bool = True,
    ) -> None:
        """Call ``on_toggle`` when a key turns games on or off, ``on_change`` for other changes."""
        self.thoughts, self.letters = False, letters  # on boards: the last thought; a1 for cells
        super().__init__(self.hear)
        self._game = game
        self._on_toggle, self._on_change = on_toggle, on_change
        self._taken: queue.SimpleQueue[str] | None = None
        self.taken_for = ""  # the purpose of the keys kept for ``next``

    def hear(self, key: str) -> None:
        """Handle a key; may be called from any thread."""
        if self.press(key.lower()):
            return
        if self._taken is not None:
            self._taken.put(key)
        elif key.lower() == TOGGLE_KEY:
            self._on_toggle()

    def press(self, key: str) -> bool:
        """Change the boards if the key does that; return whether it does."""
        if key == THOUGHTS_KEY:
            self.thoughts = not self.thoughts
        elif key == COORDINATES_KEY and has_cells(self._game):
            self.letters = not self.letters
        else:
            return False
        self._on_change()
        return True

    def take(self, hint: str) -> None:
        """Keep the keys that change no boards for ``next``; the hint names their purpose."""
        self._taken, self.taken_for = queue.SimpleQueue(), hint

    def next(self, seconds: float | None = None) -> str | None:
        """Return a kept key, or ``None`` if none arrives within these seconds."""
        try:
            return self._taken.get(timeout=seconds) if self._taken is not None else None
        except queue.Empty:
            return None

    def hint(self, *, shows_games: bool) -> str:
        """Return the help line for the keys; empty without keys."""
        if not self.listening:
            return ""
        if self._taken is not None:
            return "   ".join([self.taken_for, *self.words[1:]])
        if not shows_games:
            return f"{TOGGLE_KEY}: show games"
        return "   ".join([f"{TOGGLE_KEY}: stop showing games", *self.words])

    @property
    def switches(self) -> str:
        """The keys for boards, independent of the current state."""
        cells = f", {COORDINATES_KEY}: cells as a1 or as (0, 0)" if has_cells(self._game) else ""
        return f"{THOUGHTS_KEY}: show or hide D and value{cells}"

    @property
    def words(self) -> list[str]:
        """What each key would change on boards."""
        words = [f"{THOUGHTS_KEY}: {'hide' if self.thoughts else 'show'} D and value"]
        if has_cells(self._game):
            other = "(0, 0)" if self.letters else "a1"
            words.append(f"{COORDINATES_KEY}: cells as {other}")
        return words
