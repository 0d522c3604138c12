"""Descriptions of a recorded search's steps: sentences, and formulas with their numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from analysis.recording import PROCESSES
from display.boards.palette import player_name

if TYPE_CHECKING:
    from analysis.recording import Edge, Step
    from display.boards.explained import Explained

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


def lines_of(explained: Explained, number: int) -> list[str]:
    """Return lines with a step's title, its source and its description."""
    process = explained.recording.steps[number].process
    about = f"{PROCESSES[process - 1]}, {explained.places(process)}"
    words = (f"  {line}" for line in words_of(explained, number))
    return [f"{explained.title(number)}: {about}", *words]


def words_of(explained: Explained, number: int) -> list[str]:
    """Return the lines that describe a step."""
    say = (_selection, _expansion, _evaluation, _backpropagation)
    return say[explained.recording.steps[number].process - 1](explained, number)


def named_value(value: float) -> str:
    """Return a value with its sign; that of a proven result is infinite."""
    return "proven" if math.isinf(value) else f"{value:+.3f}"


def _selection(explained: Explained, number: int) -> list[str]:
    """Process 1."""
    recording, rows = explained.recording, explained.rows(number)
    step = recording.steps[number]
    place = next(place for place, row in enumerate(rows) if row.taken)
    row, mover = rows[place], int(explained.state(step.actions)[0])
    where, who = _at(explained, step), player_name(recording.game, mover)
    lines = [f"At {where}, {who} is to move, N(s) = {step.visits}: {row.name} is taken."]
    if row.u is None or row.score is None:
        return [*lines, f"{recording.policy}(): {recording.formula.partition(chr(10))[0]}"]
    minus = "" if mover == 1 else "-"
    if row.score >= max(each.score for each in rows if each.score is not None):
        lines[0] = f"{lines[0][:-1]}, where {minus}Q + u is highest."
    if bonus := _BONUS.get(recording.policy):
        formula = bonus(recording.exploration, step, step.edges[place])
        lines.append(f"{formula} = {row.u:.3f}")
    q = row.q if mover == 1 else -row.q
    return [*lines, f"{minus}Q + u = {named_value(q)} {_added(row.u)} = {named_value(row.score)}"]


def _expansion(explained: Explained, number: int) -> list[str]:
    """Process 2."""
    step = explained.recording.steps[number]
    node = step.path[-1]
    if not step.new:
        full = "The tree is full, so the leaf becomes no node."
        return ["The leaf is a node already, whose result is known." if node >= 0 else full]
    if len(step.path) == 1:
        return ["The root becomes a node, and all its moves get edges."]
    lines = [f"The leaf {_at(explained, step)} becomes node {node}."]
    if all(edge.prior is None for before in explained.recording.steps for edge in before.edges):
        lines.append("It gets edges when a simulation comes back to it.")
    return lines


def _evaluation(explained: Explained, number: int) -> list[str]:
    """Process 3."""
    step, game = explained.recording.steps[number], explained.recording.game
    moves = len(step.actions) - len(step.path) + 1
    end = _result(explained, game.winner(explained.state(step.actions)))
    what = {
        "rollout": f"A rollout of {moves} move{'s'[: moves != 1]} by the default policy: {end}.",
        "net": "The net evaluates the leaf; no rollout is played.",
        "result": f"The result of the leaf is known: {end or 'it is solved'}.",
    }[step.means]
    return [what, f"value {named_value(step.value)}, seen from {player_name(game, 1)}"]


def _backpropagation(explained: Explained, number: int) -> list[str]:
    """Process 4."""
    step = explained.recording.steps[number]
    first = step.changes[0]
    if first.q is None:
        return [
            f"Proven at {explained.node_name(each.node)}: {_result(explained, each.outcome)}."
            for each in step.changes
        ]
    (n, after), (q, q_after) = first.visits, first.q
    value = named_value(step.value)
    lines = [f"The value {value} comes to {_at(explained, step)}: N {n} → {after}."]
    if math.isfinite(q):
        sum_of = f"({n}·{q:.3f} {_added(step.value)}) / {after}"
        lines.append(f"Q = (N·Q + value) / (N + 1) = {sum_of} = {named_value(q_after)}")
    lines += [f"The root: N {each.visits[0]} → {each.visits[1]}." for each in step.changes[1:]]
    return lines


def _at(explained: Explained, step: Step) -> str:
    """Return the name of the state at the end of a step's path."""
    actions = step.actions[: len(step.path) - 1]
    return " ".join(map(explained.names.move, actions)) if actions else "the root"


def _result(explained: Explained, outcome: int) -> str:
    """Return the result of a game in words; empty if it goes on."""
    if outcome == _DRAW:
        return "a draw"
    return f"{player_name(explained.recording.game, outcome)} wins" if outcome else ""


def _added(value: float) -> str:
    return f"{'+' if value >= 0 else '-'} {abs(value):.3f}"
