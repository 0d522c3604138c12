"""Addresses of games on HexWorld, https://hexworld.org/board/about.html.

An address has the size, then the moves of both players in turn, the first of whom joins top and
bottom. ``:p`` is a pass, ``:s`` a swap of pieces, ``:rb`` and ``:rw`` say that the first or the
second player resigns, ``:fb`` and ``:fw`` that he forfeits.
"""

from __future__ import annotations

from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from formats.sgf import cell_name, mirrored, stones_of

if TYPE_CHECKING:
    from agents.match import GameRecord


def hexworld_link(record: GameRecord, size: int) -> str:
    """Return the HexWorld address of a game; there both players move in turn, or pass.

    A game that player 2 began, and whose first stone was swapped, is one that player 1 began.
    """
    actions, starter = list(record.actions), record.starting_player
    stones = (stones_of(record, size, player) for player in (1, 2))
    setup = "".join(chain.from_iterable(zip_longest(*stones, fillvalue=":p")))
    if actions[1:2] == [size * size] and starter == 2:
        actions[:2], starter = [mirrored(actions[0], size)], 1
    swap = size * size
    moves = "".join(":s" if each == swap else cell_name(each, size) for each in actions)
    end = (
        f":{record.ending.lower()}{'wb'[record.winner - 1]}" if record.ending in ("R", "F") else ""
    )
    if record.winner not in (1, 2):
        end = ""
    return f"https://hexworld.org/board/#{size}c1,{setup}{':p' * (starter == 2)}{moves}{end}"
