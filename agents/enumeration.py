"""Proof by enumeration: whether a player keeps its outcome against every sequence of replies.

The player is deterministic and has no memory. Positions are enumerated ply by ply, each once. If
the player's choice has the symmetries of the game, symmetric positions count as one.

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
from state_manager import GOES_ON, Indices, State, StateManager
from state_manager.successors import successors

if TYPE_CHECKING:
    from agents.agent import AgentKind
    from anet import ANET
    from base.cluster import Map

Numbers = NDArray[np.int32]

NEVER = 2**30
"""``plies_to_loss`` where no loss can be forced."""
NEAR_TIE = 1e-4
"""Actions whose probability is within this share of the highest are all followed, as the choice
among them may depend on the rounding of a processor or batch."""
_BATCH = 512  # positions; their activations fit into the cache


class TooManyPositionsError(ValueError):
    """An enumeration exceeds its limit of positions."""


@dataclass(frozen=True)
class Player:
    """A deterministic player.

    Attributes:
        choose: ``choose(states) -> chosen``: `[B, S]` to `[B, A]` bool, the possible actions; more
            than one where rounding might decide between them.
        is_symmetric: Whether it plays symmetric actions in symmetric positions.
        batch: Positions per call of ``choose``.
        sharing: Maps over the batches, see ``base.cluster``.
        on_batch: Called after each batch with its number of positions in which the player moves.
    """

    choose: Callable[[State], NDArray[np.bool_]]
    is_symmetric: bool
    batch: int = 64
    sharing: Map = map
    on_batch: Callable[[int], object] = lambda positions: None


def greedy(net: ANET, sharing: Map = map) -> Player:
    """Return the greedy player of a net, like the agent ``anet``; see ``NEAR_TIE``."""

    def choose(states: State) -> NDArray[np.bool_]:
        policies = net.policy_checked(states, net.game.legal_mask(states))
        return np.asarray(policies >= (1.0 - NEAR_TIE) * policies.max(axis=1, keepdims=True))

    return Player(choose, net.params.symmetric, _BATCH, sharing)


def agent_player(agent: AgentKind, game: StateManager) -> Player:
    """Return the player of an agent with ``is_sure``, called for one position at a time."""

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
        states: `[B, S]`, distinct.
        keys: `[B, W]`, ascending.
        parents: `[B]` int64, the place in the level before of the first position that leads here.
        actions: `[B]` int64, the move from that position.
        is_own: Whether the player moves, else its opponent.
        plies_to_loss: `[B]` int32, plies to the fastest forced loss of the player, or ``NEVER``.
    """

    states: State
    keys: Keys
    parents: Indices
    actions: Indices
    is_own: bool
    plies_to_loss: Numbers


class Proof:
    """The enumeration of all games of a player from some positions.

    Attributes:
        sides: The sides to hold.
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

        With ``to_first_loss``, end with the first ply at which a side is lost; ``is_held`` then
        means not lost so far. ``narrowed`` returns the places, ascending, of the positions to
        follow among those of a ply, `[B, S]`, in which the player moves; ``is_held`` then means
        that no loss was found.

        Raises:
            ValueError: If the sides differ in opening length, player or ``held``.
            TooManyPositionsError: If there are more than ``most`` positions.
        """
        if len({(len(side.opening), side.player, side.held) for side in sides}) != 1:
            raise ValueError("expected sides with one player, who holds the same")
        self.sides, self._held = list(sides), sides[0].held
        self._game, self._player = game, player
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
        """Return the row, action, outcome and next key of each move from positions, `[B, S]`."""
        game, bits, batch = self._game, self._bits, self._player.batch  # locals, to send no self
        choose = self._player.choose if is_own else game.legal_mask

        def follow(begin: int) -> tuple[Indices, Indices, Indices, Keys]:
            part = states[begin : begin + batch]
            rows, actions = (np.ascontiguousarray(each) for each in np.nonzero(choose(part)))
            after, outcomes = successors(game, part, rows, actions)
            return begin + rows, actions, outcomes, keys_of(game, bits, after)

        parts, begins = [], range(0, len(states), batch)
        for begin, part in zip(begins, self._player.sharing(follow, begins), strict=True):
            parts.append(part)
            self._player.on_batch(len(states[begin : begin + batch]) if is_own else 0)
        rows, actions, outcomes, keys = map(np.concatenate, zip(*parts, strict=True))
        return rows, actions, outcomes, keys

    @property
    def positions(self) -> int:
        """The number of positions in which the player moves."""
        return sum(len(level.states) for level in self.levels if level.is_own)

    def refuted(self) -> list[tuple[int, int]]:
        """Return ply and place of each position in which the player moves and can be beaten."""
        return [
            (ply, int(place))
            for ply, level in enumerate(self.levels)
            if level.is_own
            for place in np.flatnonzero(level.plies_to_loss < NEVER)
        ]

    def line_to(self, ply: int, place: int) -> tuple[int, ...]:
        """Return the actions of a game that leads to a position, including the opening."""
        actions: list[int] = []
        for depth in range(ply, 0, -1):
            actions.append(int(self.levels[depth].actions[place]))
            place = int(self.levels[depth].parents[place])
        opening = self.sides[self.levels[0].parents[place]].opening
        return *opening, *reversed(actions)

    def losing_line(self, side: Side) -> tuple[int, ...]:
        """Return the actions of a shortest loss after a side's opening; ``()`` if held."""
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
        """Return the plies to a loss after a move to a ply, by its outcome or its key."""
        if outcome != GOES_ON or ply == len(self.levels):
            return NEVER if outcome in (GOES_ON, *self._held) else 0
        level = self.levels[ply]
        return int(level.plies_to_loss[np.flatnonzero((level.keys == key).all(axis=1))[0]])
