"""A moment of a game on a terminal: its layout, and colours for each kind of terminal.

Automatic conversion gives wrong colours: of 256 colours the nearest to our cream is pink, and of 16
the nearest to our red is yellow.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from display.boards import board_text
from display.boards.board_text import ASCII, UNICODE, Cells, Segment, mark_of
from display.boards.cells import board_of
from display.boards.moment import GameView
from display.boards.palette import (
    BLACK,
    CELL,
    COPPER,
    FAINT,
    GOLD,
    GREY,
    INK,
    PAPER,
    RED,
    WHITE,
    look_of,
    player_name,
)

Lines = list[Text]

RED_WORD = "color(160)"
"""Red in tables and bars: a red with 256 colours, and with 16 the terminal's own."""
BLACK_WORD = "color(245)"

_PATH = "#fcd04b"
"""A gold that leaves red letters readable."""
_STYLES = {
    "blank": ("", "", ""),
    "label": ("dim", "dim", "dim"),
    "title1": (f"bold {RED}", "bold color(160)", "bold red"),
    "title2": (f"bold {GREY}", "bold color(245)", "bold"),
    "title3": ("bold", "bold", "bold"),
    "side1": (f"bold #e8837c on {RED}", "bold color(210) on color(160)", "bold white on red"),
    "side2": (f"bold #5b606a on {GREY}", "bold color(240) on color(245)", "bold white on black"),
    "corner": (f"bold {FAINT} on {CELL}", "bold color(101) on color(230)", "black on white"),
    "cell": (f"{FAINT} on {CELL}", "color(101) on color(230)", "black on white"),
    "empty": (f"{FAINT} on {CELL}", "color(101) on color(230)", "black on white"),
    "share1": (f"{INK} on #e6ead9", "color(237) on color(194)", "black on white"),
    "share2": (f"{INK} on #b5d5d6", "color(237) on color(152)", "blue on white"),
    "share3": (f"bold {INK} on #72b1c4", "bold color(235) on color(74)", "black on cyan"),
    "share4": ("bold #ffffff on #1f5f92", "bold color(231) on color(25)", "bold white on blue"),
    "stone1": (f"bold {RED} on {CELL}", "bold color(160) on color(230)", "red on white"),
    "stone2": (f"bold {BLACK} on {CELL}", "bold color(235) on color(230)", "black on white"),
    "stone3": (f"bold {INK} on {WHITE}", "bold color(235) on color(231)", "black on white"),
    "path1": (f"bold {RED} on {_PATH}", "bold color(160) on color(220)", "bold white on red"),
    "path2": (f"bold {BLACK} on {_PATH}", "bold color(235) on color(220)", "bold white on black"),
    "path3": (f"bold {INK} on {_PATH}", "bold color(235) on color(220)", "bold white on black"),
    "copper": (f"bold {PAPER} on {COPPER}", "bold color(230) on color(130)", "bold white on red"),
    "gold": (f"bold {INK} on {GOLD}", "bold color(235) on color(220)", "black on yellow"),
}
"""The style of each role: in any colour, of 256, and of 16 colours.

Of 16, nothing dark is bold: many terminals draw bold black as grey. There the path is the players'
own colour in reverse video, since yellow is brown on some terminals.
"""
_COLUMNS = {"256": 1, "standard": 2, "windows": 2}


class TerminalBoard(NamedTuple):
    """A moment of a game that ``rich`` can print."""

    view: GameView

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the largest arrangement that fits."""
        yield from BoardLayout(self.view, console, options).lines()


class BoardLayout:
    """Arranges a view in the available space.

    If the height is limited, as in the live area, and too small, blank lines are dropped first,
    then both players share a line, then the last move joins the title, which is dropped next. A
    board that does not fit, in height or in width, is replaced by a line that says so.
    """

    def __init__(self, view: GameView, console: Console, options: ConsoleOptions) -> None:
        """Take the width and the height of ``options``."""
        self._view, self._console = view, console
        self._width = options.max_width
        self._room = math.inf if options.height is None else options.height
        self._glyphs = UNICODE if console.encoding.lower().startswith("utf") else ASCII
        column = _COLUMNS.get(console.color_system or "", 0)
        self._styles = {role: styles[column] for role, styles in _STYLES.items()}

    @property
    def board_size(self) -> tuple[int, int]:
        """The columns and the lines that the board itself needs."""
        board = self._board()
        return max((line.cell_len for line in board), default=0), len(board)

    def lines(self) -> Lines:
        """Return the largest arrangement that fits."""
        board, (columns, _) = self._board(), self.board_size
        missing = ""
        if columns > self._width:
            missing = f"The board needs {columns} columns, here are {self._width}."
        elif len(board) > self._room:
            missing = f"The board needs {len(board)} lines, here are {self._room}."
        if missing:
            board = self._flow([Text(missing, "dim")])
        view, last = self._view, self._last()
        count = Text(f"move {view.moves}" if view.moves else "", "dim")
        title = [Text(view.title, "bold"), count]
        above, below = self._flow(title), self._flow(last)
        players, short = self._players(), self._flow([self._player(1), self._player(2)])
        arrangements = (
            [*above, *players, Text(), *board, Text(), *below, Text()],
            [*above, *players, *board, *below],
            [*above, *short, *board, *below],
            [*self._flow([*title, *last]), *short, *board],
            [*short, *board],
            board[: max(1, int(min(self._room, len(board))))],
        )
        return next((lines for lines in arrangements if len(lines) <= self._room), arrangements[-1])

    def _players(self) -> Lines:
        game, lines = self._view.game, list[Text]()
        widths = max(map(len, game.player_names)), max(map(len, self._view.players))
        for player, sides in enumerate(game.drawing.sides, start=1):
            lines += self._flow([self._player(player, widths), Text(sides, "dim")], "    ")
        return lines

    def _player(self, player: int, widths: tuple[int, int] = (0, 0)) -> Text:
        game, name = self._view.game, player_name(self._view.game, player)
        piece = f"{game.drawing.pieces[player - 1]} "
        if game.drawing.is_hexagonal:
            piece = f"{self._glyphs.stones[player]} "
        elif not game.drawing.has_board or piece.rstrip() == name:
            piece = ""
        to_play = 0 if self._view.winner else int(self._view.state[0])
        return Text.assemble(
            ("> " if player == to_play else "  ", "bold"),
            (f"{piece}{name:<{widths[0]}}", self._title_style(player)),
            f"  {self._view.players[player - 1]:<{widths[1]}}",
        )

    def _title_style(self, player: int) -> str:
        return self._styles[f"title{look_of(self._view.game, player).role}"]

    def _board(self) -> Lines:
        view = self._view
        game, board = view.game, board_of(view.game, view.state)
        if game.drawing.has_board:
            path = frozenset(game.winning_path(view.state))
            shown = Cells(view.coordinates, board, view.landed, path, view.shares, self._glyphs)
            lines = board_text.diamond_lines if game.drawing.is_hexagonal else board_text.grid_lines
            return self._styled(lines(shown))
        if game.drawing.kind == "ledge":
            row = self._styled(board_text.ledge_lines(board, self._width, self._glyphs))
            return [*row, Text(), *self._indented(self._styled(board_text.LEDGE_LEGEND))]
        return self._indented([Text(line) for line in game.text(view.state).splitlines()])

    def _last(self) -> Lines:
        view, last = self._view, list[Text]()
        if view.last_action is not None:
            cell = view.landed
            path = view.game.winning_path(view.state) if view.winner else []
            mark = "" if cell is None else " ".join(mark_of(cell, cell, path)) + " "
            last = [Text(mark + view.last_move, "" if view.insight else "dim")]
        if not view.winner:
            return last
        verdict = Text(view.result, "bold")
        if view.winner not in (1, 2):
            return [verdict, *last]
        name = player_name(view.game, view.winner)
        verdict.stylize(self._title_style(view.winner), 0, len(name))
        legend = [Text("( ) winning path", "dim")] if view.game.winning_path(view.state) else []
        shown = last if view.landed is not None or view.insight else []
        return [verdict, *shown, *legend]

    def _flow(self, pieces: Sequence[Text], indent: str = "") -> Lines:
        return flow(pieces, self._width, self._console, indent)

    def _indented(self, pieces: Sequence[Text]) -> Lines:
        lines = flow(pieces, max(1, self._width - 2), self._console)
        return [Text.assemble("  ", line) for line in lines]

    def _styled(self, rows: Sequence[Sequence[Segment]]) -> Lines:
        """Return rows in the styles of their roles, with as few changes of style as possible."""
        lines = []
        for row in rows:
            runs: list[tuple[str, str]] = []
            for text, style in ((text, self._styles[role]) for text, role in row):
                before = runs[-1][1] if runs else ""
                # A blank keeps the style before it if only the colour of its text would differ.
                same = before.partition(" on ")[2] == style.partition(" on ")[2]
                if runs and (before == style or (text.isspace() and same)):
                    runs[-1] = runs[-1][0] + text, before
                else:
                    runs.append((text, style))
            lines.append(Text.assemble(*runs))
        return lines


def flow(pieces: Sequence[Text], width: int, console: Console, indent: str = "") -> Lines:
    """Set pieces side by side, indented after the first line; break those wider than a line."""
    lines: Lines = []
    for piece in filter(None, pieces):
        joined = Text.assemble(lines[-1], "   ", piece) if lines else piece
        if joined.cell_len <= width:
            lines[-1:] = [joined]
            continue
        parts = piece.wrap(console, max(1, width - len(indent)))
        lines += [Text.assemble(indent if lines else "", part) for part in parts]
    for line in lines:
        line.rstrip()
    return lines
