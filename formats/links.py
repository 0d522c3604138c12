"""Addresses of games on HexWorld, https://hexworld.org/board/about.html, and on trmph.com.

An address has the size, then the moves of both players in turn, the first of whom joins top and
bottom. On HexWorld ``:p`` is a pass, ``:s`` the swap of pieces and ``:S`` that of sides; ``:rb``
says that player 1 resigns, ``:rw`` that player 2 does, and ``:fb`` and ``:fw`` that a player
forfeits. A second comma stands behind the move that is shown first; without one that is the last
move. On trmph the swap is the cell of the swapped stone, twice; passes and endings do not exist.
"""

from __future__ import annotations

from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from formats.sgf import cell_name, mirrored, stones_of

if TYPE_CHECKING:
    from agents.match import GameRecord

_ENDINGS = {"R": "r", "F": "f", "T": "f"}  # the letters of endings; HexWorld knows no time


def hexworld_link(record: GameRecord, size: int) -> str:
    """Return the HexWorld address of a game; there both players move in turn, or pass.

    A game that player 2 began, and whose first stone was swapped, is one that player 1 began.
    """
    end = ""
    if record.ending in _ENDINGS and record.winner in (1, 2):
        end = f":{_ENDINGS[record.ending]}{'wb'[record.winner - 1]}"
    return f"https://hexworld.org/board/#{size}c1,{''.join(_moves(record, size))}{end}"


def trmph_link(record: GameRecord, size: int) -> str:
    """Return the trmph address of a game; empty if a player passes in its HexWorld address."""
    moves = _moves(record, size)
    if ":p" in moves:
        return ""
    if moves[1:2] == [":s"]:
        moves[:2] = 2 * [cell_name(mirrored(record.actions[0], size), size)]
    return f"https://trmph.com/hex/board#{size},{''.join(moves)}"


def _moves(record: GameRecord, size: int) -> list[str]:
    """Return the moves of both players in turn, as HexWorld writes them."""
    actions, starter, swap = list(record.actions), record.starting_player, size * size
    stones = (stones_of(record, size, player) for player in (1, 2))
    moves = list(chain.from_iterable(zip_longest(*stones, fillvalue=":p")))
    if actions[1:2] == [swap] and starter == 2:
        actions[:2], starter = [mirrored(actions[0], size)], 1
    moves += [":p"] * (starter == 2)
    return moves + [":s" if each == swap else cell_name(each, size) for each in actions]
