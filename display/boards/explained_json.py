"""A recorded search as data for a program without game rules."""

from __future__ import annotations

import math
from typing import Any

from analysis.recording import PROCESSES
from display.boards.explained import Explained
from display.boards.palette import board_of
from display.boards.step_words import words_of


def recording_json(explained: Explained) -> dict[str, Any]:
    """Return the recording as data for a program without game rules."""
    recording, x = explained.recording, explained.layout
    return {
        "agent": recording.agent,
        "game": recording.game.name,
        "game_params": recording.game.params,
        "opening": list(recording.opening),
        "policy": recording.policy,
        "formula": recording.formula,
        "processes": [
            {"name": name, "places": explained.places(number)}
            for number, name in enumerate(PROCESSES, start=1)
        ],
        "nodes": [
            {
                "parent": node.parent,
                "name": explained.names.move(node.action) if node.parent >= 0 else "root",
                "depth": node.depth,
                "x": x[number],
                "to_play": node.to_play,
            }
            for number, node in enumerate(recording.nodes)
        ],
        "steps": [_step_json(explained, number) for number in range(len(recording.steps))],
        "action": explained.names.move(recording.action),
    }


def _step_json(explained: Explained, number: int) -> dict[str, Any]:
    step, view = explained.recording.steps[number], explained.view(number)
    game, state = explained.recording.game, view.state
    return {
        "simulation": step.simulation,
        "process": step.process,
        "title": view.title,
        "words": words_of(explained, number),
        "nodes": explained.way(number),
        "new": step.new,
        "board": {
            "cells": board_of(game, state).ravel().tolist(),
            "to_play": int(state[0]),
            "winner": view.winner,
            "path": list(map(int, game.winning_path(state))) if view.winner in (1, 2) else [],
            "last": view.landed,
        },
        "rollout": explained.rollout(number),
        "edges": [
            {
                **row._asdict(),
                "q": _finite(row.q),
                "u": _finite(row.u),
                "score": _finite(row.score),
            }
            for row in explained.rows(number)
        ],
        "changes": [
            {"node": each.node, "visits": each.visits[1], "outcome": each.outcome,
             "q": None if each.q is None else _finite(each.q[1])}
            for each in step.changes
        ],
    }  # fmt: skip


def _finite(value: float | None) -> float | None:
    """Return a rounded finite value for JSON: a proven win becomes 1."""
    if value is None:
        return None
    return round(value, 6) if math.isfinite(value) else math.copysign(1.0, value)
