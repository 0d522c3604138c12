"""Certificates: proof that a player holds every game that it can hold, against every reply.

A side is a first position, the empty board or the one after a first move, and a player who can hold
something there: a win, or a draw where nobody can win. An exact judge says which sides there are.
Player 1 begins: a swap of the players makes the same game of one that player 2 begins.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field, ValidationError

from agents.distinct import Keys, distinct
from agents.proof import Player, Proof
from agents.sides import Side, alike
from base.params import Section
from base.storage import FileError, excerpt, parse_json, printable, read_file
from state_manager import StateManager

_MOST_BYTES = 2**24
_Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
_Count = Annotated[int, Field(ge=0)]


class CertificateError(ValueError):
    """A file is no certificate; ``str(error)`` is one line that names it."""


class HeldSide(Section):
    """A side that is held: the actions of its opening, and the player."""

    opening: tuple[int, ...]
    player: int


class Certificate(Section):
    """What was proven.

    Attributes:
        game: The name of the game.
        game_params: Its parameters.
        agent: The word of the player, without its net.
        net: The SHA-256 of the net's file.
        near_tie: Actions whose probability is lower than the highest by this share of it, or by
            less, were all followed.
        sides: How many there are.
        proven: How many of them are held.
        held: Which these are.
        positions: In how many positions the player had to choose on these sides; symmetric ones are
            one if it plays symmetrically.
        digest: The SHA-256 of the keys of these positions (``agents.distinct``), in ascending
            order, the highest byte of each word first.
    """

    game: str
    game_params: dict[str, Any]
    agent: str
    net: _Hash
    near_tie: Annotated[float, Field(ge=0, lt=1)]
    sides: _Count
    proven: _Count
    held: tuple[HeldSide, ...]
    positions: _Count
    digest: _Hash


def read_certificate(path: Path) -> Certificate:
    """Read a certificate.

    Raises:
        CertificateError: There is none in this file.
    """
    try:
        data = read_file(path, _MOST_BYTES)
        parse_json(data)
        return Certificate.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        why = f"expected a certificate; {where}: {first['msg']}, got {excerpt(first['input'])}"
    except FileError as error:
        why = str(error)
    except ValueError:
        why = "expected a certificate, got a file that is no JSON"
    raise CertificateError(printable(f"{path}: {why}", 500))


@dataclass
class Findings:
    """What has come out of enumerating every reply.

    Attributes:
        held: Proofs that sides are held.
        refuted: Sides that are not, each with a shortest line that loses it.
        visited: Different positions in which the player had to choose.
    """

    held: list[Proof] = field(default_factory=list)
    refuted: list[tuple[Side, tuple[int, ...]]] = field(default_factory=list)
    visited: int = 0

    @property
    def sides(self) -> list[Side]:
        """Those that are held."""
        return [side for proof in self.held for side in proof.sides]


def examine(
    game: StateManager,
    player: Player,
    sides: Sequence[Side],
    most: int,
    settled: Callable[[int], object] = lambda sides: None,
) -> Findings:
    """Prove or refute that a player holds sides.

    Sides are looked at together. Whenever some turn out to be lost, the others begin anew.

    Args:
        game: The rules.
        player: Who plays.
        sides: What it has to hold.
        most: How many positions one enumeration may take.
        settled: Called with how many more sides are proven or refuted.

    Raises:
        TooManyPositionsError: If that is not enough.
    """
    findings = Findings()
    visited: list[Keys] = []
    for left in alike(sides):
        while left:
            proof = Proof(game, player, left, to_first_loss=True, most=most)
            visited = [positions_of([proof], visited)]
            lost = [side for side, held in zip(left, proof.is_held, strict=True) if not held]
            findings.refuted += [(side, proof.losing_line(side)) for side in lost]
            if not lost:
                findings.held.append(proof)
            left = [side for side in left if side not in lost] if lost else []
            settled(len(proof.sides) - len(left))
    findings.visited = sum(map(len, visited))
    return findings


def positions_of(proofs: Sequence[Proof], known: Sequence[Keys] = ()) -> Keys:
    """Return the positions in which the player had to choose, and known ones: their keys.

    Returns:
        `[n, W]`, each once, ascending; none of no proofs.
    """
    keys = [*known, *(level.keys for proof in proofs for level in proof.levels if level.is_own)]
    together = np.concatenate(keys or [np.zeros((0, 1), np.uint64)])
    return together[distinct(together)[0]]


def digest_of(keys: Keys) -> tuple[int, str]:
    """Return how many positions there are, and their digest (``Certificate``); see above."""
    return len(keys), hashlib.sha256(keys.astype(">u8").tobytes()).hexdigest()


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
