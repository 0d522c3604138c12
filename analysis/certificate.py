"""Certificates: proof that a player holds every game that it can hold, against every reply.

A side is a first position and the player who can hold it: the empty board with either player to
begin, and the position after each first move. Which side holds what comes from an exact judge.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from agents.proof import Chooser, Proof
from state_manager import State, StateManager
from state_manager.rules import DRAW

if TYPE_CHECKING:
    from anet import ANET

NEAR_TIE = 1e-4
"""Actions whose probability is this close to the highest, as a share of it, are all followed: which
of them is played may depend on the rounding of a processor, or of a batch."""
_BATCH = 4096


@dataclass(frozen=True)
class Side:
    """A position, and who can hold what there.

    Attributes:
        opening: The actions that lead there; none for the empty board.
        player: 1 or 2.
        held: The outcomes with which it holds what it has.
    """

    opening: tuple[int, ...]
    player: int
    held: tuple[int, ...]


@dataclass(frozen=True)
class SideResult:
    """What came out for a side.

    Attributes:
        side: Which one.
        line: The actions of a shortest loss, after the opening; ``None`` if the side is held.
    """

    side: Side
    line: tuple[int, ...] | None


@dataclass(frozen=True)
class Certificate:
    """What was proven.

    Attributes:
        game: The name of the game.
        game_params: Its parameters.
        agent: The word of the player.
        net: The SHA-256 of the net's file; ``None`` if there is no net.
        sides: How many there are.
        proven: How many of them are held.
        positions: In how many positions the player had to choose; symmetric ones are one.
        digest: The SHA-256 of these positions, see ``digest_of``.
    """

    game: str
    game_params: dict[str, Any]
    agent: str
    net: str | None
    sides: int
    proven: int
    positions: int
    digest: str

    def record(self) -> dict[str, Any]:
        """Return what goes into the file."""
        return asdict(self)


def sides_of(game: StateManager, outcome_of: Callable[[State], int]) -> list[Side]:
    """Return the sides of a game.

    Args:
        game: The rules.
        outcome_of: The exact outcome of a state: 1, 2 or 3 (draw).
    """
    empty = game.initial_state(1)
    positions: list[tuple[tuple[int, ...], State]] = [((), empty)]
    positions += [((action,), child) for action, child in game.children(empty)]
    sides = []
    for opening, state in positions:
        outcome = outcome_of(state)
        for player in (1, 2):
            if outcome in (player, DRAW):
                sides.append(Side(opening, player, tuple(sorted({player, outcome}))))
    return sides


def greedy(net: ANET) -> Chooser:
    """Return how a net plays alone; see ``NEAR_TIE``."""

    def choose(states: State) -> NDArray[np.bool_]:
        chosen = np.zeros((len(states), net.game.num_actions), np.bool_)
        for begin in range(0, len(states), _BATCH):
            part = slice(begin, begin + _BATCH)
            policies = net.symmetric_policies(states[part], net.game.legal_mask(states[part]))
            highest = policies.max(axis=1, keepdims=True)
            chosen[part] = policies >= highest * (1.0 - NEAR_TIE)
        return chosen

    return choose


def certify(
    game: StateManager,
    chooser: Chooser,
    sides: Sequence[Side],
    progress: Callable[[int], object] = lambda done: None,
) -> tuple[list[SideResult], list[Proof]]:
    """Prove or refute every side.

    Args:
        game: The rules.
        chooser: How the player chooses.
        sides: What it has to hold.
        progress: Called with the number of sides that are done, now and then.

    Returns:
        The results, in the order of the sides; and the proofs.
    """
    groups: dict[tuple[int, tuple[int, ...], int], list[Side]] = {}
    for side in sides:
        groups.setdefault((side.player, side.held, len(side.opening)), []).append(side)
    lines: dict[Side, tuple[int, ...] | None] = {}
    proofs = []
    for (player, held, _), group in groups.items():
        starts = np.stack([_state_after(game, side.opening) for side in group])
        proof = Proof(game, chooser, player, starts, held)
        proofs.append(proof)
        for side, start, is_held in zip(group, starts, proof.is_held, strict=True):
            lines[side] = None if is_held else tuple(proof.losing_line(start))
        progress(len(lines))
    return [SideResult(side, lines[side]) for side in sides], proofs


def _state_after(game: StateManager, opening: Sequence[int]) -> State:
    """Return the state after an opening of player 1."""
    state = game.initial_state(1)
    for action in opening:
        state = game.child_state(state, action)
    return state


def digest_of(positions: Iterable[bytes]) -> tuple[int, str]:
    """Return how many different positions there are, and the SHA-256 of all of them in order.

    Args:
        positions: The features of each as bits, filled up with zeros to whole words of 8 bytes; of
            symmetric positions, the one whose bytes come first.
    """
    ordered = sorted(set(positions))
    return len(ordered), hashlib.sha256(b"".join(ordered)).hexdigest()


def positions_of(proofs: Iterable[Proof]) -> Iterator[bytes]:
    """Return the positions in which the player had to choose, for ``digest_of``."""
    for proof in proofs:
        for level in proof.levels:
            if level.is_own:
                for key in level.keys.astype(">u8"):
                    yield key.tobytes()


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
