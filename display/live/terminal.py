"""Games in the terminal: the diamond in colour, readable without, and plain text elsewhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.text import Text

from display.boards.board_text import (
    Segment,
    diamond_lines,
    grid_lines,
    ledge_legend,
    ledge_lines,
    mark_of,
)
from display.boards.insight import Insight
from display.boards.moves import Coordinates
from display.boards.palette import board_of, look_of, player_name, result_words
from display.boards.terminal_styles import flow, glyphs_of, styled, styles_of
from display.live.display import Display

if TYPE_CHECKING:
    from state_manager import State, StateManager

Lines = list[Text]


@dataclass(frozen=True)
class GameView:
    """One moment of a game.

    Where the height is given, as in the live area, blank lines go first when there is not enough
    room, then both players share a line, then the last move joins the title, which goes next. A
    board that does not fit, in height or in width, is replaced by a line that says so.

    Attributes:
        game: The game.
        state: `[S]` int8.
        title: Which game this is.
        players: The names of player 1 and player 2.
        moves: Moves made so far.
        last_action: The last move, if there was one.
        winner: 0 while the game goes on, 1, 2, or 3 for a draw.
        insight: What was thought of the last move, if that is to be shown.
        letters: Whether cells are called by letters and numbers.
    """

    game: StateManager
    state: State
    title: str = ""
    players: tuple[str, str] = ("", "")
    moves: int = 0
    last_action: int | None = None
    winner: int = 0
    insight: Insight | None = None
    letters: bool = False

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the heading, the board, and what happened last."""
        yield Group(*_Layout(self, console, options).lines())


class _Layout:
    """Arranges a view in the room that there is."""

    def __init__(self, view: GameView, console: Console, options: ConsoleOptions) -> None:
        self._view = view
        self._console = console
        self._width = options.max_width
        self._room = math.inf if options.height is None else options.height
        self._glyphs = glyphs_of(console)
        self._styles = styles_of(console)
        self._coordinates = Coordinates(view.game, view.letters)

    def lines(self) -> Lines:
        """Return the roomiest arrangement that fits."""
        board = self._board()
        columns = max((line.cell_len for line in board), default=0)
        missing = ""
        if columns > self._width:
            missing = f"The board needs {columns} columns, here are {self._width}."
        elif len(board) > self._room:
            missing = f"The board needs {len(board)} lines, here are {self._room}."
        if missing:
            board = self._flow([Text(missing, "dim")])
        return next(
            (lines for lines in self._arrangements(board) if len(lines) <= self._room),
            board[: max(1, int(min(self._room, len(board))))],
        )

    def _arrangements(self, board: Lines) -> list[Lines]:
        """The ways to show everything, ever lower."""
        title, last = self._title(), self._last()
        players, short = self._players(), self._players_on_one_line()
        above, below = self._flow(title), self._flow(last)
        return [
            [*above, *players, Text(), *board, Text(), *below, Text()],
            [*above, *players, *board, *below],
            [*above, *short, *board, *below],
            [*self._flow([*title, *last]), *short, *board],
            [*short, *board],
        ]

    def _title(self) -> Lines:
        """Which game, and how far it is."""
        view = self._view
        return [Text(view.title, "bold"), Text(f"move {view.moves}" if view.moves else "", "dim")]

    def _players(self) -> Lines:
        """A line for each player: stone, colour and name, and the sides to join."""
        sides = [Text(f"{side}".rstrip(), "dim") for side in self._view.game.sides]
        names = [player_name(self._view.game, player) for player in (1, 2)]
        widths = max(map(len, names)), max(map(len, self._view.players))
        return [
            line
            for player in (1, 2)
            for line in self._flow([self._player(player, widths), sides[player - 1]], "    ")
        ]

    def _players_on_one_line(self) -> Lines:
        """Both players without what they join."""
        return self._flow([self._player(player) for player in (1, 2)])

    def _player(self, player: int, widths: tuple[int, int] = (0, 0)) -> Text:
        """A mark for the one to move, the stone, the colour and the name, padded to widths."""
        game = self._view.game
        to_play = 0 if self._view.winner else int(self._view.state[0])
        name = f"{player_name(game, player):<{widths[0]}}"
        return Text.assemble(
            ("> " if player == to_play else "  ", "bold"),
            (f"{self._piece(player)}{name}", self._title_style(player)),
            f"  {self._view.players[player - 1]:<{widths[1]}}",
        )

    def _piece(self, player: int) -> str:
        """What stands for a player on the board, unless the name says that."""
        game = self._view.game
        kind, letter = game.drawing, game.pieces[player - 1]
        if kind == "diamond":
            return f"{self._glyphs.stones[player]} "
        return f"{letter} " if kind == "grid" and letter != player_name(game, player) else ""

    def _title_style(self, player: int) -> str:
        """The style of a player's name."""
        return self._styles[f"title{look_of(self._view.game, player).role}"]

    def _landed(self) -> int | None:
        """The cell that the last move led to."""
        view = self._view
        if view.last_action is None:
            return None
        return view.game.landing_cell(view.state, view.last_action)

    def _board(self) -> Lines:
        """The diamond, the grid, the ledge, or what the game itself draws."""
        view = self._view
        kind, board = view.game.drawing, board_of(view.game, view.state)
        if kind in ("diamond", "grid"):
            path = frozenset(view.game.winning_path(view.state))
            shares = view.insight.shares() if view.insight else {}
            about = board, self._landed(), path, self._glyphs, shares
            names = self._coordinates
            if kind == "diamond":
                return self._styled(diamond_lines(*about, (names.rows, names.columns)))
            return self._styled(grid_lines(names, *about))
        if kind == "ledge":
            legend = [styled(pieces, self._styles) for pieces in ledge_legend()]
            row = self._styled(ledge_lines(board, self._width, self._glyphs))
            return [*row, Text(), *self._indented(legend)]
        return self._indented([Text(line) for line in view.game.text(view.state).splitlines()])

    def _last(self) -> Lines:
        """The last move, or who has won and by which path."""
        view = self._view
        path = view.game.winning_path(view.state) if view.winner else []
        last = []
        if view.last_action is not None:
            mark, cell = "", self._landed()
            if cell is not None:
                mark = " ".join(mark_of(cell, cell, path)) + " "
            name = self._coordinates.move(view.last_action)
            why = view.insight.words(self._coordinates) if view.insight else ""
            last = [Text(f"{mark}last move {name}{why}", "" if why else "dim")]
        if not view.winner:
            return last
        if view.winner not in (1, 2):
            return [self._verdict(), *last]
        legend = [Text("( ) winning path", "dim")] if path else []
        return [
            self._verdict(),
            *(last if self._landed() is not None or view.insight else []),
            *legend,
        ]

    def _verdict(self) -> Text:
        """Who has won."""
        view = self._view
        words = Text(result_words(view.game, view.players, view.moves, view.winner), "bold")
        if view.winner in (1, 2):
            name = player_name(view.game, view.winner)
            words.stylize(self._title_style(view.winner), 0, len(name))
        return words

    def _flow(self, pieces: Sequence[Text], indent: str = "") -> Lines:
        return flow(pieces, self._width, self._console, indent)

    def _indented(self, pieces: Sequence[Text]) -> Lines:
        lines = flow(pieces, max(1, self._width - 2), self._console)
        return [Text.assemble("  ", line) for line in lines]

    def _styled(self, rows: Sequence[Sequence[Segment]]) -> Lines:
        return [styled(row, self._styles) for row in rows]


class TerminalDisplay(Display):
    """Shows games move by move in the terminal, and leaves the end of each above the live area.

    Elsewhere than on a terminal (a file, a pipe) only the end is written, without control codes.

    Example:
        with TerminalDisplay(game, params.display) as display:
            display.start_progress("training", total=200)
            display.advance(status="loss 2.31")
    """

    in_terminal = True

    def _draw(self, state: State, action: int | None) -> None:
        """Put the state in the live area."""
        self.show_board(self._view(state, action, self.game.winner(state)))

    def _end(self, state: State, winner: int) -> None:
        """Write the end of the game for good."""
        self.show_board(None)
        self.write(self._view(state, self._now[1], winner))
        self._begun = False

    def _wait(self, seconds: float) -> None:
        """Wait only where there is someone to watch."""
        if self.live:
            super()._wait(seconds)

    def _view(self, state: State, action: int | None, winner: int) -> RenderableType:
        about = (self._title, self._players, self._moves, action, winner, self._shown_insight)
        return GameView(self.game, state, *about, self.controls.letters)
