"""A step of a recorded search in the terminal: the board beside the edges and the tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from queue import SimpleQueue
from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text

from analysis.search_recording import PROCESSES
from display.boards.palette import GOLD
from display.boards.search_steps import ROOT, Row, SearchSteps, named_value
from display.boards.terminal import Layout, Lines, flow
from display.live.keys import COORDINATES_KEY, KeyListener
from display.live.screen import Screen

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

    from analysis.search_recording import Step

_MOST_ROWS = 5
_BOARD, _GAP = 44, 3
"""Columns of the board at least, so that the tree stays where it is; and between them."""
_LINES = 14
"""Of the tree, at least, where there is room for more than the board."""
_HINT = f"n p: step   up down: simulation   home end   {COORDINATES_KEY}: a1 or (0, 0)   q: quit"
_HERE, _CHANGED = f"bold {GOLD}", "bold reverse"


class StepView(NamedTuple):
    """A step, drawn in the available space of a console."""

    steps: SearchSteps
    number: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the processes, the board beside edges and tree, and what happens."""
        shown, width = self.steps.step(self.number), options.max_width
        source = Text(shown.source.partition(", ")[2], "dim")
        processes = [
            Text(f"{number} {name}", _HERE if number == shown.step.process else "dim")
            for number, name in enumerate(PROCESSES, start=1)
        ]
        above = flow([Text(shown.view.title, "bold"), source], width, console)
        above += flow(processes, width, console)
        below = [line for words in shown.words for line in flow([Text(words)], width, console)]
        room = 10**6 if options.height is None else options.height - len(above) - len(below)
        space = options.update(height=max(1, room))
        board = Layout(replace(shown.view, title=""), console, space).lines()
        beside = _edges(shown.rows)
        beside += self._tree(max(3, min(room, max(len(board), _LINES)) - len(beside)))
        left = max(_BOARD, *(line.cell_len for line in board)) + _GAP
        yield from above
        for line, more in zip_longest(board, beside, fillvalue=Text()):
            line.pad_right(left - line.cell_len)
            both = line + more
            both.truncate(width, overflow="ellipsis")
            yield both
        yield from below

    def _tree(self, room: int) -> Lines:
        """The nodes on the path and, while space remains, the most visited ones."""
        tree = self.steps.tree(self.number)
        shown = {each.number for each in tree if each.on_path}
        for each in sorted(tree, key=lambda each: (-each.value.visits, each.number)):
            if len(shown) < room - 1 and each.node.parent in shown:
                shown.add(each.number)
        lines: Lines = []
        for each in tree:
            if each.number in shown:
                result = self.steps.result(each.value.outcome)
                # The root has no edge above it, so no Q.
                q = "" if each.number == ROOT else f"Q {named_value(each.value.q)}"
                words = filter(None, (each.name, f"N {each.value.visits}", q, result))
                style = _CHANGED if each.changed else _HERE if each.on_path else ""
                lines.append(Text("  " * each.node.depth).append("  ".join(words), style))
        if more := len(tree) - len(shown):
            lines.append(Text(f"and {more} more nodes", "dim"))
        return lines


def _edges(rows: Sequence[Row]) -> Lines:
    """The best edges that tree search looked at, and the one that it took."""
    rows = [row for row in rows if row.score is not None]
    ranked = sorted(rows, key=lambda row: -(row.score or 0.0))
    shown = [row for place, row in enumerate(ranked) if place < _MOST_ROWS or row.taken]
    names = max((len(row.name) for row in rows), default=0)
    lines = [
        Text(
            f"{row.name:{names}}  N {row.visits:<3} Q {named_value(row.q)}"
            + ("" if row.u is None else f"  u {row.u:.3f}  {named_value(row.score)}"),
            _HERE if row.taken else "",
        )
        for row in shown
    ]
    if more := len(rows) - len(lines):
        lines.append(Text(f"and {more} more", "dim"))
    return [*lines, Text()] if lines else []


class StepScreen(Screen):
    """Steps through a recorded search by keys, on a terminal."""

    def __init__(self, console: Console | None = None) -> None:
        """See ``Screen``."""
        super().__init__(console)
        self._keys: SimpleQueue[str] = SimpleQueue()
        self._listener = KeyListener(self._keys.put)

    def leave(self, finished: bool) -> None:
        """Stop listening to keys."""
        self._listener.pause()

    def hint(self) -> str:
        """Return the help line for the keys."""
        return _HINT if self._listener.listening else ""

    def step_through(self, steps: SearchSteps) -> bool:
        """Show steps until ``q``, from the first one on; return whether keys are available."""
        if not self.live:
            return False
        self._listener.resume()
        number, last = 0, len(steps) - 1
        while self._listener.listening:
            self.show_board(StepView(steps, number))
            if (key := self._keys.get().lower()) == "q":
                break
            simulation = steps.recording.steps[number].simulation
            wanted = {
                "n": number + 1, "right": number + 1, " ": number + 1,
                "p": number - 1, "left": number - 1, "home": 0, "end": last,
                "down": _first(steps.recording.steps, simulation + 1),
                "up": _first(steps.recording.steps, simulation - 1),
            }  # fmt: skip
            number = min(max(wanted.get(key, number), 0), last)
            if key == COORDINATES_KEY:
                steps = replace(steps, letters=not steps.letters)
        self.show_board(None)
        self.write(StepView(steps, number))
        return True


def _first(steps: Sequence[Step], simulation: int) -> int:
    """Return the first step of a simulation, or of those after it."""
    return next((n for n, step in enumerate(steps) if step.simulation >= simulation), len(steps))
