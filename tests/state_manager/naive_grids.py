"""Games on grids from first principles: slow, obvious, and independent of the code under test.

A board is a list of rows from the top; a cell holds 0, 1 or 2. ``None`` is a game that goes on.
"""

import numpy as np

from state_manager import State

Board = list[list[int]]
Cell = tuple[int, int]
DRAW = 3


def board_of(state: State, rows: int, columns: int) -> Board:
    cells: Board = np.asarray(state)[1 : 1 + rows * columns].reshape(rows, columns).tolist()
    return cells


def drawn(text: str) -> Board:
    """Read a board drawn with a letter for each player and dots."""
    return [[max(0, ".XO.WB".index(sign) % 3) for sign in line.split()] for line in text.split("/")]


def flat(board: Board, to_play: int = 1) -> list[int]:
    return [to_play, *(cell for row in board for cell in row)]


def lines(board: Board, length: int) -> list[list[Cell]]:
    """Return all straight lines of ``length`` cells, found by walking from every cell."""
    cells = {(r, c) for r in range(len(board)) for c in range(len(board[0]))}
    found = []
    for row, column in sorted(cells):
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            line = [(row + n * down, column + n * right) for n in range(length)]
            if set(line) <= cells:
                found.append(line)
    return found


def line_outcome(board: Board, length: int) -> int | None:
    """Return the player with a whole line, a draw if the board is full, else None."""
    for line in lines(board, length):
        for player in (1, 2):
            if all(board[row][column] == player for row, column in line):
                return player
    return DRAW if all(all(row) for row in board) else None


def drop(board: Board, column: int, player: int) -> Board:
    lowest = max(row for row in range(len(board)) if board[row][column] == 0)
    after = [list(row) for row in board]
    after[lowest][column] = player
    return after


def pawn_moves(board: Board, player: int) -> set[tuple[Cell, Cell]]:
    """Return (from, to) of a player's moves in hexapawn: white (1) moves up, black (2) down."""
    moves = set()
    down = -1 if player == 1 else 1
    for row in range(3):
        for column in range(3):
            if board[row][column] != player or not 0 <= row + down <= 2:
                continue
            for target in range(3):
                straight, diagonal = target == column, abs(target - column) == 1
                there = board[row + down][target]
                if (straight and there == 0) or (diagonal and there == 3 - player):
                    moves.add(((row, column), (row + down, target)))
    return moves


def move_pawn(board: Board, move: tuple[Cell, Cell]) -> Board:
    (row, column), (to_row, to_column) = move
    after = [list(line) for line in board]
    after[to_row][to_column], after[row][column] = board[row][column], 0
    return after


def pawn_outcome(board: Board, to_play: int) -> int | None:
    """Return the winner of hexapawn with ``to_play`` to move, else None."""
    if 1 in board[0]:
        return 1
    if 2 in board[2]:
        return 2
    return None if pawn_moves(board, to_play) else 3 - to_play
