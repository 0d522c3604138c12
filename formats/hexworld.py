"""Addresses of games on HexWorld, https://hexworld.org/board/about.html.

An address has the size, then the moves of both players in turn, the first of whom joins top and
bottom. ``:p`` is a pass, ``:s`` the swap; ``:rb`` says that player 1 resigns, ``:rw`` that player 2
does, and ``:fb`` and ``:fw`` that a player forfeits. A second comma stands behind the move that is
shown first; without one that is the last move.
"""

from __future__ import annotations

from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from formats.sgf import cell_name, mirrored, stones_of

if TYPE_CHECKING:
    from agents.match import GameRecord

_ENDINGS = {"R": "r", "F": "f", "T": "f"}
"""The letters of endings; HexWorld knows no time."""


def hexworld_link(record: GameRecord, size: int) -> str:
    """Return the HexWorld address of a game; there both players move in turn, or pass.

    A game that player 2 began, and whose first stone was swapped, is one that player 1 began.
    """
    actions, starter, swap = list(record.actions), record.starting_player, size * size
    stones = (stones_of(record, size, player) for player in (1, 2))
    setup = "".join(chain.from_iterable(zip_longest(*stones, fillvalue=":p")))
    if actions[1:2] == [swap] and starter == 2:
        actions[:2], starter = [mirrored(actions[0], size)], 1
    moves = "".join(":s" if each == swap else cell_name(each, size) for each in actions)
    end = ""
    if record.ending in _ENDINGS and record.winner in (1, 2):
        end = f":{_ENDINGS[record.ending]}{'wb'[record.winner - 1]}"
    return f"https://hexworld.org/board/#{size}c1,{setup}{':p' * (starter == 2)}{moves}{end}"
