"""Every game that a player can be led into: whether its play holds what it has.

A player without chance and memory plays from given states against **every** sequence of replies.
The positions are enumerated ply by ply, each once. Those that symmetries of the game turn into each
other are one, so the player's choice must have the same symmetries.

Letters: B positions, E moves from them, S length of a state, A actions, W words of a key.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import kernel
from state_manager import State, StateManager
from state_manager.rules import GOES_ON, INDICES, RULES, Indices, Rules, copy_state

Chooser = Callable[[State], NDArray[np.bool_]]
"""``chooser(states) -> chosen``: `[B, S]` to `[B, A]`, the actions that the player may take; more
than one where rounding might decide between them."""

Keys = NDArray[np.uint64]
Small = NDArray[np.int32]
NEVER = 2**30
"""Plies to a loss that cannot be forced."""

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
    """Play actions in rows of ``states``: ``after`` and ``outcomes`` are what they lead to."""
    for move in range(len(rows)):
        copy_state(states[rows[move]], after[move])
        outcomes[move] = rules.play(after[move], actions[move])


@dataclass(frozen=True)
class Level:
    """The positions of one ply.

    Attributes:
        states: `[B, S]`, each once.
        keys: `[B, W]`, ascending.
        is_own: Whether the player moves, else its opponent.
        plies_to_loss: `[B]` int32, how soon the player can be made to lose, or ``NEVER``.
    """

    states: State
    keys: Keys
    is_own: bool
    plies_to_loss: NDArray[np.int32]


class Proof:
    """All that can happen to a player from some states.

    Attributes:
        levels: The positions by ply.
        is_held: `[n]` bool, for each of the states that it set out from, whether the player holds
            what it has against every sequence of replies.
    """

    def __init__(
        self,
        game: StateManager,
        chooser: Chooser,
        player: int,
        starts: State,
        held: Sequence[int] = (),
    ) -> None:
        """Enumerate all positions.

        Args:
            game: The rules.
            chooser: How the player chooses.
            player: 1 or 2: whose play it is.
            starts: `[n, S]`, states that are not final, in which the same player moves.
            held: The outcomes with which the player holds what it has; none for a win alone.

        Raises:
            ValueError: If in some of the states one player moves, in some the other.
        """
        if len(set(starts[:, 0].tolist())) != 1:
            raise ValueError("expected states in which the same player moves")
        self._game = game
        self._chooser = chooser
        self._held = tuple(held) or (player,)
        states, keys, places = distinct(game, starts)
        is_own = bool(starts[0, 0] == player)
        found: list[tuple[State, Keys, bool]] = []
        moves: list[tuple[Small, Small, NDArray[np.bool_]]] = []
        while len(states):
            found.append((states, keys, is_own))
            chosen = chooser(states) if is_own else game.legal_mask(states)
            rows, actions = (np.ascontiguousarray(part) for part in np.nonzero(chosen))
            after, outcomes = self._play(states, rows, actions)
            goes_on = outcomes == GOES_ON
            children = np.full(len(rows), -1, np.int32)
            states, keys, children[goes_on] = distinct(game, after[goes_on])
            lost = ~goes_on & ~np.isin(outcomes, self._held)
            moves.append((rows.astype(np.int32), children, lost))
            is_own = not is_own
        self.levels: list[Level] = []
        below = np.zeros(0, np.int32)
        for (states, keys, is_own), (parents, children, lost) in zip(
            reversed(found), reversed(moves), strict=True
        ):
            plies = np.where(lost, 1, NEVER).astype(np.int32)
            goes_on = children >= 0
            plies[goes_on] = np.minimum(below[children[goes_on]] + 1, NEVER)
            below = np.full(len(states), NEVER, np.int32)
            np.minimum.at(below, parents, plies)
            self.levels.insert(0, Level(states, keys, is_own, below))
        self.is_held = below[places] == NEVER

    @property
    def positions(self) -> int:
        """How many positions there are in which the player moves."""
        return sum(len(level.states) for level in self.levels if level.is_own)

    def refuted(self) -> State:
        """Return the positions `[n, S]` in which the player moves, and can be made to lose."""
        own = [level for level in self.levels if level.is_own]
        return np.concatenate([each.states[each.plies_to_loss < NEVER] for each in own])

    def losing_line(self, start: State) -> list[int]:
        """Return the actions of a shortest loss from one of the states that it set out from."""
        actions: list[int] = []
        state = start[np.newaxis]
        for depth, level in enumerate(self.levels):
            chosen = self._chooser(state) if level.is_own else self._game.legal_mask(state)
            candidates = np.flatnonzero(chosen[0])
            after, outcomes = self._play(state, np.zeros(len(candidates), np.int64), candidates)
            plies = [
                (0 if outcome not in self._held else NEVER)
                if outcome != GOES_ON
                else self._plies_to_loss(depth + 1, child)
                for child, outcome in zip(after, outcomes, strict=True)
            ]
            best = int(np.argmin(plies))
            actions.append(int(candidates[best]))
            if outcomes[best] != GOES_ON:
                break
            state = after[best : best + 1]
        return actions

    def _plies_to_loss(self, depth: int, state: State) -> int:
        """Look a position up among those of its ply."""
        level = self.levels[depth]
        _, key, _ = distinct(self._game, state[np.newaxis])
        return int(level.plies_to_loss[np.flatnonzero((level.keys == key).all(axis=1))[0]])

    def _play(self, states: State, rows: Indices, actions: Indices) -> tuple[State, Indices]:
        """Return the states and outcomes after actions in rows of ``states``."""
        after = np.empty((len(rows), states.shape[1]), np.int8)
        outcomes = np.empty(len(rows), np.int64)
        play_each(self._game.rules, states, rows, actions, after, outcomes)
        return after, outcomes


def distinct(game: StateManager, states: State) -> tuple[State, Keys, Indices]:
    """Return different states, symmetric ones being the same, and where each given one is now.

    Returns:
        The first of each, `[B, S]`, in ascending order of their keys; the keys `[B, W]`; and for
        each of the given states its place among them.
    """
    features = game.observations(states).astype(np.bool_)
    keys = _keys(features)
    for each in game.symmetries:
        if not each.swaps_players:
            turned = _keys(features[:, np.argsort(each.features)])
            is_less, is_equal = np.zeros(len(keys), np.bool_), np.ones(len(keys), np.bool_)
            for word in range(keys.shape[1]):
                is_less |= is_equal & (turned[:, word] < keys[:, word])
                is_equal &= turned[:, word] == keys[:, word]
            keys = np.where(is_less[:, np.newaxis], turned, keys)
    order = np.lexsort(keys.T[::-1])
    ordered = keys[order]
    is_first = np.ones(len(keys), np.bool_)
    is_first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    places = np.empty(len(keys), np.int64)
    places[order] = np.cumsum(is_first) - 1
    return states[order[is_first]], ordered[is_first], places


def _keys(features: NDArray[np.bool_]) -> Keys:
    """Return rows of features, `[B, F]`, as bits, eight bytes a word: `[B, W]`."""
    packed = np.packbits(features, axis=1)
    padded = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view(">u8").astype(np.uint64)  # so that numbers are ordered as bytes are
