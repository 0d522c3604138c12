"""The keys of a display: what boards show, and for a while whatever somebody else makes of them."""

from __future__ import annotations

import queue
from collections.abc import Callable
from typing import TYPE_CHECKING

from display.boards.moves import has_cells
from display.live.keys import KeyListener

if TYPE_CHECKING:
    from state_manager import StateManager

TOGGLE_KEY, THOUGHTS_KEY, COORDINATES_KEY = "d", "t", "c"


class Controls:
    """Listens to keys, and knows how they have left the display.

    Attributes:
        thoughts: Whether boards show what was thought of the last move.
        letters: Whether cells are called by letters and numbers.
        listener: Hears the keys of the terminal.
        taken_for: What the keys are for that are kept for ``next``.
    """

    def __init__(
        self, game: StateManager, on_toggle: Callable[[], None], on_change: Callable[[], None]
    ) -> None:
        """Listen to nobody yet.

        Args:
            game: The game that is shown.
            on_toggle: Called when games are to be shown, or no more.
            on_change: Called when boards are to look otherwise.
        """
        self.thoughts = self.letters = False
        self.listener = KeyListener(self.hear)
        self._game = game
        self._on_toggle, self._on_change = on_toggle, on_change
        self._taken: queue.SimpleQueue[str] | None = None
        self.taken_for = ""

    def hear(self, key: str) -> None:
        """Do what a key does; may be called from any thread."""
        if self.press(key.lower()):
            return
        if self._taken is not None:
            self._taken.put(key)
        elif key.lower() == TOGGLE_KEY:
            self._on_toggle()

    def press(self, key: str) -> bool:
        """Change what boards show, if that is what a key does; return whether it is."""
        if key == THOUGHTS_KEY:
            self.thoughts = not self.thoughts
        elif key == COORDINATES_KEY and has_cells(self._game):
            self.letters = not self.letters
        else:
            return False
        self._on_change()
        return True

    def take(self, hint: str) -> None:
        """Keep the keys that change no boards from now on for ``next``; the hint says for what."""
        self._taken, self.taken_for = queue.SimpleQueue(), hint

    def next(self, seconds: float | None = None) -> str | None:
        """Return a key that was kept, or ``None`` if none comes within these seconds."""
        try:
            return self._taken.get(timeout=seconds) if self._taken is not None else None
        except queue.Empty:
            return None

    def hint(self, *, shows_games: bool) -> str:
        """Return the line that says what keys do, where there are some to press."""
        if not self.listener.listening:
            return ""
        if self._taken is not None:
            return "   ".join([self.taken_for, *self.words[1:]])
        if not shows_games:
            return f"{TOGGLE_KEY}: show games"
        return "   ".join([f"{TOGGLE_KEY}: stop showing games", *self.words])

    @property
    def switches(self) -> str:
        """What the keys change on boards, however they have left them."""
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
