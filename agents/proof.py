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

from agents.distinct import Keys, distinct
from state_manager import DRAW, GOES_ON, State, StateManager
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
_BATCH = 1024  # what a net computes of so many positions stays close to the processor


class TooManyPositionsError(ValueError):
    """An enumeration would take more positions than it may."""


@dataclass(frozen=True)
class Player:
    """Who plays.

    Attributes:
        choose: ``choose(states) -> chosen``: `[B, S]` to `[B, A]` bool, the actions that it may
            take; more than one where rounding might decide between them.
        is_symmetric: Whether it plays the same in positions that are symmetric, up to the symmetry.
    """

    choose: Callable[[State], NDArray[np.bool_]]
    is_symmetric: bool


@dataclass(frozen=True)
class Side:
    """A position, and who can hold what there.

    Attributes:
        opening: The actions that lead there, player 1 beginning; none for the empty board.
        player: 1 or 2.
        held: The outcomes with which it holds what it has.
    """

    opening: tuple[int, ...]
    player: int
    held: tuple[int, ...]


def sides_of(game: StateManager, outcome_of: Callable[[State], int]) -> list[Side]:
    """Return the sides of a game: the empty board and each first move, by who can hold what.

    Args:
        game: The rules.
        outcome_of: The outcome of a state with best play: 1, 2 or 3 (draw).
    """
    empty = game.initial_state(1)
    positions: list[tuple[tuple[int, ...], State]] = [((), empty)]
    positions += [((action,), child) for action, child in game.children(empty)]
    sides = []
    for opening, state in positions:
        if game.is_final(state):
            continue  # there is nothing left to hold
        outcome = outcome_of(state)
        for player in (1, 2):
            if outcome in (player, DRAW):
                sides.append(Side(opening, player, tuple(sorted({player, outcome}))))
    return sides


def greedy(net: ANET, sharing: Map = map) -> Player:
    """Return how a net plays alone, as the agent ``anet`` does; see ``NEAR_TIE``.

    Args:
        net: The net.
        sharing: What asks it about one batch after the other, see ``anet.threads``.
    """

    def choose(states: State) -> NDArray[np.bool_]:
        chosen = np.empty((len(states), net.game.num_actions), np.bool_)

        def choose_part(begin: int) -> None:
            part = slice(begin, begin + _BATCH)
            policies = net.policy_checked(states[part], net.game.legal_mask(states[part]))
            highest = policies.max(axis=1, keepdims=True)
            np.greater_equal(policies, highest * (1.0 - NEAR_TIE), out=chosen[part])

        list(sharing(choose_part, range(0, len(states), _BATCH)))
        return chosen

    return Player(choose, net.params.symmetric)


def asked(agent: AgentKind, game: StateManager) -> Player:
    """Return how an agent plays that is asked about one position after the other.

    Args:
        agent: It must be sure (``AgentKind.is_sure``).
        game: What it plays.
    """

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
        parents: `[B]` int32, of the first move that leads to each, the position before it.
        actions: `[B]` int32, that move.
        is_own: Whether the player moves, else its opponent.
        plies_to_loss: `[B]` int32, how soon the player can be made to lose, or ``NEVER``.
    """

    states: State
    keys: Keys
    parents: Numbers
    actions: Numbers
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
    ) -> None:
        """Enumerate all positions.

        Args:
            game: The rules.
            player: Who holds the sides, or does not.
            sides: Openings of one length, with one player who holds the same.
            to_first_loss: End with the first ply at which a side is lost. What is then said to be
                held has not been lost so far.
            most: How many positions there may be.

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
        starts = np.stack([_after(game, side.opening) for side in sides])
        states, keys, sides_at, first = distinct(game, starts, player.is_symmetric)
        came_from = first, np.zeros_like(first)
        is_own = bool(starts[0, 0] == sides[0].player)
        positions = 0
        found: list[Level] = []
        moves: list[tuple[Numbers, Numbers, NDArray[np.bool_]]] = []
        while len(states):
            parents, played = (part.astype(np.int32) for part in came_from)
            never = np.full(len(states), NEVER, np.int32)
            found.append(Level(states, keys, parents, played, is_own, never))
            if (positions := positions + len(states)) > most:
                raise TooManyPositionsError(f"expected {most:,} positions at most, there are more")
            chosen = player.choose(states) if is_own else game.legal_mask(states)
            rows, actions = (np.ascontiguousarray(part) for part in np.nonzero(chosen))
            after, outcomes = successors(game, states, rows, actions)
            lost = (outcomes != GOES_ON) & ~np.isin(outcomes, self._held)
            children = np.full(len(rows), -1, np.int32)
            moves.append((rows.astype(np.int32), children, lost))
            if to_first_loss and lost.any():
                break
            goes_on = np.flatnonzero(outcomes == GOES_ON)
            states, keys, children[goes_on], first = distinct(
                game, after[goes_on], player.is_symmetric
            )
            came_from = rows[goes_on][first], actions[goes_on][first]
            is_own = not is_own
        below = np.zeros(0, np.int32)
        for level, (parents, children, lost) in zip(reversed(found), reversed(moves), strict=True):
            plies = np.where(lost, 1, NEVER).astype(np.int32)
            goes_on = np.flatnonzero(children >= 0)
            plies[goes_on] = np.minimum(below[children[goes_on]] + 1, NEVER)
            below = level.plies_to_loss
            np.minimum.at(below, parents, plies)
        self.levels = found
        self.is_held = below[sides_at] == NEVER

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
        state = _after(self._game, side.opening)[np.newaxis]
        for ply, level in enumerate(self.levels):
            chosen = self._player.choose(state) if level.is_own else self._game.legal_mask(state)
            candidates = np.flatnonzero(chosen[0])
            rows = np.zeros(len(candidates), np.int64)
            after, outcomes = successors(self._game, state, rows, candidates)
            plies = [
                self._plies_to_loss(ply + 1, child)
                if outcome == GOES_ON
                else NEVER
                if outcome in self._held
                else 0
                for child, outcome in zip(after, outcomes, strict=True)
            ]
            best = int(np.argmin(plies))
            actions.append(int(candidates[best]))
            if outcomes[best] != GOES_ON:
                break
            state = after[best : best + 1]
        return tuple(actions)

    def _plies_to_loss(self, ply: int, state: State) -> int:
        """Look a position up among those of its ply."""
        if ply == len(self.levels):
            return NEVER
        level = self.levels[ply]
        _, key, _, _ = distinct(self._game, state[np.newaxis], self._player.is_symmetric)
        return int(level.plies_to_loss[np.flatnonzero((level.keys == key).all(axis=1))[0]])


def alike(sides: Sequence[Side]) -> list[list[Side]]:
    """Return sides in groups that one enumeration can deal with."""
    groups: dict[tuple[int, int, tuple[int, ...]], list[Side]] = {}
    for side in sides:
        groups.setdefault((len(side.opening), side.player, side.held), []).append(side)
    return list(groups.values())


def _after(game: StateManager, opening: Sequence[int]) -> State:
    """Return the state after an opening."""
    state = game.initial_state(1)
    for action in opening:
        state = game.child_state(state, action)
    return state
