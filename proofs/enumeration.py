"""Proof by enumeration: whether a player keeps its outcome against every sequence of replies.

The player is deterministic and has no memory. Positions are enumerated ply by ply, each once. If
the player's choice has the symmetries of the game, symmetric positions count as one.

Letters: B positions, E moves from them, S length of a state, A actions, W words of a key.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.agent import Agent, chosen_action
from base.storage import naming_file
from proofs.distinct import Keys, distinct, key_bits, keys_of
from state_manager import GOES_ON, Indices, State, StateManager
from state_manager.sides import Side, after
from state_manager.successors import successors

if TYPE_CHECKING:
    from anet.evaluator import Evaluator
    from base.cluster import Map

Numbers = NDArray[np.int32]

NEVER = 2**30
"""``plies_to_loss`` where no loss can be forced."""
NEAR_TIE = 1e-4
"""Actions whose probability is within this share of the highest are all followed, as the choice
among them may depend on the rounding of a processor or batch."""
_BATCH = 512  # positions; their activations fit into the cache
_BLOCK = 2**15  # positions whose moves are merged at once; bounds the memory
_KEPT, _LOST = -2, -1
"""In place of a next position: the outcome is kept, or the position is not followed; and a loss."""


class TooManyPositionsError(ValueError):
    """An enumeration exceeds its limit of positions."""


@dataclass(frozen=True)
class PureStrategy:
    """A deterministic player.

    ``choose(states) -> chosen`` maps `[B, S]` to `[B, A]` bool, the possible actions; more than one
    where rounding might decide between them. ``on_batch`` is called after each batch with its
    number of positions in which the player moves.
    """

    choose: Callable[[State], NDArray[np.bool_]]
    is_symmetric: bool  # whether it plays symmetric actions in symmetric positions
    batch: int = 64  # positions per call of ``choose``
    sharing: Map = map  # maps over the batches, see ``base.cluster`` and ``recorded``
    on_batch: Callable[[int], object] = lambda positions: None

    def chosen(self, states: State) -> NDArray[np.uint8]:
        """Return the choices in positions, `[B, S]`, as packed bits, `[B, ceil(A / 8)]`."""
        choose = self.choose  # a local, to send no self

        def job(part: State) -> bytes:
            return np.packbits(choose(part), axis=1).tobytes()

        batches, found = range(0, len(states), self.batch), []
        parts = [states[begin : begin + self.batch] for begin in batches]
        for part, bits in zip(parts, self.sharing(job, parts), strict=True):
            self.on_batch(len(part))
            found.append(np.frombuffer(bits, np.uint8).reshape(len(part), -1))
        return np.concatenate(found)


@contextmanager
def recorded(sharing: Map, path: Path, about: str) -> Iterator[Map]:
    """Yield a map to bytes that writes its results to a file, and begins with those in it.

    The calls must always be the same, which ``about`` describes. Each record contains the SHA-256
    of itself and all before it; the first wrong one and all after it are computed again.
    """
    digest = hashlib.sha256(about.encode())
    with naming_file(path), open(path, "a+b") as file:
        file.seek(0)

        def read() -> bytes | None:
            place, head = file.tell(), file.read(36)
            data = file.read(int.from_bytes(head[32:], "big"))
            known = digest.copy()
            known.update(data)
            if head[:32] != known.digest():
                file.truncate(file.seek(place))
                return None
            digest.update(data)
            return data

        def mapping(job: Callable[[Any], bytes], items: Iterable[Any]) -> Iterator[bytes]:
            left = list(items)
            while left and (data := read()) is not None:
                del left[0]
                yield data
            for data in sharing(job, left):
                digest.update(data)
                file.write(digest.digest() + len(data).to_bytes(4, "big") + data)
                yield data

        yield mapping


def greedy(net: Evaluator, sharing: Map = map) -> PureStrategy:
    """Return the greedy player of a net, like the agent ``anet``; see ``NEAR_TIE``."""

    def choose(states: State) -> NDArray[np.bool_]:
        policies, _ = net.evaluate_batch(states, net.game.legal_mask(states), symmetric=True)
        return np.asarray(policies >= (1.0 - NEAR_TIE) * policies.max(axis=1, keepdims=True))

    return PureStrategy(choose, net.params.symmetric, _BATCH, sharing)


def agent_player(agent: Agent, game: StateManager) -> PureStrategy:
    """Return the player of a deterministic agent, called for one position at a time."""

    def choose(states: State) -> NDArray[np.bool_]:
        chosen = np.zeros((len(states), game.num_actions), np.bool_)
        for row, state in enumerate(states):
            chosen[row, chosen_action(agent, state)] = True
        return chosen

    return PureStrategy(choose, is_symmetric=False)


@dataclass(frozen=True)
class Level:
    """The positions of one ply."""

    keys: Keys  # `[B, W]`, distinct, ascending
    parents: Numbers  # `[B]`, the place in the level before of the first position that leads here
    actions: NDArray[np.int16]  # `[B]`, the move from that position
    is_own: bool  # whether the player moves, else its opponent
    plies_to_loss: Numbers  # `[B]`, to the player's fastest forced loss, or ``NEVER``

    @classmethod
    def new(
        cls, keys: Keys, parents: Numbers, actions: NDArray[np.signedinteger], is_own: bool
    ) -> Level:
        """Return a level in which no loss is known."""
        never = np.full(len(keys), NEVER, np.int32)
        return cls(keys, parents, actions.astype(np.int16, copy=False), is_own, never)


class _Moves(NamedTuple):
    counts: NDArray[np.int16]  # [B], from each position
    children: Numbers  # [E], the place in the level below, ``_KEPT`` or ``_LOST``


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
        player: PureStrategy,
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
        self._starts = np.stack([after(game, side.opening) for side in sides])
        keys = keys_of(game, self._bits, self._starts)
        first, sides_at = distinct(keys)
        is_own = bool(self._starts[0, 0] == sides[0].player)
        level = Level.new(keys[first], first.astype(np.int32), np.zeros_like(first), is_own)
        states, moves = self._starts[first], list[_Moves]()
        self.levels: list[Level] = []
        while len(states):
            self.levels.append(level)
            if sum(len(each.keys) for each in self.levels) > most:
                raise TooManyPositionsError(f"expected {most:,} positions at most, there are more")
            level, followed = self._level_below(states, level.is_own)
            children = followed.children
            moves.append(followed)
            if to_first_loss and (children == _LOST).any():
                children[children >= 0] = _KEPT
                break
            states = self._after(states, level.parents, level.actions)
            if narrowed is not None and level.is_own and len(states):
                kept = narrowed(states)
                places = np.full(len(states) + 2, _KEPT, np.int32)
                places[kept], places[_LOST] = np.arange(len(kept)), _LOST
                children[:] = places[children]
                states = states[kept]
                followed_ones = level.keys[kept], level.parents[kept], level.actions[kept]
                level = Level.new(*followed_ones, is_own=True)
        self._count_back(moves)
        self.is_held = self.levels[0].plies_to_loss[sides_at] == NEVER

    def _count_back(self, moves: Sequence[_Moves]) -> None:
        """Write the plies to a loss of all levels, from the last one up."""
        below = np.zeros(0, np.int32)
        for level, (counts, children) in zip(reversed(self.levels), reversed(moves), strict=True):
            plies = np.append(below, np.array([NEVER, 0], np.int32))[children] + np.int32(1)
            begins, below = np.cumsum(counts) - counts, level.plies_to_loss
            np.minimum(np.minimum.reduceat(plies, begins), NEVER, out=below)

    def _level_below(self, states: State, is_own: bool) -> tuple[Level, _Moves]:
        chosen = self._player.chosen(states) if is_own else None
        parts, total = [], 0
        for begin in range(0, len(states), _BLOCK):
            block = slice(begin, begin + _BLOCK)
            followed = self._game.legal_mask(states[block])
            if chosen is not None:
                followed &= np.unpackbits(chosen[block], axis=1, count=followed.shape[1]) > 0
            rows, actions, outcomes, keys = self._moves(states[block], followed)
            children = np.where(np.isin(outcomes, self._held), _KEPT, _LOST).astype(np.int32)
            goes_on = np.flatnonzero(outcomes == GOES_ON)
            first, places = distinct(keys[goes_on])
            children[goes_on] = places + total
            total += len(first)
            first = goes_on[first]
            counts = np.bincount(rows, minlength=len(followed)).astype(np.int16)
            before = (begin + rows[first]).astype(np.int32)
            parts.append((counts, children, before, actions[first].astype(np.int16), keys[first]))
        counts, children, parents, actions, keys = map(np.concatenate, zip(*parts, strict=True))
        first, places = distinct(keys)
        children = np.append(places.astype(np.int32), np.array([_KEPT, _LOST], np.int32))[children]
        level = Level.new(keys[first], parents[first], actions[first], not is_own)
        return level, _Moves(counts, children)

    def _moves(
        self, states: State, followed: NDArray[np.bool_]
    ) -> tuple[Indices, Indices, Indices, Keys]:
        """Return the row, action, outcome and next key of each move `[B, A]` that is followed."""
        rows, actions = (np.ascontiguousarray(each) for each in np.nonzero(followed))
        after, outcomes = successors(self._game, states, rows, actions)
        return rows, actions, outcomes, keys_of(self._game, self._bits, after)

    def _after(self, states: State, rows: NDArray[np.integer], actions: NDArray[np.int16]) -> State:
        return successors(self._game, states, rows.astype(np.int64), actions.astype(np.int64))[0]

    @property
    def positions(self) -> int:
        """The number of positions in which the player moves."""
        return sum(len(level.keys) for level in self.levels if level.is_own)

    def refuted(self) -> list[tuple[int, Indices]]:
        """Return plies, and the places there of positions in which the player can be beaten."""
        own = [(ply, level) for ply, level in enumerate(self.levels) if level.is_own]
        return [(ply, np.flatnonzero(level.plies_to_loss < NEVER)) for ply, level in own]

    def states_at(self, ply: int, places: Indices) -> State:
        """Return the states, `[n, S]`, at some places of a ply."""
        starts, played = self._games_to(ply, places)
        states, each = self._starts[starts], np.arange(len(places))
        for actions in played:
            states = self._after(states, each, actions)
        return states

    def line_to(self, ply: int, place: int) -> tuple[int, ...]:
        """Return the actions of a game that leads to a position, including the opening."""
        starts, played = self._games_to(ply, np.array([place]))
        return *self.sides[starts[0]].opening, *(int(actions[0]) for actions in played)

    def _games_to(self, ply: int, places: Indices) -> tuple[Numbers, list[NDArray[np.int16]]]:
        """Return the sides, `[n]`, and the actions, `[n]` for each ply, that lead to places."""
        at, played = places.astype(np.int32), []
        for level in reversed(self.levels[1 : ply + 1]):
            played.append(level.actions[at])
            at = level.parents[at]
        return self.levels[0].parents[at], played[::-1]

    def losing_line(self, side: Side) -> tuple[int, ...]:
        """Return the actions of a shortest loss after a side's opening; ``()`` if held."""
        if self.is_held[self.sides.index(side)]:
            return ()
        actions: list[int] = []
        state = after(self._game, side.opening)
        for ply, level in enumerate(self.levels):
            choose = self._player.choose if level.is_own else self._game.legal_mask
            states = state[np.newaxis]
            _, candidates, outcomes, keys = self._moves(states, choose(states))
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
