"""An independent check of certificates for Hex: own rules, own enumeration, plain torch.

Nothing here is compiled. Only the net's file and the number ``NEAR_TIE`` are shared with the code
that makes certificates. No judge is needed: a player that holds a side against every reply is its
winner. Boards are arrays, `[B, k, k]` int8; connections are flooded on all boards at once. Where
``choices`` are symmetric, one of a board and its half-turn is followed.
"""

import hashlib
from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray

from anet import ANET
from base.storage import excerpt
from proofs.certificate import Certificate
from proofs.enumeration import NEAR_TIE

Boards = NDArray[np.int8]
Packed = NDArray[np.bytes_]
_NEAR = ((-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1))
_BATCH = 512  # boards that the net evaluates together
_BLOCK = 2**14  # boards whose moves are followed together; bounds the memory


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
    never, always = movers == 0, movers > 0
    features = [movers == 1, movers == 2, cells == 1, cells == 2, never, always]
    sources, outputs = (torch.from_numpy(each[mover - 1]) for each in net.view.layouts[0])
    with torch.inference_mode():
        logits, _ = net.network.eval()(torch.cat(features, dim=1).float()[:, sources])
    logits = logits[:, outputs].double().masked_fill(cells != 0, -torch.inf)
    return torch.log_softmax(logits, dim=1)


def reached_positions(
    net: ANET,
    start: Boards,
    mover: int,
    player: int,
    near_tie: float,
    on_level: Callable[[int], object] = lambda positions: None,
) -> tuple[bool, Packed]:
    """Follow every sequence of replies to a net, as ``player``, from boards `[B, k, k]`.

    Return whether the net wins all games, and the positions in which it had to choose, up to the
    first loss, with the bytes that ``Certificate.digest`` hashes. ``on_level`` is called
    at each ply with their number up to it.
    """
    size, merges = start.shape[1], net.params.symmetric
    packed = pack(start, mover, merges)
    found = [packed[:0]]
    while len(packed):
        if mover == player:
            found.append(packed)
            on_level(sum(map(len, found)))
        parts = [packed[:0]]
        for begin in range(0, len(packed), _BLOCK):
            boards = unpack(packed[begin : begin + _BLOCK], size)
            if mover == player:
                chosen = choices(net, boards, mover, near_tie)
            else:
                chosen = boards.reshape(len(boards), -1) == 0
            rows, cells = np.nonzero(chosen)
            after = boards[rows]
            after.reshape(len(after), -1)[np.arange(len(after)), cells] = mover
            joined = has_joined(after, mover)
            if mover != player and joined.any():
                return False, np.concatenate(found)
            parts.append(np.unique(pack(after[~joined], 3 - mover, merges)))
        packed = np.unique(np.concatenate(parts))
        mover = 3 - mover
    return True, np.concatenate(found)


def pack(boards: Boards, mover: int, merges: bool) -> Packed:
    """Return boards with their mover, `[B]`, as bits padded to words of eight bytes.

    If merged, the lesser of each board and its half-turn.
    """
    cells = boards.reshape(len(boards), boards.shape[1] ** 2)
    movers = np.full((len(boards), 1), mover)
    bits = np.hstack([movers == 1, movers == 2, cells == 1, cells == 2])
    padded = np.packbits(np.pad(bits, ((0, 0), (0, -bits.shape[1] % 64))), axis=1)
    packed = padded.view(f"S{padded.shape[1]}")[:, 0]
    if not merges:
        return packed
    turned = pack(boards[:, ::-1, ::-1], mover, False)
    return np.where(turned < packed, turned, packed)


def unpack(packed: Packed, size: int) -> Boards:
    """Return the boards, `[B, size, size]`, of ``pack``."""
    of_bytes = packed.view(np.uint8).reshape(len(packed), -1)
    bits = np.unpackbits(of_bytes, axis=1)[:, 2:].view(np.int8)
    first, second = bits[:, : size**2], bits[:, size**2 : 2 * size**2]
    return (first + 2 * second).reshape(-1, size, size)


def recheck(
    net: ANET,
    certificate: Certificate,
    checked: Callable[[int, str], object] = lambda sides, note: None,
) -> list[str]:
    """Return the errors of a Hex certificate for the net alone; ``checked`` receives the progress.

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
    reached: list[Packed] = []
    for side in certificate.held:
        opening, player = list(side.opening), side.player
        if len(opening) > 1 or player not in (1, 2) or not set(opening) <= set(range(size**2)):
            wrong.append(f"held: player {player} after {excerpt(opening)} is no side")
            continue
        start = np.zeros((1, size, size), np.int8)
        start.reshape(-1)[opening] = 1
        about = start, 1 + len(opening), player, certificate.near_tie
        is_held, found = reached_positions(
            net, *about, lambda positions: checked(0, f"{positions:,} positions")
        )
        reached.append(found)
        if not is_held:
            wrong.append(f"held: some replies beat player {player} after {opening}")
        checked(1, "")
    positions = np.unique(np.concatenate(reached)) if reached else np.array([], "S8")
    if certificate.positions != len(positions):
        wrong.append(f"positions: stated {certificate.positions:,}, reached {len(positions):,}")
    if certificate.digest != hashlib.sha256(positions.tobytes()).hexdigest():
        wrong.append("digest: other positions are reached than those that were stated")
    return wrong
