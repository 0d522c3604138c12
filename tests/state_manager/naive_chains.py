"""Chains of bridges as a slow, obvious twin, with lists of cells."""

from collections.abc import Iterable
from itertools import product

from tests.state_manager.naive_hex import Board, Cell, neighbours

TEMPLATES = (
    ((0, 1), (1, -1), (1, 0), (1, 1), (2, -2), (2, -1), (2, 0), (2, 1)),
    ((0, -1), (1, 0), (1, -1), (1, -2), (2, 0), (2, -1), (2, -2), (2, -3)),
)
"""Rows towards the last row and columns, from a stone on the third row before it."""


def distinct(cells: Iterable[Cell]) -> list[Cell]:
    return list(dict.fromkeys(cells))


class NaiveChains:
    """One player's chains; the board is turned so that they join the first row to the last."""

    def __init__(self, board: Board, player: int) -> None:
        rows = board if player == 1 else tuple(zip(*board, strict=True))
        self.size = size = len(rows)
        cells = list(product(range(size), range(size)))
        mine = [cell for cell in cells if rows[cell[0]][cell[1]] == player]
        self.free = {cell for cell in cells if rows[cell[0]][cell[1]] == 0}
        self.near: dict[Cell, set[int]] = {cell: set() for cell in cells}
        for column in range(size):
            self.near[0, column].add(0)
            self.near[size - 1, column].add(1)
        self.groups: list[list[Cell]] = []
        for cell in mine:
            if not any(cell in group for group in self.groups):
                group = [cell]
                for stone in group:  # it grows meanwhile
                    group += [c for c in neighbours(stone, size) if c in mine and c not in group]
                self.groups.append(group)
        self.joined: list[int | None] = [None] * len(self.groups)
        self.is_whole = self.grow(0) or self.grow(1)
        self.keys = [] if self.is_whole else [self.needs(cell) for cell in sorted(self.free)]
        self.keys = [key for key in self.keys if key]

    def link(self, stones: list[Cell], border: int, taken: set[Cell], alone: bool) -> list[Cell]:
        """Return the cells of a bridge or a template, none if there is no link.

        None are ``taken``; those of a bridge touch the chain of that border, perhaps it ``alone``.
        """
        free = self.free - taken
        beside = distinct(near for stone in stones for near in neighbours(stone, self.size))
        wanted = [{border}] if alone else [{border}, {0, 1}]
        bridge = [cell for cell in beside if cell in free and self.near[cell] in wanted]
        if len(bridge) > 1:
            return bridge
        row, sign = (2, -1) if border == 0 else (self.size - 3, 1)
        for stone, template in product(stones, TEMPLATES):
            if stone[0] == row:
                cells = [(row + sign * down, stone[1] + sign * right) for down, right in template]
                if free.issuperset(cells):
                    return cells
        return []

    def grow(self, border: int) -> bool:
        """Return whether the chain takes in a group of the other one."""
        edge = 0 if border == 0 else self.size - 1
        changed = True
        while changed:
            changed = False
            for number, group in enumerate(self.groups):
                if self.joined[number] == border:
                    continue
                if edge not in {row for row, _ in group}:
                    cells = self.link(group, border, set(), alone=False)
                    if not cells:
                        continue
                    self.free -= set(cells if len(cells) == 8 else cells[:2])
                if self.joined[number] is not None:
                    return True
                self.joined[number], changed = border, True
                for stone in group:
                    for near in neighbours(stone, self.size):
                        self.near[near].add(border)
        return False

    def needs(self, cell: Cell) -> set[Cell]:
        """Return the cells that a key needs, none if the cell is no key."""
        stones = [cell]
        for near in neighbours(cell, self.size):
            for number, group in enumerate(self.groups):
                if near in group and self.joined[number] is None and near not in stones:
                    stones += group
        needs, taken, touched = {cell}, {cell}, self.near[cell]
        for border in {0, 1} - touched:
            cells = self.link(stones, border, taken, alone=not touched)
            if not cells:
                return set()
            taken |= set(cells)
            needs |= set(cells) if len(cells) in (2, 8) else set()
        return needs


def winner_by_chains(board: Board, mover: int) -> int:
    """Return the winner that the chains prove, or 0."""
    mine, theirs = NaiveChains(board, mover), NaiveChains(board, 3 - mover)
    if mine.is_whole or mine.keys:
        return mover
    if theirs.is_whole or (theirs.keys and not set.intersection(*theirs.keys)):
        return 3 - mover
    return 0
