"""Hex from first principles: slow, obvious, and independent of the code under test.

A board is a tuple of rows; a cell holds 0, 1 or 2.
"""

from functools import cache

import numpy as np

from state_manager import State

Board = tuple[tuple[int, ...], ...]
Cell = tuple[int, int]


def board_of(state: State, size: int) -> Board:
    cells = np.asarray(state)[1 : 1 + size * size].reshape(size, size)
    return tuple(tuple(row) for row in cells.tolist())


def drawn(text: str) -> Board:
    """Read a board drawn with 1, 2 and dots; the slant of the rows does not matter."""
    rows = text.strip().splitlines()
    return tuple(tuple(".12".index(cell) for cell in row.split()) for row in rows)


def flat(board: Board, to_play: int = 1) -> list[int]:
    return [to_play, *(cell for row in board for cell in row)]


@cache
def neighbours(cell: Cell, size: int) -> list[Cell]:
    """Return the cells that touch a cell, as DESIGN lists them."""
    r, c = cell
    near = [(r - 1, c), (r - 1, c + 1), (r, c + 1), (r + 1, c), (r + 1, c - 1), (r, c - 1)]
    return [(row, column) for row, column in near if 0 <= row < size and 0 <= column < size]


def group(board: Board, cell: Cell) -> set[Cell]:
    row, column = cell
    found, unexplored = {cell}, [cell]
    while unexplored:
        for near in neighbours(unexplored.pop(), len(board)):
            if board[near[0]][near[1]] == board[row][column] and near not in found:
                found.add(near)
                unexplored.append(near)
    return found


def borders(board: Board, cell: Cell) -> set[str]:
    """Return which of its owner's two borders the group of a stone touches."""
    row, column = cell
    axis = 0 if board[row][column] == 1 else 1
    places = {member[axis] for member in group(board, cell)}
    names = {0: "first", len(board) - 1: "last"}
    return {names[place] for place in places if place in names}


def winners(board: Board) -> set[int]:
    """Return the players whose stones join both of their borders."""
    return {player for player in (1, 2) if shortest_chain(board, player)}


def shortest_chain(board: Board, player: int) -> int:
    """Return how few stones of a player join both borders, by widening rings; 0 if none do."""
    size, axis = len(board), player - 1
    mine = {(r, c) for r in range(size) for c in range(size) if board[r][c] == player}
    ring = {cell for cell in mine if cell[axis] == 0}
    seen, length = set(ring), 1
    while ring and not any(cell[axis] == size - 1 for cell in ring):
        ring = {near for cell in ring for near in neighbours(cell, size)} & mine - seen
        seen |= ring
        length += 1
    return length if ring else 0
