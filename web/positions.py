"""The page's view of a position: its board, its legal moves and its history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from display.boards.cells import Coordinates, cells_of_move, row_layout
from display.boards.palette import board_of, look_of
from web.agent_pool import House, Patience
from web.requests import PositionAsked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from state_manager import State, StateManager


def position(house: House, asked: PositionAsked, patience: Patience) -> dict[str, Any]:
    """Return the view of a position."""
    game, states = asked.position.states()
    return view_of(game, states[-1], asked.position.actions)


def view_of(game: StateManager, state: State, actions: Sequence[int] = ()) -> dict[str, Any]:
    """Return the data that ``board.js`` draws, and the legal moves.

    Args:
        game: The rules.
        state: `[S]` int8.
        actions: The moves before it, if any.
    """
    names = Coordinates(game, letters=True)
    winner = game.winner(state)
    legal = game.legal_actions(state).tolist()
    return {
        **shape_of(game),
        "cells": board_of(game, state).ravel().tolist(),
        "to_play": game.to_play(state),
        "winner": winner,
        "path": game.winning_path(state) if winner in (1, 2) else [],
        "last": game.landing_cell(state, actions[-1]) if actions else None,
        "moves": [
            {"action": each, "cells": _cells(game, state, each), "name": names.move(each)}
            for each in legal
        ],
        "history": [names.move(each) for each in actions],
    }


def shape_of(game: StateManager) -> dict[str, Any]:
    """Return the part of the view that all positions of a game share."""
    names = Coordinates(game, letters=True)
    rows, columns = game.board_shape
    looks = [look_of(game, player) for player in (1, 2)]
    lines = row_layout(game.drawing, rows * columns).lines if game.drawing == "heap" else []
    return {
        "game": game.name,
        "drawing": game.drawing,
        "hexagonal": game.is_hexagonal,
        "rows": rows,
        "columns": columns,
        "row_names": names.rows,
        "column_names": names.columns,
        "edges": game.edge_owners,
        "players": game.player_names,
        "sides": game.sides,
        "shapes": [look.shape for look in looks],
        "roles": [look.role for look in looks],
        "lines": lines,
    }


def _cells(game: StateManager, state: State, action: int) -> list[int]:
    """Return the cells of a move; none for the swap, which gets a button."""
    if game.only_adds:
        return [action]
    return [] if action == game.swap_action else list(cells_of_move(game, state, action))
