"""What is said of a game in the terminal and in pictures alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from display.boards.palette import player_name

if TYPE_CHECKING:
    from state_manager import StateManager


def percent(share: float) -> str:
    """Return a share in whole percent, without the sign; halves are rounded up."""
    return str(int(100 * share + 0.5))


def result_words(game: StateManager, players: tuple[str, str], moves: int, winner: int) -> str:
    """Say how a game ended: ``red (anet_00200) wins in 17 moves``."""
    in_moves = f"{moves} move{'' if moves == 1 else 's'}"
    if winner not in (1, 2):
        return f"A draw after {in_moves}"
    name = players[winner - 1]
    who = player_name(game, winner) + (f" ({name})" if name else "")
    return f"{who} wins in {in_moves}"
