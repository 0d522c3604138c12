"""Random games, for tests of anything that must hold in every position."""

import numpy as np

from state_manager import State, StateManager


def random_game(
    game: StateManager, seed: int, starting_player: int = 1
) -> tuple[list[State], list[int]]:
    """Return all states of a uniformly random game, the final one included, and its actions."""
    rng = np.random.default_rng(seed)
    state = game.initial_state(starting_player)
    states, actions = [state], []
    while not game.is_final(state):
        action = int(rng.choice(game.legal_actions(state)))
        state = game.child_state(state, action)
        states.append(state)
        actions.append(action)
    return states, actions
