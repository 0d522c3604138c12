"""Every game that a player can be led into: whether its play holds what it has.

A player without chance and memory plays from given positions against **every** sequence of replies.
The positions are enumerated ply by ply, each once. If the player's choice is as symmetric as the
game, those that symmetries turn into each other are one.

Letters: B positions, E moves from them, S length of a state, A actions, W words of a key.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from agents.distinct import Keys, distinct, key_bits, keys_of
from agents.sides import Side, after
from base.cluster import connected
from state_manager import GOES_ON, Indices, State, StateManager
from state_manager.successors import successors

if TYPE_CHECKING:
    from agents.agent import AgentKind
    from anet import ANET
    from anet.threads import Map

Numbers = NDArray[np.int32]

NEVER = 2**30
"""Plies to a loss that cannot be forced."""
NEAR_TIE = 1e-4
"""Actions whose probability is this close to the highest, as a share of it, are all followed: which
of them is played may depend on the rounding of a processor, or of a batch."""
_BATCH = 512  # what a net computes of so many positions stays close to the processor


class TooManyPositionsError(ValueError):
    """An enumeration would take more positions than it may."""


@dataclass(frozen=True)
class Player:
    """Who plays.

    Attributes:
        choose: ``choose(states) -> chosen``: `[B, S]` to `[B, A]` bool, the actions that it may
            take; more than one where rounding might decide between them.
        is_symmetric: Whether it plays the same in positions that are symmetric, up to the symmetry.
        batch: How many positions it is asked about at once.
        sharing: What asks it about one batch after the other, see ``anet.threads``.
        on_asked: Told how many positions it has been asked about, each time.
    """

    choose: Callable[[State], NDArray[np.bool_]]
    is_symmetric: bool
    batch: int = 64
    sharing: Map = map
    on_asked: Callable[[int], object] = lambda positions: None


def greedy(net: ANET, sharing: Map = map) -> Player:
    """Return how a net plays alone, as the agent ``anet`` does; see ``NEAR_TIE``.

    It is asked on the cluster that this process is connected to; without one, by ``sharing``.
    """
    cluster = connected()

    def choose(states: State) -> NDArray[np.bool_]:
        policies = net.policy_checked(states, net.game.legal_mask(states))
        return np.asarray(policies >= (1.0 - NEAR_TIE) * policies.max(axis=1, keepdims=True))

    return Player(choose, net.params.symmetric, _BATCH, cluster.map if cluster else sharing)


def asked(agent: AgentKind, game: StateManager) -> Player:
    """Return how an agent plays that is sure, and asked about one position after the other."""

    def choose(states: State) -> NDArray[np.bool_]:
        chosen = np.zeros((len(states), game.num_actions), np.bool_)
        for row, state in enumerate(states):
            chosen[row, agent.choose_action(state)] = True
        return chosen

    return Player(choose, is_symmetric=False)


@dataclass(frozen=True)
class Level:
    """The positions of one ply.

    Attributes:
        states: `[B, S]`, each once.
        keys: `[B, W]`, ascending.
        parents: `[B]` int64, of the first move that leads to each, the position before it.
        actions: `[B]` int64, that move.
        is_own: Whether the player moves, else its opponent.
        plies_to_loss: `[B]` int32, how soon the player can be made to lose, or ``NEVER``.
    """

    states: State
    keys: Keys
    parents: Indices
    actions: Indices
    is_own: bool
    plies_to_loss: Numbers


class Proof:
    """All that can happen to a player from some positions.

    Attributes:
        sides: What it has to hold.
        levels: The positions by ply.
        is_held: `[n]` bool, whether each side is held against every sequence of replies.
    """

    def __init__(
        self,
        game: StateManager,
        player: Player,
        sides: Sequence[Side],
        to_first_loss: bool = False,
        most: float = math.inf,
        narrowed: Callable[[State], Indices] | None = None,
    ) -> None:
        """Enumerate all positions, or some of them.

        Args:
            game: The rules.
            player: Who holds the sides, or does not.
            sides: Openings of one length, with one player who holds the same.
            to_first_loss: End with the first ply at which a side is lost. What is then said to be
                held has not been lost so far.
            most: How many positions there may be.
            narrowed: Which of the positions of a ply, `[B, S]`, in which the player moves, are
                followed: their places, ascending. ``None`` for all; else what is said to be held
                has not been seen to be lost.

        Raises:
            ValueError: If they are not alike.
            TooManyPositionsError: If there are more positions.
        """
        if len({(len(side.opening), side.player, side.held) for side in sides}) != 1:
            raise ValueError("expected sides with one player, who holds the same")
        self.sides = list(sides)
        self._game = game
        self._player = player
        self._held = sides[0].held
        self._bits = key_bits(game, player.is_symmetric)
        starts = np.stack([after(game, side.opening) for side in sides])
        keys = keys_of(game, self._bits, starts)
        parents, sides_at = distinct(keys)
        actions = np.zeros_like(parents)
        states, keys = starts[parents], keys[parents]
        is_own = bool(starts[0, 0] == sides[0].player)
        found: list[Level] = []
        moves: list[tuple[Numbers, Numbers, NDArray[np.bool_]]] = []
        while len(states):
            never = np.full(len(states), NEVER, np.int32)
            found.append(Level(states, keys, parents, actions, is_own, never))
            if sum(len(level.keys) for level in found) > most:
                raise TooManyPositionsError(f"expected {most:,} positions at most, there are more")
            rows, actions, outcomes, keys = self._moves(states, is_own)
            lost = (outcomes != GOES_ON) & ~np.isin(outcomes, self._held)
            children = np.full(len(rows), -1, np.int32)
            moves.append((rows.astype(np.int32), children, lost))
            if to_first_loss and lost.any():
                break
            goes_on = np.flatnonzero(outcomes == GOES_ON)
            first, children[goes_on] = distinct(keys[goes_on])
            first = goes_on[first]
            parents, actions, keys = rows[first], actions[first], keys[first]
            states, _ = successors(game, states, parents, actions)
            is_own = not is_own
            if narrowed is not None and is_own and len(states):
                kept = narrowed(states)
                places = np.full(len(states), -1, np.int32)
                places[kept] = np.arange(len(kept))
                children[goes_on] = places[children[goes_on]]
                states, keys = states[kept], keys[kept]
                parents, actions = parents[kept], actions[kept]
        below = np.zeros(0, np.int32)
        for level, (before, children, lost) in zip(reversed(found), reversed(moves), strict=True):
            plies = np.where(lost, 1, NEVER).astype(np.int32)
            goes_on = np.flatnonzero(children >= 0)
            plies[goes_on] = np.minimum(below[children[goes_on]] + 1, NEVER)
            below = level.plies_to_loss
            np.minimum.at(below, before, plies)
        self.levels = found
        self.is_held = below[sides_at] == NEVER

    def _moves(self, states: State, is_own: bool) -> tuple[Indices, Indices, Indices, Keys]:
        """Return the row of each move from positions, its action and outcome, the key after it."""
        game, bits, batch = self._game, self._bits, self._player.batch  # all that is sent elsewhere
        choose = self._player.choose if is_own else game.legal_mask

        def follow(begin: int) -> tuple[Indices, Indices, Indices, Keys]:
            part = states[begin : begin + batch]
            rows, actions = (np.ascontiguousarray(each) for each in np.nonzero(choose(part)))
            after, outcomes = successors(game, part, rows, actions)
            return begin + rows, actions, outcomes, keys_of(game, bits, after)

        parts = []
        begins = range(0, len(states), batch)
        for begin, part in zip(begins, self._player.sharing(follow, begins), strict=True):
            parts.append(part)
            self._player.on_asked(len(states[begin : begin + batch]) if is_own else 0)
        rows, actions, outcomes, keys = map(np.concatenate, zip(*parts, strict=True))
        return rows, actions, outcomes, keys

    @property
    def positions(self) -> int:
        """How many positions there are in which the player moves."""
        return sum(len(level.states) for level in self.levels if level.is_own)

    def refuted(self) -> list[tuple[int, int]]:
        """Return the ply and place of the positions in which the player moves and can be beaten."""
        return [
            (ply, int(place))
            for ply, level in enumerate(self.levels)
            if level.is_own
            for place in np.flatnonzero(level.plies_to_loss < NEVER)
        ]

    def line_to(self, ply: int, place: int) -> tuple[int, ...]:
        """Return the actions of a game that leads to a position, the opening included."""
        actions: list[int] = []
        for depth in range(ply, 0, -1):
            actions.append(int(self.levels[depth].actions[place]))
            place = int(self.levels[depth].parents[place])
        opening = self.sides[self.levels[0].parents[place]].opening
        return *opening, *reversed(actions)

    def losing_line(self, side: Side) -> tuple[int, ...]:
        """Return the actions of a shortest loss after a side's opening; ``()`` if it is held."""
        if self.is_held[self.sides.index(side)]:
            return ()
        actions: list[int] = []
        state = after(self._game, side.opening)
        for ply, level in enumerate(self.levels):
            _, candidates, outcomes, keys = self._moves(state[np.newaxis], level.is_own)
            ends = zip(outcomes, keys, strict=True)
            best = int(np.argmin([self._plies_to_loss(ply + 1, *end) for end in ends]))
            actions.append(int(candidates[best]))
            if outcomes[best] != GOES_ON:
                break
            state = self._game.child_state(state, actions[-1])
        return tuple(actions)

    def _plies_to_loss(self, ply: int, outcome: int, key: Keys) -> int:
        """Return how soon the player loses after a move to a ply, by its outcome or its key."""
        if outcome != GOES_ON or ply == len(self.levels):
            return NEVER if outcome in (GOES_ON, *self._held) else 0
        level = self.levels[ply]
        return int(level.plies_to_loss[np.flatnonzero((level.keys == key).all(axis=1))[0]])
