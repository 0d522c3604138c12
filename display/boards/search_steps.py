"""A recorded search, described step by step: the board, the edges, the tree and the words.

The terminal, the pictures and the page lay out this one description.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import accumulate, count
from typing import TYPE_CHECKING, Any, NamedTuple

from analysis.search_recording import PROCESSES, Node, NodeValue, Recording, Step
from display.boards.cells import Coordinates, cells_of_move
from display.boards.moment import GameView
from display.boards.palette import board_of, player_name

if TYPE_CHECKING:
    from analysis.search_recording import Edge
    from state_manager import State

ROOT = 0
_DRAW = 3
_BONUS: dict[str, Callable[[float, Step, Edge], str]] = {
    "uct": lambda c, step, edge: (
        f"u = c·√(ln N(s) / (1 + N(s,a))) = {c:g}·√(ln {max(1, step.visits)} / {1 + edge.visits})"
    ),
    "puct": lambda c, step, edge: (
        f"u = c·P(s,a)·√N(s) / (1 + N(s,a)) = {c:g}·{edge.prior:.3f}·√{max(1, step.visits)} / "
        f"{1 + edge.visits}"
    ),
}
"""The formulas of tree policies with their numbers; for others, u is the bonus added to Q."""


class Row(NamedTuple):
    """An edge that tree search compared.

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


class StepDescription(NamedTuple):
    """A step.

    Attributes:
        step: The recorded step.
        view: The board, and the title.
        source: The process with its files, lines and functions.
        words: Lines that say what happens, with formulas and their numbers.
        rows: The edges that tree search compared, in order of their actions.
        rollout: The cells of a rollout's moves, in order.
        path: The nodes on the step's path, and the next node of the tree search, if any.
    """

    step: Step
    view: GameView
    source: str
    words: list[str]
    rows: list[Row]
    rollout: list[int]
    path: list[int]


class TreeNode(NamedTuple):
    """A node of the tree after a step.

    Attributes:
        number: Its index in ``Recording.nodes``.
        node: The recorded node.
        name: Its move; ``root`` for the root.
        value: N, Q and the outcome.
        x: Its place from the left; leaves are 1 apart.
        on_path: Whether the step's path leads through it.
        changed: Whether the step added it or changed its values.
    """

    number: int
    node: Node
    name: str
    value: NodeValue
    x: float
    on_path: bool
    changed: bool


@dataclass(frozen=True)
class SearchSteps:
    """Describes the steps of a recording, which are counted from 0.

    Attributes:
        letters: Whether cells are named by letters and numbers.
    """

    recording: Recording
    letters: bool = False

    def __len__(self) -> int:
        """Return the number of steps."""
        return len(self.recording.steps)

    @property
    def verdict(self) -> str:
        """Return a sentence with the chosen move and the reason."""
        recording = self.recording
        action, total = recording.action, sum(recording.visits)
        found = f"N {recording.visits[action]} of {total}, Q {recording.q_values[action]:+.3f}"
        return f"{recording.agent} chooses {self._name(action)}: {found}"

    @cached_property
    def _root(self) -> State:
        recording, game = self.recording, self.recording.game
        first = game.initial_state(recording.starting_player)
        return reduce(game.child_state, recording.opening, first)

    def step(self, number: int) -> StepDescription:
        """Describe a step."""
        recording, step = self.recording, self.recording.steps[number]
        game, actions = recording.game, step.actions
        states = list(accumulate(actions, game.child_state, initial=self._root))
        state, made = states[-1], (*recording.opening, *actions)
        which = f"simulation {step.simulation} of {recording.steps[-1].simulation}"
        which = which if step.simulation else "before the first simulation"
        title, last = f"Step {number + 1} of {len(self)}, {which}", made[-1] if made else None
        winner, players = game.winner(state), ("", "")
        view = GameView(game, state, title, players, len(made), last, winner, None, self.letters)
        source = f"{PROCESSES[step.process - 1]}, {recording.sources[step.process - 1]}"
        rows = [self._row(state, edge, edge.action == step.action) for edge in step.edges]
        ahead = range(len(step.path) - 1 if step.process == 3 else len(actions), len(actions))
        rollout = [cells_of_move(game, states[ply], actions[ply])[-1] for ply in ahead]
        path = [node for node in step.path if node >= 0]
        path += [n for n, each in enumerate(recording.nodes) if each[:2] == (path[-1], step.action)]
        say = (self._selection, self._expansion, self._evaluation, self._backpropagation)
        words = say[step.process - 1](step, view, rows)
        return StepDescription(step, view, source, words, rows, rollout, path)

    def _row(self, state: State, edge: Edge, taken: bool) -> Row:
        u = None if edge.score is None else edge.score - (edge.q if state[0] == 1 else -edge.q)
        u = None if u is None or not math.isfinite(u) else u
        cell = cells_of_move(self.recording.game, state, edge.action)[-1]
        return Row(self._name(edge.action), cell, edge.visits, edge.q, u, edge.score, taken)

    def _selection(self, step: Step, view: GameView, rows: list[Row]) -> list[str]:
        recording, mover = self.recording, int(view.state[0])
        row, edge = next(both for both in zip(rows, step.edges, strict=True) if both[0].taken)
        to_move = f"{player_name(view.game, mover)} is to move, N(s) = {step.visits}"
        lines = [f"At {self._place(step)}, {to_move}: {row.name} is taken."]
        if row.u is None or row.score is None:
            return [*lines, f"{recording.policy}(): {recording.formula.partition(chr(10))[0]}"]
        minus, q = ("", row.q) if mover == 1 else ("-", -row.q)
        if row.score >= max(each.score for each in rows if each.score is not None):
            lines[0] = f"{lines[0][:-1]}, where {minus}Q + u is highest."
        if bonus := _BONUS.get(recording.policy):
            lines.append(f"{bonus(recording.exploration, step, edge)} = {row.u:.3f}")
        total = f"{named_value(q)} {_added(row.u)} = {named_value(row.score)}"
        return [*lines, f"{minus}Q + u = {total}"]

    def _expansion(self, step: Step, view: GameView, rows: list[Row]) -> list[str]:
        node = step.path[-1]
        if not step.changes:
            full = "The tree is full, so the leaf becomes no node."
            return ["The leaf is a node already, whose result is known." if node >= 0 else full]
        if node == ROOT:
            return ["The root becomes a node, and all its moves get edges."]
        lines = [f"The leaf {self._place(step)} becomes node {node}."]
        if all(edge.prior is None for each in self.recording.steps for edge in each.edges):
            lines.append("It gets edges when a simulation comes back to it.")
        return lines

    def _evaluation(self, step: Step, view: GameView, rows: list[Row]) -> list[str]:
        moves = len(step.actions) - len(step.path) + 1
        length = "1 move" if moves == 1 else f"{moves} moves"
        end = self.result(view.winner)
        means = {
            "rollout": f"A rollout of {length} by the default policy: {end}.",
            "net": "The net evaluates the leaf; no rollout is played.",
            "result": f"The result of the leaf is known: {end or 'it is solved'}.",
        }[step.means]
        value = f"value {named_value(step.value)}, seen from {player_name(view.game, 1)}"
        return [means, value]

    def _backpropagation(self, step: Step, view: GameView, rows: list[Row]) -> list[str]:
        if step.value is None:
            return [
                f"Proven at {self._node_name(node)}: {self.result(after.outcome)}."
                for node, (_, after) in step.changes.items()
            ]
        (before, after), *others = step.changes.values()
        value, (n, q) = named_value(step.value), before[:2]
        lines = [f"The value {value} comes to {self._place(step)}: N {n} → {after.visits}."]
        if q is not None and math.isfinite(q):
            mean = f"({n}·{q:.3f} {_added(step.value)}) / {after.visits}"
            lines.append(f"Q = (N·Q + value) / (N + 1) = {mean} = {named_value(after.q)}")
        return [*lines, *(f"The root: N {old.visits} → {new.visits}." for old, new in others)]

    def _name(self, action: int) -> str:
        return Coordinates(self.recording.game, self.letters).move(action)

    def _place(self, step: Step) -> str:
        """Return the name of the state at the end of a step's path."""
        return " ".join(map(self._name, step.actions[: len(step.path) - 1])) or "the root"

    def _node_name(self, node: int) -> str:
        """Return the name of a node: the moves from the root."""
        parent, action, *_ = self.recording.nodes[node]
        if node == ROOT:
            return "the root"
        return f"{self._node_name(parent)} {self._name(action)}".removeprefix("the root ")

    def result(self, outcome: int) -> str:
        """Return the result of a game in words; empty if it goes on."""
        if outcome == _DRAW:
            return "a draw"
        return f"{player_name(self.recording.game, outcome)} wins" if outcome else ""

    def tree(self, number: int) -> list[TreeNode]:
        """Return the tree after a step: each node before those below it."""
        recording, step = self.recording, self.recording.steps[number]
        values: dict[int, NodeValue] = {}
        for each in recording.steps[: number + 1]:
            values |= {node: after for node, (_, after) in each.changes.items()}
        path = self.step(number).path
        return [
            TreeNode(node, recording.nodes[node], self._names[node], values[node], x,
                     node in path, node in step.changes)
            for node, x in self.x.items()
            if node in values
        ]  # fmt: skip

    @cached_property
    def _names(self) -> list[str]:
        nodes = self.recording.nodes
        return [self._name(node.action) if node.parent >= 0 else "root" for node in nodes]

    @cached_property
    def x(self) -> dict[int, float]:
        """Return the x of each node: leaves side by side 1 apart, others above their children.

        Each node comes before those below it, which are in order of their actions.
        """
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

    def to_json(self) -> dict[str, Any]:
        """Return the recording as data for a program without game rules."""
        recording, nodes = self.recording, self.recording.nodes
        return {
            "agent": recording.agent,
            "game": recording.game.name,
            "game_params": recording.game.params,
            "opening": list(recording.opening),
            "policy": recording.policy,
            "formula": recording.formula,
            "processes": [
                {"name": name, "places": places}
                for name, places in zip(PROCESSES, recording.sources, strict=True)
            ],
            "nodes": [
                {"parent": node.parent, "name": self._names[number], "depth": node.depth,
                 "x": self.x[number], "to_play": node.to_play}
                for number, node in enumerate(nodes)
            ],
            "steps": [self._step_json(number) for number in range(len(self))],
            "action": self._name(recording.action),
        }  # fmt: skip

    def _step_json(self, number: int) -> dict[str, Any]:
        step, view, _, words, rows, rollout, path = self.step(number)
        changes = [(node, after) for node, (_, after) in step.changes.items() if node >= 0]
        return {
            "simulation": step.simulation,
            "process": step.process,
            "title": view.title,
            "words": words,
            "nodes": path,
            "new": step.process == 2 and bool(changes),
            "board": {
                "cells": board_of(view.game, view.state).ravel().tolist(),
                "to_play": int(view.state[0]),
                "winner": view.winner,
                "path": list(map(int, view.game.winning_path(view.state))),
                "last": view.landed,
            },
            "rollout": rollout,
            "edges": [_finite(row._asdict()) for row in rows],
            "changes": [{"node": node, **_finite(value._asdict())} for node, value in changes],
        }


def named_value(value: float | None) -> str:
    """Return a value with its sign; that of a proven result is infinite."""
    return "" if value is None else "proven" if math.isinf(value) else f"{value:+.3f}"


def _added(value: float) -> str:
    return f"{'+' if value >= 0 else '-'} {abs(value):.3f}"


def _finite(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values for JSON: numbers rounded, and a proven win as 1."""
    numbers = {key: value for key, value in values.items() if isinstance(value, float)}
    return values | {
        key: round(number, 6) if math.isfinite(number) else math.copysign(1.0, number)
        for key, number in numbers.items()
    }
