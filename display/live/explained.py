"""A step of a recorded search in the terminal: the board and the tree side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from queue import SimpleQueue
from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text

from analysis.recording import PROCESSES
from display.boards.explained import ROOT, Explained, Value
from display.boards.palette import GOLD
from display.boards.step_words import named_value, words_of
from display.boards.terminal import Layout, Lines, flow
from display.live.keys import COORDINATES_KEY, KeyListener
from display.live.screen import Screen

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

    from analysis.recording import Step

_MOST_ROWS = 5
_BOARD, _GAP = 44, 3
"""Columns of the board at least, so that the tree stays where it is; and between them."""
_LINES = 14
"""Of the tree, at least, where there is room for more than the board."""
_HINT = f"n p: step   up down: simulation   home end   {COORDINATES_KEY}: a1 or (0, 0)   q: quit"
_HERE, _CHANGED = f"bold {GOLD}", "bold reverse"


class StepView(NamedTuple):
    """A step, drawn in the available space of a console."""

    explained: Explained
    number: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the processes, the board beside edges and tree, and what happens."""
        explained, width = self.explained, options.max_width
        step = explained.recording.steps[self.number]
        view = explained.view(self.number)
        above = flow(
            [Text(view.title, "bold"), Text(explained.places(step.process), "dim")], width, console
        )
        processes = [
            Text(f"{number} {name}", _HERE if number == step.process else "dim")
            for number, name in enumerate(PROCESSES, start=1)
        ]
        above += flow(processes, width, console)
        below: Lines = []
        for words in words_of(explained, self.number):
            below += flow([Text(words)], width, console)
        room = 10**6 if options.height is None else options.height - len(above) - len(below)
        shown = options.update(height=max(1, room))
        board = Layout(replace(view, title=""), console, shown).lines()
        beside = self._edges()
        beside += self._tree(max(3, min(room, max(len(board), _LINES)) - len(beside)))
        left = max(_BOARD, *(line.cell_len for line in board)) + _GAP
        yield from above
        for line, more in zip_longest(board, beside, fillvalue=Text()):
            line.pad_right(left - line.cell_len)
            both = line + more
            both.truncate(width, overflow="ellipsis")
            yield both
        yield from below

    def _edges(self) -> Lines:
        """The best edges that tree search looked at."""
        rows = [row for row in self.explained.rows(self.number) if row.score is not None]
        best = sorted(rows, key=lambda row: -(row.score or 0.0))[:_MOST_ROWS]
        taken = [row for row in rows if row.taken and row not in best]
        names = max((len(row.name) for row in rows), default=0)
        lines = [
            Text(
                f"{row.name:{names}}  N {row.visits:<3} Q {named_value(row.q)}"
                + ("" if row.u is None else f"  u {row.u:.3f}  {named_value(row.score or 0.0)}"),
                _HERE if row.taken else "",
            )
            for row in (*best, *taken)
        ]
        if more := len(rows) - len(lines):
            lines.append(Text(f"and {more} more", "dim"))
        return [*lines, Text()] if lines else []

    def _tree(self, room: int) -> Lines:
        """The nodes on the path and, while space remains, the most visited ones."""
        explained, step = self.explained, self.explained.recording.steps[self.number]
        nodes, values = explained.recording.nodes, explained.values(self.number)
        shown = on_path = {node for node in explained.way(self.number) if node in values}
        for node in sorted(values, key=lambda node: (-values[node].visits, node)):
            if len(shown) < room - 1 and nodes[node].parent in shown:
                shown = shown | {node}
        changed = {change.node for change in step.changes}
        changed |= {step.path[-1]} if step.new else set()
        lines: Lines = []
        left = [ROOT]
        while left:
            node = left.pop()
            style = _CHANGED if node in changed else _HERE if node in on_path else ""
            lines.append(Text("  " * nodes[node].depth).append(self._node(node, values), style))
            children = [each for each in shown if nodes[each].parent == node]
            left += sorted(children, key=lambda each: -nodes[each].action)
        if more := len(values) - len(shown):
            lines.append(Text(f"and {more} more nodes", "dim"))
        return lines

    def _node(self, node: int, values: Mapping[int, Value]) -> str:
        """A node in a line; the root has no edge above it, so no Q."""
        value, recording = values[node], self.explained.recording
        known = {0: "", 3: "  a draw"}.get(value.outcome)
        if known is None:
            known = f"  {recording.game.player_names[value.outcome - 1]} wins"
        if node == ROOT:
            return f"root  N {value.visits}{known}"
        name = self.explained.names.move(recording.nodes[node].action)
        return f"{name}  N {value.visits}  Q {named_value(value.q)}{known}"


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

    def step_through(self, explained: Explained) -> bool:
        """Show steps until ``q``, from the first one on; return whether keys are available."""
        if not self.live:
            return False
        self._listener.resume()
        number, steps = 0, explained.recording.steps
        while self._listener.listening:
            self.show_board(StepView(explained, number))
            if (key := self._keys.get().lower()) == "q":
                break
            simulation = steps[number].simulation
            wanted = {
                "n": number + 1, "right": number + 1, " ": number + 1,
                "p": number - 1, "left": number - 1, "home": 0, "end": len(steps) - 1,
                "down": _first(steps, simulation + 1), "up": _first(steps, simulation - 1),
            }  # fmt: skip
            number = min(max(wanted.get(key, number), 0), len(steps) - 1)
            if key == COORDINATES_KEY:
                explained = replace(explained, letters=not explained.letters)
        self.show_board(None)
        self.write(StepView(explained, number))
        return True


def _first(steps: Sequence[Step], simulation: int) -> int:
    """Return the first step of a simulation, or of those after it."""
    return next((n for n, step in enumerate(steps) if step.simulation >= simulation), len(steps))
