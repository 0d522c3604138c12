"""A step of a recorded search in the terminal: the board beside the edges and the tree."""

from bisect import bisect_left
from dataclasses import replace
from itertools import chain, zip_longest
from queue import SimpleQueue
from typing import NamedTuple

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from analysis.search_recording import PROCESSES
from display.boards.palette import GOLD
from display.boards.search_steps import SearchSteps, named_value
from display.boards.terminal import BoardLayout, Lines, flow
from display.live.keys import COORDINATES_KEY, KeyListener
from display.live.screen import Screen

_MOST_EDGES = 5
_BOARD, _GAP, _BESIDE = 44, 2, 34
"""Columns of the board at least, so that the tree stays where it is; between them; and beside."""
_LINES = 14  # of the tree, at least, where there is room for more than the board
_HINT = f"n p: step   up down: simulation   home end   {COORDINATES_KEY}: a1 or (0, 0)   q: quit"
_HERE, _CHANGED = f"bold {GOLD}", "bold reverse"


class StepView(NamedTuple):
    """A step, drawn in the available space of a console."""

    steps: SearchSteps
    number: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the processes, the board beside edges and tree, and what happens.

        Where the height is limited and too small for the board, the source is dropped first, then
        the other processes, then all words but the first and the last line, then these.
        """
        recording, view = self.steps.recording, self.steps.view(self.number)
        width, process = options.max_width, recording.steps[self.number].process
        numbered = enumerate(PROCESSES, start=1)
        processes = [Text(f"{n} {name}", _HERE if n == process else "dim") for n, name in numbered]
        title, source = Text(view.title, "bold"), Text(recording.sources[process - 1], "dim")
        lines = [flow([Text(words)], width, console) for words in self.steps.words(self.number)]
        words, now = [*chain(*lines)], flow([title, processes[process - 1]], width, console)
        processes = flow(processes, width, console)
        arrangements: tuple[tuple[Lines, Lines], ...] = (
            (flow([title, source], width, console) + processes, words),
            (flow([title], width, console) + processes, words),
            (now, words),
            (now, lines[0] + lines[-1] * (len(lines) > 1)),
            (now, []),
        )
        height = 10**6 if options.height is None else options.height
        rooms = [height - len(above) - len(below) for above, below in arrangements]
        bare = replace(view, title="")
        columns, needed = BoardLayout(bare, console, options).board_size
        chosen = next((place for place, room in enumerate(rooms) if room >= needed), 0)
        (above, below), room = arrangements[chosen], rooms[chosen]
        space = min(width, max(columns, _BOARD, width - _GAP - _BESIDE)), max(1, room)
        board = BoardLayout(bare, console, options.update_dimensions(*space)).lines()
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
        step, name = self.steps.recording.steps[self.number], self.steps.name
        ranked = sorted(step.edges, key=lambda edge: -edge.score)
        if not ranked:
            return []
        width = max(len(name(edge.action)) for edge in ranked)
        has_u = any(edge.u is not None for edge in ranked)
        total = "Q + u" if self.steps.view(self.number).state[0] == 1 else "-Q + u"
        lines = [Text(f"{'':{width}}    N      Q{f'      u {total:>6}' * has_u}", "dim")]
        for place, edge in enumerate(ranked):
            taken = edge.action == step.action
            if place < _MOST_EDGES or taken:
                u = "" if edge.u is None else f" {edge.u:6.3f} {named_value(edge.score):>6}"
                words = f"{name(edge.action):{width}} {edge.visits:4} {named_value(edge.q):>6}{u}"
                lines.append(Text(words, _HERE if taken else ""))
        if more := len(ranked) - len(lines) + 1:
            lines.append(Text(f"and {more} more", "dim"))
        return [*lines, Text()]

    def _tree(self, room: int) -> Lines:
        steps, lines = self.steps, list[Text]()
        nodes, step = steps.recording.nodes, steps.recording.steps[self.number]
        tree, path = steps.tree(self.number), steps.path(self.number)
        shown = tree.keys() & path
        for node in sorted(tree, key=lambda node: (-tree[node].visits, node)):
            if len(shown) < room - 1 and nodes[node].parent in shown:
                shown.add(node)
        for node, (visits, q, outcome) in tree.items():
            if node in shown:
                value = "" if q is None else f"Q {named_value(q)}"
                words = steps.node_names[node], f"N {visits}", value, steps.result(outcome)
                style = _CHANGED if node in step.changes else _HERE if node in path else ""
                line = Text("  " * nodes[node].depth)
                lines.append(line.append("  ".join(filter(None, words)), style))
        if more := len(tree) - len(shown):
            lines.append(Text(f"and {more} more nodes", "dim"))
        return lines


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
        number, recorded = 0, steps.recording.steps
        simulations = [step.simulation for step in recorded]
        while self._listener.listening:
            self.show_board(StepView(steps, number))
            if (key := self._keys.get().lower()) == "q":
                break
            later, earlier = simulations[number] + 1, simulations[number] - 1
            wanted = {
                "n": number + 1, "right": number + 1, " ": number + 1,
                "p": number - 1, "left": number - 1, "home": 0, "end": len(recorded),
                "down": bisect_left(simulations, later), "up": bisect_left(simulations, earlier),
            }  # fmt: skip
            number = min(max(wanted.get(key, number), 0), len(recorded) - 1)
            if key == COORDINATES_KEY:
                steps = replace(steps, letters=not steps.letters)
        self.show_board(None)
        self.write(StepView(steps, number))
        return True
