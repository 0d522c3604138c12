"""An independent check of certificates for Hex: own rules, own enumeration, plain torch.

Nothing here is compiled. Only the net's file and the number ``NEAR_TIE`` are shared with the code
that makes certificates. No judge is needed: a player that holds a side against every reply is its
winner. Boards are arrays, `[B, k, k]` int8; connections are flooded on all boards at once;
symmetric positions are followed separately.
"""

import hashlib
from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray

from agents.enumeration import NEAR_TIE
from analysis.certificate import Certificate
from anet import ANET
from base.storage import excerpt

Boards = NDArray[np.int8]
_NEAR = ((-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1))
_BATCH = 4096


def has_joined(boards: Boards, player: int) -> NDArray[np.bool_]:
    """Return for each board whether a player joins its sides: player 1 the first and last row."""
    stones = boards == player
    if player == 2:
        # Transposition keeps neighbours: the flood then runs from row to row for both players.
        stones = stones.transpose(0, 2, 1)
    size = boards.shape[1]
    reached = np.zeros((len(boards), size + 2, size + 2), np.bool_)
    inside = reached[:, 1:-1, 1:-1]
    inside[:, 0] = stones[:, 0]
    count = -1
    while count != (count := int(inside.sum())):
        flooded = np.zeros_like(stones)
        for row, column in _NEAR:
            flooded |= reached[:, 1 + row : size + 1 + row, 1 + column : size + 1 + column]
        inside |= flooded & stones
    return np.asarray(inside[:, -1].any(axis=1))


def choices(net: ANET, boards: Boards, mover: int, near_tie: float) -> NDArray[np.bool_]:
    """Return the cells `[B, k * k]` that the net may choose: those of the highest probability.

    A net that plays symmetrically chooses by the product of two policies: of the board, and of the
    board after a half-turn.
    """
    chosen = np.zeros((len(boards), boards[0].size), np.bool_)
    for begin in range(0, len(boards), _BATCH):
        part = boards[begin : begin + _BATCH]
        scores = _log_policies(net, part, mover)
        if net.params.symmetric:
            scores = (scores + _log_policies(net, part[:, ::-1, ::-1], mover).flip(1)) / 2.0
        highest = scores.max(dim=1, keepdim=True).values
        chosen[begin : begin + len(part)] = (scores >= highest + np.log1p(-near_tie)).numpy()
    return chosen


def _log_policies(net: ANET, boards: Boards, mover: int) -> torch.Tensor:
    """Return the net's log policies `[B, k * k]`, -inf on stones."""
    cells = torch.from_numpy(np.ascontiguousarray(boards.reshape(len(boards), -1)))
    movers = torch.full((len(boards), 1), mover)
    features = torch.cat([movers == 1, movers == 2, cells == 1, cells == 2], dim=1).float()
    with torch.inference_mode():
        logits = net.logits(features, movers == 2)
    return logits.double().masked_fill(cells != 0, -torch.inf).log_softmax(dim=1)


def reached_positions(
    net: ANET, start: Boards, mover: int, player: int, near_tie: float
) -> tuple[bool, set[bytes]]:
    """Follow every sequence of replies to a net, as ``player``, from boards `[B, k, k]`.

    Return whether the net wins all games, and the positions in which it had to choose, up to the
    first loss, as the bytes that ``Certificate.digest`` hashes.
    """
    boards, found = start, set()
    while len(boards):
        if mover == player:
            found |= _counted(boards, mover, net.params.symmetric)
            chosen = choices(net, boards, mover, near_tie)
        else:
            chosen = boards.reshape(len(boards), -1) == 0
        rows, cells = np.nonzero(chosen)
        after = boards[rows]
        after.reshape(len(after), -1)[np.arange(len(after)), cells] = mover
        joined = has_joined(after, mover)
        if mover != player and joined.any():
            return False, found
        boards = np.unique(after[~joined], axis=0)
        mover = 3 - mover
    return True, found


def _counted(boards: Boards, mover: int, merges: bool) -> set[bytes]:
    """Return positions as packed bits; if merged, the lesser of each position and its half-turn."""
    images = []
    for image in (boards, boards[:, ::-1, ::-1]) if merges else (boards,):
        cells = image.reshape(len(image), -1)
        movers = np.full((len(image), 1), mover)
        bits = np.hstack([movers == 1, movers == 2, cells == 1, cells == 2])
        packed = np.packbits(bits, axis=1)
        padded = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))
        images.append([row.tobytes() for row in padded])
    return {min(same) for same in zip(*images, strict=True)}


def recheck(
    net: ANET,
    certificate: Certificate,
    checked: Callable[[], object] = lambda: None,
) -> list[str]:
    """Return the errors of a Hex certificate for the net alone; ``checked``: after each side.

    The net is on the CPU; the caller checks the hash of its file.
    """
    size = net.game.board_shape[0]
    wrong = []
    if certificate.sides != size * size + 1:
        wrong.append(f"sides: stated {certificate.sides}, there are {size * size + 1}")
    if certificate.near_tie < NEAR_TIE:
        wrong.append(f"near_tie: stated {certificate.near_tie:g}, at least {NEAR_TIE:g} is a proof")
    if certificate.proven != len(certificate.held):
        wrong.append(f"proven: stated {certificate.proven}, {len(certificate.held)} are listed")
    openings = [side.opening for side in certificate.held]
    if len(set(openings)) != len(openings):
        wrong.append("held: an opening is listed twice")
    positions: set[bytes] = set()
    for side in certificate.held:
        opening, player = list(side.opening), side.player
        if len(opening) > 1 or player not in (1, 2) or not set(opening) <= set(range(size**2)):
            wrong.append(f"held: player {player} after {excerpt(opening)} is no side")
            continue
        start = np.zeros((1, size, size), np.int8)
        start.reshape(-1)[opening] = 1
        mover = 1 + len(opening)
        is_held, found = reached_positions(net, start, mover, player, certificate.near_tie)
        positions |= found
        if not is_held:
            wrong.append(f"held: some replies beat player {player} after {opening}")
        checked()
    if certificate.positions != len(positions):
        wrong.append(f"positions: stated {certificate.positions:,}, reached {len(positions):,}")
    if certificate.digest != hashlib.sha256(b"".join(sorted(positions))).hexdigest():
        wrong.append("digest: other positions are reached than those that were stated")
    return wrong
