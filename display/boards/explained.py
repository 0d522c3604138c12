"""A recorded search for display: the board, the tree and the words of each step."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from analysis.recording import Recording
from display.boards.cells import Coordinates, cells_of_move
from display.boards.moment import GameView

if TYPE_CHECKING:
    from state_manager import State

ROOT = 0


class Value(NamedTuple):
    """The tree's values at a node and at the edge to it.

    Attributes:
        visits: N.
        q: Q of the edge, seen from player 1.
        outcome: The proven outcome of the node; 0 if none.
    """

    visits: int = 0
    q: float = 0.0
    outcome: int = 0


class Row(NamedTuple):
    """An edge in a table.

    Attributes:
        name: Its move.
        cell: The cell that marks the move.
        visits: N(s,a).
        q: Q(s,a), seen from player 1; infinite if it is proven.
        u: The bonus that the tree policy adds to Q; ``None`` if it did not compute one.
        score: The maximised value.
        taken: Whether tree search took this edge.
    """

    name: str
    cell: int
    visits: int
    q: float
    u: float | None
    score: float | None
    taken: bool


@dataclass(frozen=True)
class Explained:
    """A recording in words and numbers; steps are counted from 0.

    Attributes:
        letters: Whether cells are named by letters and numbers.
    """

    recording: Recording
    letters: bool = False

    @property
    def names(self) -> Coordinates:
        """The names of moves."""
        return Coordinates(self.recording.game, self.letters)

    def state(self, actions: tuple[int, ...]) -> State:
        """Return the state that actions lead to from the root, `[S]` int8."""
        if actions not in self._states:
            before = self.state(actions[:-1])
            self._states[actions] = self.recording.game.child_state(before, actions[-1])
        return self._states[actions]

    @cached_property
    def _states(self) -> dict[tuple[int, ...], State]:
        """The states computed so far, by the actions from the root; the root is first."""
        recording = self.recording
        root = recording.game.initial_state(recording.starting_player)
        for action in recording.opening:
            root = recording.game.child_state(root, action)
        return {(): root}

    def view(self, number: int) -> GameView:
        """Return the board of a step."""
        recording = self.recording
        step, game = recording.steps[number], recording.game
        state, made = self.state(step.actions), (*recording.opening, *step.actions)
        last, winner, title = made[-1] if made else None, game.winner(state), self.title(number)
        return GameView(game, state, title, ("", ""), len(made), last, winner, None, self.letters)

    def title(self, number: int) -> str:
        """Return the title of a step."""
        steps = self.recording.steps
        which = f"simulation {steps[number].simulation} of {steps[-1].simulation}"
        which = which if steps[number].simulation else "before the first simulation"
        return f"Step {number + 1} of {len(steps)}, {which}"

    def values(self, number: int) -> dict[int, Value]:
        """Return the tree's values after a step."""
        values: dict[int, Value] = {}
        for step in self.recording.steps[: number + 1]:
            if step.new:
                values[step.path[-1]] = Value()
            for change in step.changes:
                if change.node in values:
                    q = values[change.node].q if change.q is None else change.q[1]
                    known = change.outcome or values[change.node].outcome
                    values[change.node] = Value(change.visits[1], q, known)
        return values

    def way(self, number: int) -> list[int]:
        """Return the nodes of a step's path, and the next node of the tree search, if any."""
        step = self.recording.steps[number]
        way = [node for node in step.path if node >= 0]
        if step.process == 1:
            taken = (way[-1], step.action)
            nodes = enumerate(self.recording.nodes)
            way += [n for n, node in nodes if (node.parent, node.action) == taken]
        return way

    def rows(self, number: int) -> list[Row]:
        """Return the edges that tree search compared in a step, in order of their actions."""
        step, game, rows = self.recording.steps[number], self.recording.game, list[Row]()
        state = self.state(step.actions)
        sign = 1.0 if state[0] == 1 else -1.0
        for edge in step.edges:
            u = None if edge.score is None else edge.score - sign * edge.q
            u = None if u is None or not math.isfinite(u) else u
            cell = cells_of_move(game, state, edge.action)[-1]
            name, taken = self.names.move(edge.action), edge.action == step.action
            rows.append(Row(name, cell, edge.visits, edge.q, u, edge.score, taken))
        return rows

    def rollout(self, number: int) -> list[int]:
        """Return the cells of the moves of a step's rollout, in order; none without one."""
        step, game = self.recording.steps[number], self.recording.game
        if step.process != 3:
            return []
        first = len(step.path) - 1
        return [
            cells_of_move(game, self.state(step.actions[:ply]), step.actions[ply])[-1]
            for ply in range(first, len(step.actions))
        ]

    def places(self, process: int) -> str:
        """Return the source of a process: file and functions."""
        places = [each for each in self.recording.places if each.process == process]
        return ", ".join(f"{each.file}:{each.line} {each.function}()" for each in places)

    @property
    def verdict(self) -> str:
        """Return a sentence with the chosen move and the reason."""
        recording = self.recording
        action, total = recording.action, sum(recording.visits)
        found = f"N {recording.visits[action]} of {total}, Q {recording.q_values[action]:+.3f}"
        return f"{recording.agent} chooses {self.names.move(action)}: {found}"

    def node_name(self, node: int) -> str:
        """Return the name of a node: the moves from the root."""
        nodes, names = self.recording.nodes, list[str]()
        while nodes[node].parent >= 0:
            names.append(self.names.move(nodes[node].action))
            node = nodes[node].parent
        return " ".join(names[::-1]) or "the root"

    @cached_property
    def layout(self) -> list[float]:
        """Return the x of each node: leaves side by side 1 apart, others above their children."""
        nodes = self.recording.nodes
        children: list[list[int]] = [[] for _ in nodes]
        for number, node in enumerate(nodes):
            if node.parent >= 0:
                children[node.parent].append(number)
        x, free = [0.0] * len(nodes), 0.0
        # Reversed, a node comes after all nodes below it and at its left.
        order: list[int] = []
        left = [ROOT]
        while left:
            number = left.pop()
            order.append(number)
            left += sorted(children[number], key=lambda each: nodes[each].action)
        for number in reversed(order):
            if below := children[number]:
                x[number] = (min(x[each] for each in below) + max(x[each] for each in below)) / 2
            else:
                x[number], free = free, free + 1.0
        return x
