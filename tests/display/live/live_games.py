"""A program for tests: shows short random games on a display until it is stopped.

Usage: python live_games.py MODE EVERY GAMES DELAY SIZE
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from base.params import DisplayParams
from display.live import make_display
from state_manager import make_game


def main(mode: str, every: int, games: int, delay: float, size: int) -> None:
    """Announce random games to a display as training would."""
    game = make_game("hex", size=size)
    rng = np.random.default_rng(1)
    params = DisplayParams.model_validate(dict(mode=mode, every=every, games=1, delay=delay))
    with make_display(params, game, Path("games")) as display:
        display.start_progress("training", games)
        for number in range(1, games + 1):
            state = game.initial_state(1 + number % 2)
            title = f"episode {number} of {games}"
            display.on_game_start(title, ("ANET", "MCTS"), state)
            while not game.is_final(state):
                action = int(rng.choice(game.legal_actions(state)))
                state = game.child_state(state, action)
                display.on_move(state, action)
            display.on_game_over(state, game.winner(state))
            display.advance(1, status=f"loss {2.3 / number:.2f}")
        display.message("all games are played")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5]))
