"""Games in the terminal: the diamond in colour, readable without, and plain text elsewhere."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.text import Text

from display.diamond import ASCII, UNICODE, Glyphs, diamond_lines
from display.display import Display
from display.palette import (
    BLACK,
    BLACK_ON_TERMINAL,
    CELL,
    FAINT,
    GOLD,
    RED,
    board_of,
    has_diamond,
    player_name,
)

if TYPE_CHECKING:
    from state_manager import StateManager

State = NDArray[np.int8]

_COLOURED = replace(UNICODE, stones=("·", "●", "■"))
_STYLES = {
    "blank": "",
    "label": "dim",
    "title1": f"bold {RED}",
    "title2": f"bold {BLACK_ON_TERMINAL}",
    "side1": f"bold #e8837c on {RED}",
    "side2": f"bold #5b606a on {BLACK_ON_TERMINAL}",
    "corner": f"bold {FAINT} on {CELL}",
    "cell": f"{FAINT} on {CELL}",
    "empty": f"{FAINT} on {CELL}",
    "stone1": f"bold {RED} on {CELL}",
    "stone2": f"bold {BLACK} on {CELL}",
    "path1": f"bold {RED} on {GOLD}",
    "path2": f"bold {BLACK} on {GOLD}",
}


@dataclass(frozen=True)
class GameView:
    """One moment of a game.

    Where the height is given, as in the live area, the heading is left out if only the board fits;
    if not even that fits, a line says so.

    Attributes:
        game: The game.
        state: `[S]` int8.
        title: Which game this is.
        players: The names of player 1 and player 2.
        moves: Moves made so far.
        last_action: The last move, if there was one.
        winner: 0 while the game goes on, 1, 2, or 3 for a draw.
    """

    game: StateManager
    state: State
    title: str = ""
    players: tuple[str, str] = ("", "")
    moves: int = 0
    last_action: int | None = None
    winner: int = 0

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the heading, the board, and what happened last."""
        glyphs = glyphs_of(console)
        board = self._board(glyphs)
        parts: list[list[Text]] = [
            [self._title(), *self._player_lines(glyphs), Text()],
            board,
            [Text(), self._last_line(glyphs), Text()],
        ]
        room = math.inf if options.height is None else options.height
        for shown in (parts, [[self._title()], board, [self._last_line(glyphs)]], [board]):
            lines = [line for part in shown for line in part]
            if len(lines) <= room:
                yield Group(*lines)
                return
        yield Text(f"The board needs {len(board)} lines, here are {room}.", "dim")

    def _title(self) -> Text:
        """Which game, and how far it is."""
        moves = "" if not self.moves else f"move {self.moves}"
        return _line(Text.assemble((self.title, "bold"), "  " if moves else "", (moves, "dim")))

    def _player_lines(self, glyphs: Glyphs) -> list[Text]:
        """Each player's stone, colour and name, and the sides to join."""
        lines = []
        names = [player_name(self.game, player) for player in (1, 2)]
        width, name_width = max(map(len, names)), max(map(len, self.players))
        to_play = 0 if self.winner else int(self.state[0])
        for player, name in enumerate(names, start=1):
            mark = ">" if player == to_play else " "
            stone = f"{glyphs.stones[player]} " if has_diamond(self.game) else ""
            lines.append(
                _line(
                    Text.assemble(
                        (f"{mark} ", "bold"),
                        (f"{stone}{name:<{width}}", _STYLES[f"title{player}"]),
                        f"  {self.players[player - 1]:<{name_width}}",
                        (f"  {self.game.sides[player - 1]}".rstrip(), "dim"),
                    )
                )
            )
        return lines

    def _board(self, glyphs: Glyphs) -> list[Text]:
        """The diamond, or what the game itself draws."""
        if not has_diamond(self.game):
            return [Text(f"  {line}") for line in self.game.text(self.state).splitlines()]
        lines = diamond_lines(
            board_of(self.game, self.state),
            self.last_action,
            frozenset(self.game.winning_path(self.state)),
            glyphs,
        )
        return [_line(Text.assemble(*((t, _STYLES[role]) for t, role in row))) for row in lines]

    def _last_line(self, glyphs: Glyphs) -> Text:
        """The last move, or who has won and by which path."""
        action = self.last_action
        last = "" if action is None else self.game.action_name(action)
        if self.winner:
            return self._verdict(last)
        if action is None:
            return Text()
        mark = "[ ] " if has_diamond(self.game) else ""
        return _line(Text(f"{mark}last move {last}", "dim"))

    def _verdict(self, last: str) -> Text:
        """Who has won."""
        if self.winner not in (1, 2):
            return _line(Text(f"A draw after {self.moves} moves", "bold"))
        who = player_name(self.game, self.winner)
        name = self.players[self.winner - 1]
        text = Text.assemble(
            (who, _STYLES[f"title{self.winner}"]),
            (f" ({name})" if name else "", "bold"),
            (f" wins in {self.moves} move{'s' if self.moves != 1 else ''}", "bold"),
        )
        path = self.game.winning_path(self.state)
        if path:
            text.append(f"   [ ] last move {last}   ( ) winning path", "dim")
        return _line(text)


class TerminalDisplay(Display):
    """Shows games move by move in the terminal, and leaves the end of each above the live area.

    Elsewhere than on a terminal (a file, a pipe) only the end is written, without control codes.

    Example:
        with TerminalDisplay(game, params.display) as display:
            display.start_progress("training", total=200)
            display.advance(status="loss 2.31")
    """

    def _begin(self, state: State) -> None:
        """Nothing to prepare."""

    def _draw(self, state: State, action: int | None) -> None:
        """Put the state in the live area."""
        self._screen.show_board(self._view(state, action, winner=0))
        self._last_action = action

    def _end(self, state: State, winner: int) -> None:
        """Write the end of the game for good."""
        self._screen.show_board(None)
        self._screen.write(self._view(state, self._last_action, winner))

    def _hide(self) -> None:
        """Clear the board away at once."""
        self._screen.show_board(None)

    def _wait(self, seconds: float) -> None:
        """Wait only where there is someone to watch."""
        if self._screen.live:
            super()._wait(seconds)

    _last_action: int | None = None

    def _view(self, state: State, action: int | None, winner: int) -> RenderableType:
        return GameView(self.game, state, self._title, self._players, self._moves, action, winner)


def glyphs_of(console: Console) -> Glyphs:
    """Return the characters to use: without colour, filled and hollow stones differ most."""
    if not console.encoding.lower().startswith("utf"):
        return ASCII
    coloured = console.color_system is not None and not console.no_color
    return _COLOURED if coloured else UNICODE


def _line(text: Text) -> Text:
    """The same text, cut rather than wrapped where the terminal is narrow."""
    text.no_wrap, text.overflow = True, "crop"
    text.rstrip()
    return text
