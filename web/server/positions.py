"""The page's view of a position: its board, its legal moves and its history."""

from collections.abc import Sequence
from typing import Any

from display.boards.cells import Coordinates, board_data, cells_of_move, row_layout
from display.boards.palette import look_of
from state_manager import State, StateManager
from web.server.agent_pool import AgentPool, Deadline
from web.server.requests import PositionRequest


def position(pool: AgentPool, request: PositionRequest, deadline: Deadline) -> dict[str, Any]:
    """Return the view of a position."""
    game, states = request.position.states()
    return view_of(pool.names(game), states[-1], request.position.actions)


def view_of(names: Coordinates, state: State, actions: Sequence[int] = ()) -> dict[str, Any]:
    """Return the data that ``board.js`` draws, the legal moves, and the moves before."""
    game = names.game
    legal = game.legal_actions(state).tolist()
    moves = [{"action": a, "cells": _cells(game, state, a), "name": names.move(a)} for a in legal]
    board = board_data(game, state, actions[-1] if actions else None)
    history = [names.move(each) for each in actions]
    return {**shape_of(names), **board, "moves": moves, "history": history}


def shape_of(names: Coordinates) -> dict[str, Any]:
    """Return the part of the view that all positions of a game share."""
    game, drawing = names.game, names.game.drawing
    rows, columns = game.board_shape
    looks = [look_of(game, player) for player in (1, 2)]
    is_heap = drawing.kind == "heap"
    return {
        "drawing": drawing.kind,
        "hexagonal": drawing.is_hexagonal,
        "rows": rows,
        "columns": columns,
        "row_names": names.rows,
        "column_names": names.columns,
        "edges": game.edge_owners,
        "players": game.player_names,
        "sides": drawing.sides,
        "shapes": [look.shape for look in looks],
        "roles": [look.role for look in looks],
        "lines": row_layout(drawing.kind, rows * columns).lines if is_heap else [],
    }


def _cells(game: StateManager, state: State, action: int) -> list[int]:
    """Return the cells of a move; none for the swap, which gets a button."""
    if game.only_adds:
        return [action]
    return [] if action == game.swap_action else list(cells_of_move(game, state, action))
