"""``Display``: an observer of games with a progress bar, which a key switches on and off."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar, Self

from rich.console import Console

from base.params import DisplayParams
from display.boards.cells import Coordinates
from display.boards.moment import GameView, Insight
from display.boards.palette import player_name
from display.boards.terminal import TerminalBoard
from display.live.keys import Controls
from display.live.screen import Screen
from mcts import Thought
from state_manager import State, StateManager


class DisplayError(ValueError):
    """A display is unavailable; the message is one line with the alternative."""


class Display(Screen):
    """Shows some of the observed games, and the progress of the work.

    It shows them move by move in the terminal, and leaves the end of each above the live area;
    elsewhere than on a terminal (a file, a pipe) only the end is written, without control codes.
    Subclasses show them elsewhere.

    It is an observer of one game at a time, in one thread. Which games are shown is chosen with
    ``show_every`` or ``show_first``. On a terminal the key ``d`` switches the showing of games off
    and on at any time; switched on, it begins with the game that is being played. Other keys change
    what a board shows, see ``Controls``. While nothing is shown a move costs nothing.
    """

    listens = True
    """Whether keys are read before ``listen``; text typed before a prompt would count as keys."""
    in_terminal: ClassVar[bool] = True

    def __init__(
        self, game: StateManager, params: DisplayParams, console: Console | None = None
    ) -> None:
        """Show games as ``mode``, ``every`` and ``delay`` say; "off" starts switched off."""
        super().__init__(console)
        self.game = game
        self.delay = params.delay  # in seconds, between the moves of a shown game
        self.enabled = params.mode != "off"  # whether games are shown at present
        # A tournament shows the first games of each series, not one of every few.
        self._every: int | None = params.every
        self._first = self._announced = 0
        self.controls = Controls(game, self.toggle, self._change, params.letters)
        self.ending = "R"  # of games that are not won on the board; those of ``show`` differ
        self.tells_results = False  # a line for each game that is not shown
        self._moments: list[GameView] = []  # of the current game, from its start
        self._shown: GameView | None = None  # the moment that is on show
        self._is_chosen = False  # whether the current game is one to be shown
        self._is_wanted = False  # whether a key has asked for a game that has not ended yet
        # Held while drawing, so that nothing is drawn after the display was switched off; notified
        # when it is switched off or on.
        self._switch = threading.Condition()

    def __enter__(self) -> Self:
        """Open the live area, and listen for keys, where there is a terminal."""
        super().__enter__()
        try:
            if self.listens:
                self.listen()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def leave(self, finished: bool) -> None:
        """Stop listening to keys."""
        self.controls.pause()

    def listen(self) -> None:
        """Listen to keys from now on, if there is a terminal; may be called again."""
        if self.live:
            self.controls.resume()
            self.refresh()

    def show_every(self, every: int, played: int = 0) -> None:
        """Show episode 1 and each ``every``-th; ``played`` have been played before now."""
        self._every, self._announced = every, played

    def show_first(self, games: int) -> None:
        """Show the first ``games`` games of each series; ``new_series`` begins one."""
        self._every, self._first, self._announced = None, games, 0

    def new_series(self) -> None:
        """Mark the next game as the first of a series; the count of episodes goes on."""
        if self._every is None:
            self._announced = 0

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Give the terminal back for a while, for instance while a human types a move."""
        listening = self.controls.listening
        self.controls.pause()
        try:
            with self.cleared():
                yield
        finally:
            if listening:
                self.controls.resume()

    @property
    def names(self) -> Coordinates:
        """The names of moves, in the notation set by keys."""
        return Coordinates(self.game, self.controls.letters)

    @property
    def has_window(self) -> bool:
        """Whether a person sees boards in a window now."""
        return False

    def ask(self, prompt: str) -> str:
        """Ask a person for a line or a click; raise ``EOFError`` if the input has ended."""
        with self.paused():
            try:
                return input(prompt)
            except UnicodeDecodeError:
                return "\N{REPLACEMENT CHARACTER}"  # which is a word of no game

    def show_moment(self, view: GameView) -> None:
        """Show at once a moment of some game."""
        with self._switch:
            self._shown = view
            self._draw(self._styled(view))

    def keep_moment(self) -> None:
        """Print the shown state permanently, if it was lost with the live area."""
        if self.in_terminal and self._shown is not None:
            self._end(self._styled(self._shown))

    def next_key(self) -> str:
        """Wait for one of the keys that ``controls`` keep."""
        return self.controls.next() or ""

    def toggle(self) -> None:
        """Switch the showing of games off or on; may be called from any thread."""
        with self._switch:
            self.enabled = self._is_wanted = not self.enabled
            if not self.enabled:
                self._shown = None
                self.show_board(None)
            self._switch.notify_all()
        self.refresh()

    def on_game_start(self, title: str, players: tuple[str, str], state: State) -> None:
        """Count a game, and show its first state if it is one to be shown."""
        self._announced += 1
        if self._every is None:
            self._is_chosen = self._announced <= self._first
        else:
            self._is_chosen = self._announced == 1 or self._announced % self._every == 0
        self._moments, self._shown = [GameView(self.game, state, title, players)], None
        self._show()

    def on_move(self, state: State, action: int, thought: Thought | None = None) -> None:
        """Show the state after a move, and wait a little, if this game is shown."""
        before = self._moments[-1]
        insight = Insight(self.game, before.state, int(action), thought)
        made: dict[str, Any] = {"moves": before.moves + 1, "last_action": int(action)}
        self._moments.append(replace(before, state=state, insight=insight, **made))
        self._show()

    def on_take_back(self, state: State, plies: int) -> None:
        """Show the state before the last moves, which were taken back."""
        del self._moments[-plies:]
        self._show()

    def on_game_over(self, state: State, winner: int) -> None:
        """Show the end of a shown game; report that of another one if ``tells_results``."""
        with self._switch:
            over = self._moments[-1] = replace(self._moments[-1], winner=winner, ending=self.ending)
            if self._shown is not None:
                self._shown, self._is_wanted = over, False
                self._end(self._styled(over))
            elif self.tells_results:
                self.message(self._result)

    def _show(self) -> None:
        with self._switch:
            if not (self.enabled and (self._is_chosen or self._is_wanted)):
                return
            if self._shown is None:
                self._begin()
            self._shown = self._moments[-1]
            self._draw(self._styled(self._shown))
        self._wait(self.delay)

    def _wait(self, seconds: float) -> None:
        if self.live and seconds > 0:
            with self._switch:
                self._switch.wait_for(lambda: not self.enabled, seconds)

    def _change(self) -> None:
        with self._switch:
            if self._shown is not None:
                self._redraw(self._styled(self._shown))
        self.refresh()

    def hint(self) -> str:
        """Return the help line for the keys."""
        return self.controls.hint(shows_games=self.enabled)

    def _styled(self, view: GameView) -> GameView:
        winner = view.winner or self.game.winner(view.state)
        insight = view.insight if self.controls.thoughts else None
        return replace(view, winner=winner, insight=insight, letters=self.controls.letters)

    @property
    def _result(self) -> str:
        first, last = self._moments[0], self._moments[-1]
        started = player_name(self.game, int(first.state[0]))
        return f"{last.title}: {last.result}; {started} started."

    def _begin(self) -> None:
        """Begin to show a game, perhaps one under way."""

    def _redraw(self, view: GameView) -> None:
        """Draw the shown moment in another style; called from any thread."""
        self._draw(view)

    def _draw(self, view: GameView) -> None:
        self.show_board(TerminalBoard(view))

    def _end(self, view: GameView) -> None:
        """A shown game is over: 1 or 2 has won, or 3, a draw."""
        self._shown = None
        self.show_board(None)
        self.write(TerminalBoard(view))
