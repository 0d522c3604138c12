"""The characters and colours of the terminal, chosen for each number of colours it may have.

A colour that is left to be converted comes out wrong: of 256 colours the one nearest to our cream
is pink, and of 16 the one nearest to our red is yellow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from display.boards.board_text import ASCII, UNICODE, Glyphs, Segment
from display.boards.palette import (
    BLACK,
    BLACK_ON_TERMINAL,
    CELL,
    COPPER,
    FAINT,
    GOLD,
    INK,
    PAPER,
    RED,
    WHITE,
)

if TYPE_CHECKING:
    from rich.console import Console

RED_WORD = "color(160)"
"""Red in tables and bars: a red with 256 colours, and with 16 the terminal's own."""
BLACK_WORD = "color(245)"

_PATH = "#fcd04b"
"""A gold on which red letters can be read."""
_STYLES = {
    "blank": ("", "", ""),
    "label": ("dim", "dim", "dim"),
    "title1": (f"bold {RED}", "bold color(160)", "bold red"),
    "title2": (f"bold {BLACK_ON_TERMINAL}", "bold color(245)", "bold"),
    "title3": ("bold", "bold", "bold"),
    "side1": (f"bold #e8837c on {RED}", "bold color(210) on color(160)", "bold white on red"),
    "side2": (
        f"bold #5b606a on {BLACK_ON_TERMINAL}",
        "bold color(240) on color(245)",
        "bold white on black",
    ),
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
own colour turned inside out, since yellow is brown on some terminals.
"""
_COLUMNS = {"256": 1, "standard": 2, "windows": 2}


def styles_of(console: Console) -> Mapping[str, str]:
    """Return the style of each role of ``display.boards.board_text`` and of a row of coins."""
    column = _COLUMNS.get(console.color_system or "", 0)
    return {role: styles[column] for role, styles in _STYLES.items()}


def glyphs_of(console: Console) -> Glyphs:
    """Return the characters that a console can write."""
    return UNICODE if console.encoding.lower().startswith("utf") else ASCII


def styled(pieces: Sequence[Segment], styles: Mapping[str, str]) -> Text:
    """Return pieces of text in the styles of their roles, with as few changes as can be.

    A blank takes the style before it where only the colour of the ink differs, which none shows.
    """
    runs: list[tuple[str, str]] = []
    for text, role in pieces:
        style = styles[role]
        before = runs[-1][1] if runs else None
        same_paper = before is not None and _paper(before) == _paper(style)
        if before is not None and (before == style or (text.isspace() and same_paper)):
            runs[-1] = runs[-1][0] + text, before
        else:
            runs.append((text, style))
    return Text.assemble(*runs)


def flow(pieces: Sequence[Text], width: int, console: Console, indent: str = "") -> list[Text]:
    """Set pieces side by side, as many on a line as there is room for.

    Args:
        pieces: In order; empty ones are left out, and one wider than a line is broken.
        width: Columns of a line.
        console: Breaks what is too wide.
        indent: Before each line but the first.
    """
    lines: list[Text] = []
    for piece in pieces:
        if not piece:
            continue
        joined = Text.assemble(lines[-1], "   ", piece) if lines else piece
        if joined.cell_len <= width:
            lines[-1:] = [joined]
            continue
        room = max(1, width - len(indent))
        lines += [
            Text.assemble(indent if lines else "", part) for part in piece.wrap(console, room)
        ]
    for line in lines:
        line.rstrip()
    return lines


def _paper(style: str) -> str:
    """The colour behind a style's text."""
    return style.partition(" on ")[2]
