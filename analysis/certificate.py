"""Certificates: proof that a player holds every game that it can hold, against every reply.

A side is a first position and the player who can hold it: the empty board with either player to
begin, and the position after each first move. Which side holds what comes from an exact judge.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents.proof import Proof

if TYPE_CHECKING:
    pass


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
