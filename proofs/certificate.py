"""Certificates: proofs that a player holds every side that can be held, against every reply.

A side is a starting position (the empty board, or the position after one move) and a player that
can hold its value there: a win, or a draw if neither player can win. An exact judge determines the
sides. Player 1 always begins: games that player 2 begins are equal after a swap of the players.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field, ValidationError

from base.params import Section
from base.storage import FileError, excerpt, parse_json, printable, read_file
from proofs.distinct import Keys, distinct
from proofs.enumeration import Proof, PureStrategy
from state_manager import StateManager
from state_manager.sides import Side, alike

_MOST_BYTES = 2**24
_Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
_Count = Annotated[int, Field(ge=0)]


class CertificateError(ValueError):
    """A file is not a certificate; ``str(error)`` is one line that names the file."""


class HeldSide(Section):
    """A held side: the actions of its opening, and the player."""

    opening: tuple[int, ...]
    player: int


class Certificate(Section):
    """The content of a certificate.

    All actions whose probability is within the share ``near_tie`` of the highest were followed.
    ``positions`` is the number of positions on the sides in which the player had to choose;
    symmetric ones count once if it plays symmetrically. ``digest`` is the SHA-256 of their keys
    (``proofs.distinct``), in ascending order, the highest byte of each word first.
    """

    game: str  # the name of the game
    game_params: dict[str, Any]  # its parameters
    agent: str  # the agent's spec, without its net
    net: _Hash  # the SHA-256 of the net's file
    near_tie: Annotated[float, Field(ge=0, lt=1)]
    sides: _Count  # the number of sides, ``proven`` that of ``held`` ones
    proven: _Count
    held: tuple[HeldSide, ...]
    positions: _Count
    digest: _Hash


def read_certificate(path: Path) -> Certificate:
    """Read a certificate; a ``CertificateError`` if the file does not hold one."""
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
    """The results of enumerating every reply; lost sides have a shortest losing line each."""

    held: list[Proof] = field(default_factory=list)  # proofs of held sides
    refuted: list[tuple[Side, tuple[int, ...]]] = field(default_factory=list)  # lost sides
    counted: list[Proof] = field(default_factory=list)  # of lost sides enumerated in full
    visited: int = 0  # the number of distinct positions in which the player had to choose

    @property
    def sides(self) -> list[Side]:
        """The held sides."""
        return [side for proof in self.held for side in proof.sides]


def examine(
    game: StateManager,
    player: PureStrategy,
    sides: Sequence[Side],
    most: int,
    settled: Callable[[int], object] = lambda sides: None,
    in_full: bool = False,
) -> Findings:
    """Prove or refute that a player holds sides.

    Sides are enumerated together. If some are lost, the enumeration of the others starts again;
    ``in_full`` enumerates each side by itself, also after a loss. ``settled`` is called with the
    number of newly proven or refuted sides. An enumeration of more than ``most`` positions raises a
    ``TooManyPositionsError``.
    """
    findings = Findings()
    visited: list[Keys] = []
    for left in [[side] for side in sides] if in_full else alike(sides):
        while left:
            proof = Proof(game, player, left, to_first_loss=not in_full, most=most)
            visited = [positions_of([proof], visited)]
            lost = [side for side, held in zip(left, proof.is_held, strict=True) if not held]
            findings.refuted += [(side, proof.losing_line(side)) for side in lost]
            if not lost:
                findings.held.append(proof)
            elif in_full:
                findings.counted.append(proof)
            left = [side for side in left if side not in lost] if lost else []
            settled(len(proof.sides) - len(left))
    findings.visited = sum(map(len, visited))
    return findings


def positions_of(proofs: Sequence[Proof], known: Sequence[Keys] = ()) -> Keys:
    """Return the keys `[n, W]` of positions with a choice, and known ones, each once, ascending."""
    keys = [*known, *(level.keys for proof in proofs for level in proof.levels if level.is_own)]
    together = np.concatenate(keys or [np.zeros((0, 1), np.uint64)])
    return together[distinct(together)[0]]


def digest_of(keys: Keys) -> tuple[int, str]:
    """Return the number of positions and their digest; see ``Certificate``."""
    return len(keys), hashlib.sha256(keys.astype(">u8").tobytes()).hexdigest()
