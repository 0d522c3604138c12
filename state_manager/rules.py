"""The words in which games, searches and nets speak to each other, as compiled types.

A state is a flat, contiguous int8 vector: ``state[0]`` is the player to move (1 or 2), then the
board row by row (0 empty, 1 or 2 a stone), then whatever private memory the game keeps. A rule
needs nothing but the state. Each signature below is the same for every game, so that one compiled
search serves all of them.

Letters: S length of a state, A actions, F features.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import function_type, kernel, record_type

State = NDArray[np.int8]
Indices = NDArray[np.int64]

STATE = types.int8[::1]
INDICES = types.int64[::1]
RNG = numba.typeof(np.random.default_rng())

GOES_ON = 0
"""Outcome of a move after which the game goes on; 1 or 2: that player has won."""
DRAW = 3
"""Outcome of a move that ends the game without a winner."""

LEGAL_ACTIONS = types.int64(STATE, INDICES)
"""``legal_actions(state, actions_out) -> count``: ascending, written to the first `count` places
of ``actions_out`` (`[A]`)."""

PLAY = types.int64(STATE, types.int64)
"""``play(state, action) -> outcome``: changes the state in place; ``state[0]`` passes to the other
player even when the game is over."""

ACTIVE_FEATURES = types.int64(STATE, INDICES)
"""``active_features(state, indices_out) -> count``: the places of the ones in the net's binary
input, written to the first `count` places of ``indices_out`` (`[F]`)."""

UNIFORM_ROLLOUT = types.int64(STATE, RNG)
"""``uniform_rollout(state, rng) -> outcome``: the outcome of uniformly random play to the end, from
a state that is not final. The state may be changed."""


WINNING_ACTIONS = types.int64(STATE, types.int64, INDICES)
"""``winning_actions(state, player, actions_out) -> count``: the actions that would end the game in
a player's favour at once if that player were to move. An opponent can prevent each only by taking
the same action."""


@kernel(types.void(STATE, STATE), inner=True)
def copy_state(source: State, target: State) -> None:
    """Copy cell by cell: a slice also checks shapes, which takes seconds to compile."""
    for i in range(len(source)):
        target[i] = source[i]


@kernel(UNIFORM_ROLLOUT, inner=True)
def no_uniform_rollout(state: State, rng: np.random.Generator) -> int:
    """Stand for a rule that the game does not offer; it is never called."""
    return GOES_ON


@kernel(WINNING_ACTIONS, inner=True)
def no_winning_actions(state: State, player: int, actions_out: Indices) -> int:
    """Know of no winning action, in a game that does not offer the rule."""
    return 0


class Rules(NamedTuple):
    """A game's compiled rules, one argument of all kernels that play.

    Attributes:
        legal_actions: See ``LEGAL_ACTIONS``.
        play: See ``PLAY``.
        active_features: See ``ACTIVE_FEATURES``.
        uniform_rollout: See ``UNIFORM_ROLLOUT``; ``no_uniform_rollout`` if the game offers no fast
            one, and rollouts are then played move by move.
        winning_actions: See ``WINNING_ACTIONS``; ``no_winning_actions`` if the game offers none.
    """

    legal_actions: Callable[[State, Indices], int]
    play: Callable[[State, int], int]
    active_features: Callable[[State, Indices], int]
    uniform_rollout: Callable[[State, np.random.Generator], int] = no_uniform_rollout
    winning_actions: Callable[[State, int, Indices], int] = no_winning_actions


ACTIVE_FEATURES_FUNCTION = function_type(ACTIVE_FEATURES)
RULES = record_type(
    Rules,
    function_type(LEGAL_ACTIONS),
    function_type(PLAY),
    ACTIVE_FEATURES_FUNCTION,
    function_type(UNIFORM_ROLLOUT),
    function_type(WINNING_ACTIONS),
)


@kernel(types.void(RULES, types.int8[:, ::1], types.boolean[:, ::1], INDICES))
def mark_legal(rules: Rules, states: State, mask: NDArray[np.bool_], actions: Indices) -> None:
    """Mark which actions are legal in states that are not final.

    Args:
        rules: The game's.
        states: `[B, S]`.
        mask: `[B, A]`, all False.
        actions: `[A]`, scratch memory.
    """
    for row in range(len(states)):
        for i in range(rules.legal_actions(states[row], actions)):
            mask[row, actions[i]] = True


@kernel(types.void(RULES, types.int8[:, ::1], types.float32[:, ::1], INDICES))
def mark_features(
    rules: Rules, states: State, features: NDArray[np.float32], indices: Indices
) -> None:
    """Mark the active features of states.

    Args:
        rules: The game's.
        states: `[B, S]`.
        features: `[B, F]`, all 0.
        indices: `[F]`, scratch memory.
    """
    for row in range(len(states)):
        for i in range(rules.active_features(states[row], indices)):
            features[row, indices[i]] = 1.0
