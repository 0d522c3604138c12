"""What many moves lead to, compiled.

Letters: B states, E moves from them, S length of a state.
"""

from __future__ import annotations

import numpy as np
from numba import types

from base.jit import kernel
from state_manager.rules import INDICES, RULES, Indices, Rules, State, copy_state
from state_manager.state_manager import StateManager

_STATES = types.int8[:, ::1]


@kernel(types.void(RULES, _STATES, INDICES, INDICES, _STATES, INDICES))
def play_each(
    rules: Rules,
    states: State,
    rows: Indices,
    actions: Indices,
    after: State,
    outcomes: Indices,
) -> None:
    """Play actions in rows of ``states``; see ``successors``."""
    for move in range(len(rows)):
        copy_state(states[rows[move]], after[move])
        outcomes[move] = rules.play(after[move], actions[move])


def successors(
    game: StateManager, states: State, rows: Indices, actions: Indices
) -> tuple[State, Indices]:
    """Play moves, without checking them.

    Args:
        game: The rules.
        states: `[B, S]` int8.
        rows: `[E]` int64, in which state each move is made.
        actions: `[E]` int64, the moves.

    Returns:
        The states after them, `[E, S]`, and their outcomes, `[E]`: 0 where the game goes on.
    """
    after = np.empty((len(rows), states.shape[1]), np.int8)
    outcomes = np.empty(len(rows), np.int64)
    play_each(game.rules, states, rows, actions, after, outcomes)
    return after, outcomes
