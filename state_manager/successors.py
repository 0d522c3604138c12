"""Successor states of many moves, compiled.

Letters: B states, E moves from them, S length of a state.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import kernel
from state_manager.rules import GOES_ON, INDICES, RULES, Indices, Rules, State, copy_state
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


@kernel(types.void(RULES, _STATES, INDICES, types.boolean[::1]))
def mark_wins(rules: Rules, states: State, actions: Indices, wins: NDArray[np.bool_]) -> None:
    """Mark the states in which the mover can win at once; ``actions``, `[A]`, is scratch memory."""
    for row in range(len(states)):
        mover = int(states[row, 0])
        wins[row] = rules.winning_actions(states[row], mover, actions) > 0


def wins_at_once(game: StateManager, states: State) -> NDArray[np.bool_]:
    """Return `[B]`: whether the mover can win at once, by the game's rule ``winning_actions``."""
    wins = np.empty(len(states), np.bool_)
    mark_wins(game.rules, states, np.empty(game.num_actions, np.int64), wins)
    return wins


def successors(
    game: StateManager, states: State, rows: Indices, actions: Indices
) -> tuple[State, Indices]:
    """Play moves, `[E]` int64, in the states `[B, S]` of some rows `[E]`, without checking them.

    Return the states after them, `[E, S]`, and their outcomes, `[E]`: 0 where the game goes on.
    """
    after = np.empty((len(rows), states.shape[1]), np.int8)
    outcomes = np.empty(len(rows), np.int64)
    play_each(game.rules, states, rows, actions, after, outcomes)
    return after, outcomes


def at_once(game: StateManager, state: State, actions: Indices) -> Indices:
    """Return the actions that win at once, else those that prevent a win at once, else all.

    The second are known where the game has the rule ``winning_actions``.
    """
    rows = np.zeros(len(actions), np.int64)
    after, outcomes = successors(game, state[np.newaxis], rows, actions)
    winning, goes_on = actions[outcomes == state[0]], outcomes == GOES_ON
    resisting = actions[goes_on][~wins_at_once(game, after[goes_on])]
    return next((some for some in (winning, resisting) if len(some)), actions)
