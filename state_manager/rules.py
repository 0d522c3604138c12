"""The interface between games, searches and nets, as compiled types.

A state is a flat, contiguous int8 vector: ``state[0]`` is the player to move (1 or 2), then the
board row by row (0 empty, 1 or 2 a stone), then private memory of the game. A rule depends only on
the state, and has the same signature for every game: one compiled search serves all.

Letters: S length of a state, A actions, C cells, F features.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import GeneratorType, function_type, kernel, record_type
from base.words import nearest, one_of
from state_manager.errors import GameError
from state_manager.outcomes import DRAW as DRAW
from state_manager.outcomes import GOES_ON as GOES_ON

State = NDArray[np.int8]
Indices = NDArray[np.int64]

STATE = types.int8[::1]
INDICES = types.int64[::1]
RNG = GeneratorType()

_SIGNATURES = {
    "legal_actions": types.int64(STATE, INDICES),
    "play": types.int64(STATE, types.int64),
    "active_features": types.int64(STATE, INDICES),
    "uniform_rollout": types.int64(STATE, RNG),
    "winning_actions": types.int64(STATE, types.int64, INDICES),
    "proven_winner": types.int64(STATE),
}
F = TypeVar("F", bound=Callable[..., int])


def rule(function: F) -> F:
    """Compile one of a game's rules, with the signature of its name; else a ``GameError``."""
    name = function.__name__
    if name not in _SIGNATURES:
        near = nearest(name, list(_SIGNATURES))
        hint = f" (did you mean {near}?)" if near else ""
        expected = f"expected a rule, {one_of(_SIGNATURES)}"
        raise GameError(f"{function.__module__}: {expected}, got {name!r}{hint}")
    return kernel(_SIGNATURES[name])(function)


@kernel(types.uint64(types.int64), inlined=True, inner=True)
def unsigned(index: int) -> int:
    """Return a non-negative index as unsigned, so that compiled code skips the sign check."""
    return index


@kernel(types.void(STATE, STATE), inner=True)
def copy_state(source: State, target: State) -> None:
    """Copy a state cell by cell; the shape check of a slice takes seconds to compile."""
    for i in range(len(source)):
        target[i] = source[i]


@kernel(types.int64(STATE, RNG), inner=True)
def no_uniform_rollout(state: State, rng: np.random.Generator) -> int:
    """Placeholder for a game without this rule; never called."""
    return GOES_ON


@kernel(types.int64(STATE, types.int64, INDICES), inner=True)
def no_winning_actions(state: State, player: int, actions_out: Indices) -> int:
    """Return 0: default of games without this rule."""
    return 0


@kernel(types.int64(STATE), inner=True)
def no_proven_winner(state: State) -> int:
    """Return 0: default of games without this rule."""
    return GOES_ON


@kernel(types.int64(STATE, types.int64, INDICES), inner=True)
def piece_features(state: State, cells: int, indices_out: Indices) -> int:
    """List the ones of the input: the mover (2 features), player 1's pieces (C), player 2's (C)."""
    indices_out[0] = int(state[0]) - 1
    count = 1
    for cell in range(cells):
        # Always written but counted only if the cell has a piece: no branch to predict.
        piece = int(state[1 + cell])
        indices_out[count] = 2 + (piece - 1) * cells + cell
        count += piece != 0
    return count


@rule
def active_features(state: State, indices_out: Indices) -> int:
    """List the ones of the input of a game whose state is the mover and the cells alone."""
    return piece_features(state, len(state) - 1, indices_out)


class Rules(NamedTuple):
    """A game's compiled rules, as one argument of kernels.

    Attributes:
        legal_actions: ``legal_actions(state, actions_out) -> count``: ascending, written to the
            first `count` places of ``actions_out`` (`[A]`).
        play: ``play(state, action) -> outcome``: changes the state in place; ``state[0]`` passes to
            the other player even when the game is over.
        active_features: ``active_features(state, indices_out) -> count``: the places of the ones in
            the net's binary input, written to the first `count` places of ``indices_out`` (`[F]`).
        uniform_rollout: ``uniform_rollout(state, rng) -> outcome``: the outcome of uniformly random
            play to the end, from a state that is not final and may be changed. A game without this
            rule plays rollouts move by move.
        winning_actions: ``winning_actions(state, player, actions_out) -> count``: the actions that
            would win at once for a player if that player were to move. The opponent can prevent
            each only by taking the same action. By default, none.
        proven_winner: ``proven_winner(state) -> winner``: 1 or 2 if a quick look at a state that is
            not final proves that this player can force a win, else 0. By default, 0.
    """

    legal_actions: Callable[[State, Indices], int]
    play: Callable[[State, int], int]
    active_features: Callable[[State, Indices], int]
    uniform_rollout: Callable[[State, np.random.Generator], int] = no_uniform_rollout
    winning_actions: Callable[[State, int, Indices], int] = no_winning_actions
    proven_winner: Callable[[State], int] = no_proven_winner


RULES = record_type(Rules, *map(function_type, _SIGNATURES.values()))
LEGAL_ACTIONS_FUNCTION = function_type(_SIGNATURES["legal_actions"])
ACTIVE_FEATURES_FUNCTION = function_type(_SIGNATURES["active_features"])


@dataclass(frozen=True, eq=False)
class Symmetry:
    """A symmetry of the game.

    Attributes:
        features: `[F]` int64; feature f of a state is feature ``features[f]`` of its image.
        actions: `[A]` int64; action a becomes action ``actions[a]``.
        swaps_players: Whether player 1 becomes player 2.
    """

    features: Indices
    actions: Indices
    swaps_players: bool


@kernel(types.void(LEGAL_ACTIONS_FUNCTION, types.int8[:, ::1], types.boolean[:, ::1], INDICES))
def mark_legal(
    legal_actions: Callable[[State, Indices], int],
    states: State,
    mask: NDArray[np.bool_],
    actions: Indices,
) -> None:
    """Mark the legal actions of states `[B, S]` that are not final in ``mask``, `[B, A]`.

    Passing all rules would take longer. ``actions``, `[A]`, is scratch memory.
    """
    for row in range(len(states)):
        for i in range(legal_actions(states[row], actions)):
            mask[row, actions[i]] = True


@kernel(types.void(RULES, types.int8[:, ::1], types.float32[:, ::1], INDICES))
def mark_features(
    rules: Rules, states: State, features: NDArray[np.float32], indices: Indices
) -> None:
    """Mark the active features of states `[B, S]` in `[B, F]`; `[F]` is scratch memory."""
    for row in range(len(states)):
        for i in range(rules.active_features(states[row], indices)):
            features[row, indices[i]] = 1.0
