"""``Display``: an observer of games with a progress bar, which a key switches on and off."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from display.boards.insight import Insight
from display.boards.palette import player_name, result_words
from display.live.controls import Controls
from display.live.filter import GameFilter
from display.live.screen import Screen

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from base.params import DisplayParams
    from mcts import Thought
    from state_manager import StateManager

State = NDArray[np.int8]


class Display(ABC):
    """Shows some of the games that are announced to it, and how far the work has come.

    It is an observer of one game at a time, in one thread. Which games are shown is chosen with
    ``show_every`` or ``show_first``. On a terminal the key ``d`` switches the showing of games off
    and on at any time; switched on, it begins with the game that is being played. Other keys change
    what a board shows, see ``Controls``. While nothing is shown a move costs nothing.

    Subclasses draw: ``_begin``, ``_draw``, ``_end``, ``_hide``.

    Attributes:
        game: The game that is shown.
        delay: Seconds between the moves of a shown game.
        controls: The keys, and what boards show.
        tells_results: Whether the end of a game that is not shown is told in a line.
        listens: Whether keys are listened to from the start, not only from ``listen`` on: what is
            typed before a person is asked for a line would be taken for keys.
    """

    listens = True
    in_terminal: ClassVar[bool] = False

    def __init__(
        self, game: StateManager, params: DisplayParams, console: Console | None = None
    ) -> None:
        """Show games as ``params`` say.

        Args:
            game: The game that will be announced.
            params: ``mode`` ("off" starts with the display switched off), ``every``, ``delay``.
            console: Where to write; the standard output if None.
        """
        self.game = game
        self.delay = params.delay
        self._enabled = params.mode != "off"
        self._filter = GameFilter(params.every)
        self._screen = Screen(console, self._hint)
        self.controls = Controls(game, self.toggle, self._change)
        self.tells_results = False
        self._toggled = threading.Event()
        # Held while drawing, so that nothing is drawn after the display was switched off.
        self._drawing = threading.RLock()
        self._title = ""
        self._players = ("", "")
        self._state: State = np.zeros(0, np.int8)
        self._moves = 0
        self._starting_player = 1
        self._insight: Insight | None = None
        self._selected = False
        self._begun = False
        self._show_next = False

    def __enter__(self) -> Self:
        """Open the live area, and listen for keys, where there is a terminal."""
        self._screen.__enter__()
        try:
            if self.listens:
                self.listen()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Give the terminal back as it was."""
        try:
            self.controls.listener.pause()
        finally:
            self._screen.__exit__(kind, error, traceback)

    def listen(self) -> None:
        """Listen to keys from now on, if there is a terminal; may be called again."""
        if self._screen.live:
            self.controls.listener.resume()
            self._screen.refresh()

    @property
    def observers(self) -> list[Display]:
        """What to hand to training, a tournament or a series as observers."""
        return [self]

    @property
    def enabled(self) -> bool:
        """Whether games are shown at present."""
        return self._enabled

    @property
    def console(self) -> Console:
        """The console in use, for instance for tables."""
        return self._screen.console

    def show_every(self, every: int, played: int = 0) -> None:
        """Show episode 1 and each ``every``-th; ``played`` have been played before now."""
        self._filter = GameFilter(every, announced=played)

    def show_first(self, games: int) -> None:
        """Show the first ``games`` games of each series; ``new_series`` begins one."""
        self._filter = GameFilter(first=games)

    def new_series(self) -> None:
        """Say that the next game is the first of a series."""
        self._filter.new_series()

    def start_progress(self, description: str, total: int) -> None:
        """Start a progress bar of ``total`` steps."""
        self._screen.start_progress(description, total)

    def advance(self, steps: int = 1, status: str | None = None) -> None:
        """Move the progress bar on, and say in a few words how it goes ("loss 2.31")."""
        self._screen.advance(steps, status)

    def stop_progress(self) -> None:
        """End the progress bar."""
        self._screen.stop_progress()

    def message(self, text: str) -> None:
        """Write a line that stays."""
        self._screen.message(text)

    def write(self, content: RenderableType) -> None:
        """Write anything that ``rich`` can draw, a table for instance, so that it stays."""
        self._screen.write(content)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Give the terminal back for a while, for instance while a human types a move."""
        listener = self.controls.listener
        listening = listener.listening
        listener.pause()
        try:
            with self._screen.paused():
                yield
        finally:
            if listening:
                listener.resume()

    @property
    def has_window(self) -> bool:
        """Whether a person sees boards in a window now."""
        return False

    def ask(self, prompt: str) -> str:
        """Ask a person for a line; where there is a window, it may also be clicked for.

        Raises:
            EOFError: The input has ended.
        """
        with self.paused():
            try:
                return input(prompt)
            except UnicodeDecodeError:
                return "\N{REPLACEMENT CHARACTER}"  # which is a word of no game

    def show_moment(
        self, title: str, players: tuple[str, str], moves: int, state: State, action: int | None
    ) -> None:
        """Show a state of some game, after so many moves, at once."""
        with self._drawing:
            self._title, self._players, self._moves = title, players, moves
            self._begun = True
            self._draw(state, action)

    def next_key(self) -> str:
        """Wait for a key, among those that ``controls`` have taken."""
        return self.controls.next() or ""

    def toggle(self) -> None:
        """Switch the showing of games off or on; may be called from any thread."""
        with self._drawing:
            if self._enabled:
                self._enabled = self._show_next = self._begun = False
                self._hide()
            else:
                self._selected = self._show_next = self._enabled = True
            self._toggled.set()
        self._screen.refresh()

    def on_game_start(self, title: str, players: tuple[str, str], state: State) -> None:
        """Count a game, and show its first state if it is one to be shown."""
        chosen = self._filter.announce()
        self._title, self._players = title, players
        self._state, self._insight = state, None
        self._starting_player = int(state[0])
        self._moves = 0
        self._begun = False
        self._selected = chosen or self._show_next
        if self._enabled and self._selected:
            self._show(state, None)

    def on_move(self, state: State, action: int, thought: Thought | None = None) -> None:
        """Show the state after a move, and wait a little, if this game is shown."""
        self._moves += 1
        self._insight = Insight(self.game, self._state, int(action), thought)
        self._state = state
        if self._enabled and self._selected:
            self._show(state, int(action))

    def on_game_over(self, state: State, winner: int) -> None:
        """Show the end of a game that is shown; tell that of another one, if that is wanted."""
        with self._drawing:
            if self._enabled and self._selected and self._begun:
                self._show_next = False
                self._end(state, winner)
            elif self.tells_results:
                self.message(self._result(winner))

    def _show(self, state: State, action: int | None) -> None:
        """Draw one state of a shown game, its start first, and wait."""
        with self._drawing:
            if not self._enabled:
                return
            self._toggled.clear()
            if not self._begun:
                self._begun = True
                self._begin(state)
            self._draw(state, action)
        self._wait(self.delay)

    def _wait(self, seconds: float) -> None:
        """Wait between two moves, or until the display is switched off."""
        if seconds > 0:
            self._toggled.wait(seconds)

    def _change(self) -> None:
        """Show boards otherwise, as a key wants them."""
        with self._drawing:
            if self._enabled and self._begun:
                self._redraw()
        self._screen.refresh()

    def _hint(self) -> str:
        return self.controls.hint(shows_games=self._enabled)

    @property
    def _shown_insight(self) -> Insight | None:
        """What was thought of the last move, if that is to be shown."""
        return self._insight if self.controls.thoughts else None

    def _result(self, winner: int) -> str:
        """Say which game has ended how."""
        words = result_words(self.game, self._players, self._moves, winner)
        started = f"{player_name(self.game, self._starting_player)} started"
        return f"{self._title}: {words}; {started}."

    @abstractmethod
    def _redraw(self) -> None:
        """Draw what is shown anew, as the options have changed; perhaps from another thread."""

    @abstractmethod
    def _begin(self, state: State) -> None:
        """A shown game begins, or one that is under way is shown from now on."""

    @abstractmethod
    def _draw(self, state: State, action: int | None) -> None:
        """Draw a state and the action that led to it."""

    @abstractmethod
    def _end(self, state: State, winner: int) -> None:
        """A shown game is over: 1 or 2 has won, or 3, a draw."""

    @abstractmethod
    def _hide(self) -> None:
        """The display was switched off, perhaps amid a game and from another thread."""
