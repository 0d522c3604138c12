"""A recorded search, described step by step: the board, the edges, the tree and the words.

The terminal, the pictures and the page lay out this one description.
"""

import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import accumulate, count
from typing import Any

from analysis.search_recording import PROCESSES, Edge, NodeValue, Recording, Step
from display.boards.cells import Coordinates, board_data, cells_of_move
from display.boards.moment import GameView
from display.boards.palette import player_name
from state_manager import DRAW, State

ROOT = 0


def _puct(c: float, step: Step, edge: Edge) -> str:
    numbers = f"{c:g}·{edge.prior:.3f}·√{max(1, step.visits)} / {1 + edge.visits}"
    return f"u = c·P(s,a)·√N(s) / (1 + N(s,a)) = {numbers}"


_BONUS: dict[str, Callable[[float, Step, Edge], str]] = {
    "uct": lambda c, step, edge: (
        f"u = c·√(ln N(s) / (1 + N(s,a))) = {c:g}·√(ln {max(1, step.visits)} / {1 + edge.visits})"
    ),
    "puct": _puct,
    "puct_fpu": _puct,
}
"""The formulas of tree policies with their numbers; for others, u is the bonus added to Q."""


@dataclass(frozen=True)
class SearchSteps:
    """Describes the steps of a recording, counted from 0; for ``letters`` see ``Coordinates``."""

    recording: Recording
    letters: bool = True

    @property
    def verdict(self) -> str:
        """Return a sentence with the chosen move and the reason."""
        recording = self.recording
        action, total = recording.action, sum(recording.visits)
        found = f"N {recording.visits[action]} of {total}, Q {recording.q_values[action]:+.3f}"
        return f"{recording.agent} chooses {self.name(action)}: {found}"

    def name(self, action: int) -> str:
        """Return the name of a move."""
        return Coordinates(self.recording.game, self.letters).move(action)

    def result(self, outcome: int) -> str:
        """Return the result of a game in words; empty if it goes on."""
        if outcome == DRAW:
            return "a draw"
        return f"{player_name(self.recording.game, outcome)} wins" if outcome else ""

    def view(self, number: int) -> GameView:
        """Return the board of a step, and its title."""
        recording, step = self.recording, self.recording.steps[number]
        which = f"simulation {step.simulation} of {recording.steps[-1].simulation}"
        which = which if step.simulation else "before the first simulation"
        title = f"Step {number + 1} of {len(recording.steps)}, {which}"
        game, state = recording.game, self._states(step)[-1]
        made = (*recording.opening, *step.actions)
        last, winner = made[-1] if made else None, game.winner(state)
        return GameView(game, state, title, ("", ""), len(made), last, winner, None, self.letters)

    def heading(self, number: int) -> str:
        """Return the title of a step, its process, and where the process is in the source."""
        process = self.recording.steps[number].process - 1
        return f"{self.view(number).title}: {PROCESSES[process]}, {self.recording.sources[process]}"

    def _states(self, step: Step) -> list[State]:
        return list(accumulate(step.actions, self.recording.game.child_state, initial=self._root))

    @cached_property
    def _root(self) -> State:
        recording = self.recording
        return reduce(recording.game.child_state, recording.opening, recording.first)

    def edge_cells(self, number: int) -> list[int]:
        """Return the cell that marks the move of each edge that tree search compared in a step."""
        game, step = self.recording.game, self.recording.steps[number]
        state = self._states(step)[-1]
        return [cells_of_move(game, state, edge.action)[-1] for edge in step.edges]

    def rollout(self, number: int) -> list[int]:
        """Return the cells of the moves of a step's rollout, in order; none without one."""
        game, step = self.recording.game, self.recording.steps[number]
        moves = list(zip(self._states(step), step.actions, strict=False))
        first = len(step.path) - 1 if step.process == 3 else len(moves)
        return [cells_of_move(game, *move)[-1] for move in moves[first:]]

    def path(self, number: int) -> list[int]:
        """Return the nodes of a step's path, and the next node of the tree search, if any."""
        nodes, step = self.recording.nodes, self.recording.steps[number]
        path = [node for node in step.path if node >= 0]
        ahead = path[-1], step.action
        return path + [n for n, each in enumerate(nodes) if (each.parent, each.action) == ahead]

    def tree(self, number: int) -> dict[int, NodeValue]:
        """Return the values of all nodes after a step, each node before those below it."""
        values: dict[int, NodeValue] = {}
        for step in self.recording.steps[: number + 1]:
            values |= {node: after for node, (_, after) in step.changes.items()}
        return {node: values[node] for node in self.x if node in values}

    @cached_property
    def x(self) -> dict[int, float]:
        """The place of each node from the left, parents first: leaves are 1 apart, others above."""
        nodes, leaves, x = self.recording.nodes, count(), dict[int, float]()
        children = defaultdict[int, list[int]](list)
        for number in sorted(range(len(nodes)), key=lambda number: nodes[number].action):
            children[nodes[number].parent].append(number)

        def place(node: int) -> float:
            x[node] = 0.0  # keeps its place before its children
            below = [place(child) for child in children[node]]
            x[node] = (below[0] + below[-1]) / 2 if below else float(next(leaves))
            return x[node]

        place(ROOT)
        return x

    @cached_property
    def node_names(self) -> list[str]:
        """The move that leads to each node; ``root`` for the root."""
        return ["root", *(self.name(node.action) for node in self.recording.nodes[1:])]

    def words(self, number: int) -> list[str]:
        """Return lines that say what happens in a step, with formulas and their numbers."""
        step = self.recording.steps[number]
        say = (self._selection, self._expansion, self._evaluation, self._backpropagation)
        return say[step.process - 1](step, self._states(step)[-1])

    def _selection(self, step: Step, state: State) -> list[str]:
        recording, mover = self.recording, int(state[0])
        edge = next(edge for edge in step.edges if edge.action == step.action)
        to_move = f"{player_name(recording.game, mover)} is to move, N(s) = {step.visits}"
        lines = [f"At {self._place(step)}, {to_move}: {self.name(step.action)} is taken."]
        minus, q = ("", edge.q) if mover == 1 else ("-", -edge.q)
        is_highest = edge.score >= max(each.score for each in step.edges)
        if edge.u is None or not is_highest:
            lines.append(f"{recording.policy}(): {recording.formula.partition(chr(10))[0]}")
        if edge.u is None:
            return lines
        if is_highest:
            lines[0] = f"{lines[0][:-1]}, where {minus}Q + u is highest."
        if bonus := _BONUS.get(recording.policy):
            lines.append(f"{bonus(recording.exploration, step, edge)} = {edge.u:.3f}")
        total = f"{named_value(q)} {_added(edge.u)} = {named_value(edge.score)}"
        return [*lines, f"{minus}Q + u = {total}"]

    def _expansion(self, step: Step, state: State) -> list[str]:
        node = step.path[-1]
        if not step.changes:
            full = "The tree is full, so the leaf becomes no node."
            return ["The leaf is a node already, whose result is known." if node >= 0 else full]
        if node == ROOT:
            return ["The root becomes a node, and all its moves get edges."]
        lines = [f"The leaf {self._place(step)} becomes node {node}."]
        edges = [edge for each in self.recording.steps for edge in each.edges]
        is_solved = step.changes[node][1].outcome > 0
        if not is_solved and all(edge.prior is None for edge in edges):
            lines.append("It gets edges when a simulation comes back to it.")
        return lines

    def _evaluation(self, step: Step, state: State) -> list[str]:
        game, moves = self.recording.game, len(step.actions) - len(step.path) + 1
        length = "1 move" if moves == 1 else f"{moves} moves"
        end = self.result(game.winner(state))
        means = {
            "rollout": f"A rollout of {length} by the default policy: {end}.",
            "net": "The net evaluates the leaf; no rollout is played.",
            "result": f"The result of the leaf is known: {end or 'it is solved'}.",
        }[step.means]
        return [means, f"value {named_value(step.value)}, seen from {player_name(game, 1)}"]

    def _backpropagation(self, step: Step, state: State) -> list[str]:
        if step.value is None:
            return [
                f"Proven at {self._node_path(node)}: {self.result(after.outcome)}."
                for node, (_, after) in step.changes.items()
            ]
        ((n, q, _), after), *root = step.changes.values()
        arrives = f"The value {named_value(step.value)} comes to {self._place(step)}"
        lines = [f"{arrives}: N {n} → {after.visits}."]
        if q is not None and math.isfinite(q):
            mean = f"({n}·{q:.3f} {_added(step.value)}) / {after.visits}"
            lines.append(f"Q = (N·Q + value) / (N + 1) = {mean} = {named_value(after.q)}")
        return [*lines, *(f"The root: N {old.visits} → {new.visits}." for old, new in root)]

    def _place(self, step: Step) -> str:
        return " ".join(map(self.name, step.actions[: len(step.path) - 1])) or "the root"

    def _node_path(self, node: int) -> str:
        moves = []
        while node != ROOT:
            moves.append(self.node_names[node])
            node = self.recording.nodes[node].parent
        return " ".join(moves[::-1]) or "the root"

    def to_json(self) -> dict[str, Any]:
        """Return the recording as data for a program without game rules."""
        recording = self.recording
        return {
            "agent": recording.agent,
            "game": recording.game.name,
            "game_params": recording.game.params,
            "opening": list(recording.opening),
            "policy": recording.policy,
            "formula": recording.formula,
            "processes": [
                {"name": name, "places": source}
                for name, source in zip(PROCESSES, recording.sources, strict=True)
            ],
            "nodes": [
                {"parent": node.parent, "name": self.node_names[number], "depth": node.depth,
                 "x": self.x[number], "to_play": node.to_play}
                for number, node in enumerate(recording.nodes)
            ],
            "steps": [self._step_json(number) for number in range(len(recording.steps))],
            "action": self.name(recording.action),
        }  # fmt: skip

    def _step_json(self, number: int) -> dict[str, Any]:
        step, view = self.recording.steps[number], self.view(number)
        edges = zip(step.edges, self.edge_cells(number), strict=True)
        changes = [(node, after) for node, (_, after) in step.changes.items() if node >= 0]
        return {
            "simulation": step.simulation,
            "process": step.process,
            "title": view.title,
            "words": self.words(number),
            "nodes": self.path(number),
            "new": step.process == 2 and bool(changes),
            "board": board_data(view.game, view.state, view.last_action),
            "rollout": self.rollout(number),
            "edges": [
                {"name": self.name(edge.action), "cell": cell, "visits": edge.visits,
                 "q": _finite(edge.q), "u": _finite(edge.u),
                 "score": None if edge.u is None else _finite(edge.score),
                 "taken": edge.action == step.action}
                for edge, cell in edges
            ],
            "changes": [
                {"node": node, "visits": after.visits, "q": _finite(after.q),
                 "outcome": after.outcome}
                for node, after in changes
            ],
        }  # fmt: skip


def named_value(value: float | None) -> str:
    """Return a value with its sign; that of a proven result is infinite."""
    return "" if value is None else "proven" if math.isinf(value) else f"{value:+.3f}"


def _added(value: float) -> str:
    return f"{'+' if value >= 0 else '-'} {abs(value):.3f}"


def _finite(value: float | None) -> float | None:
    """Return a rounded finite value for JSON: a proven win becomes 1."""
    if value is None:
        return None
    return round(value, 6) if math.isfinite(value) else math.copysign(1.0, value)
