"""Games in the slots of a search with batched evaluations, compiled; see ``play_in_slots``.

Letters: T slots, P plies of the longest game, S length of a state, A actions.
"""

from typing import NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import kernel, record_type, row_of
from mcts.priors import highest_prior, surprise
from mcts.result import result_in
from mcts.search import SEARCH, Search, back_up, find_leaves
from mcts.slots import NO_GAME, SLOTS, Slots, begin
from rl.episode import GameArrays, new_arrays
from state_manager.draw import draw
from state_manager.rules import GOES_ON, Indices, copy_state

RANDOM, BY_NET, BY_SEARCH = range(3)
"""How a move is made, in ``Games.how``: any legal move, the net's first choice, or from D."""


class Games(NamedTuple):
    """The games in the slots, so far."""

    plies: Indices  # [T], number of moves made
    winners: Indices  # [T], the outcome; 0 during the game
    budgets: Indices  # [P], simulations for the search before each move
    temperatures: NDArray[np.float64]  # [P], of the draw from D; 0 plays the search's choice
    how: NDArray[np.int8]  # [T, P], how each move is made; every move is searched in all cases
    numbers: NDArray[np.float64]  # [T, P], random numbers in [0, 1), for random and drawn moves
    noise: NDArray[np.float64]  # [T, P, A], for the root before each move; A is 0 without noise
    simulations: Indices  # [T], simulations run for the game
    arrays: GameArrays  # each array has a leading dimension, [T, ...]


def new_games(
    slots: int, max_plies: int, state_length: int, num_actions: int, noise: bool = True
) -> Games:
    """Return slots without games; ``noise`` reserves memory for noise."""
    return Games(
        plies=np.zeros(slots, np.int64),
        winners=np.zeros(slots, np.int64),
        budgets=np.zeros(max_plies, np.int64),
        temperatures=np.zeros(max_plies),
        how=np.zeros((slots, max_plies), np.int8),
        numbers=np.zeros((slots, max_plies)),
        noise=np.zeros((slots, max_plies, num_actions if noise else 0)),
        simulations=np.zeros(slots, np.int64),
        arrays=new_arrays(max_plies, state_length, num_actions, slots),
    )


GAMES = record_type(Games, *numba.typeof(tuple(new_games(1, 1, 1, 1))))


@kernel(types.void(SLOTS, GAMES, types.int64))
def begin_search(slots: Slots, games: Games, slot: int) -> None:
    """Begin the search before a game's next move."""
    ply = games.plies[slot]
    for action in range(games.noise.shape[2]):
        slots.noise[slot, action] = games.noise[slot, ply, action]
    begin(slots, slot, games.arrays.states[slot, ply], games.budgets[ply])


@kernel(types.void(SEARCH, GAMES), allocates=True, inner=True)
def make_moves(search: Search, games: Games) -> None:
    """Make a move in every game whose search is over; a game that is over leaves its slot."""
    slots, rules, arrays = search.slots, search.context.rules, games.arrays
    legal = np.empty(arrays.distributions.shape[2], np.int64)
    for slot in range(len(games.plies)):
        root_state = slots.root_states[slot]
        if root_state[0] == NO_GAME or not slots.is_over[slot]:
            continue
        ply, mover = games.plies[slot], int(root_state[0])
        found = arrays.distributions[slot, ply]
        best, value, outcome, simulations = result_in(search, slot, found)
        arrays.values[slot, ply] = value if mover == 1 else -value
        arrays.surprises[slot, ply] = surprise(row_of(slots.trees, slot), found)
        arrays.lost[slot, ply] = outcome == 3 - mover
        games.simulations[slot] += simulations
        how, number = games.how[slot, ply], games.numbers[slot, ply]
        if how == RANDOM:
            action = legal[int(number * rules.legal_actions(root_state, legal))]
        elif how == BY_NET:
            action = highest_prior(row_of(slots.trees, slot))
        elif games.temperatures[ply] > 0.0:
            action = draw(found, len(found), games.temperatures[ply], number)
        else:
            action = best
        arrays.explored[slot, ply] = action != best
        arrays.actions[slot, ply] = action
        games.plies[slot] = ply + 1
        games.winners[slot] = rules.play(root_state, action)
        copy_state(root_state, arrays.states[slot, ply + 1])
        if games.winners[slot] == GOES_ON:
            begin_search(slots, games, slot)
        else:
            root_state[0] = NO_GAME


@kernel(types.int64(SEARCH, GAMES))
def advance(search: Search, games: Games) -> int:
    """Take a step of the searches, with moves between its two halves; return the size of the batch.

    One kernel for all three, as passing the arguments from Python takes longer than many a step.
    """
    back_up(search)
    make_moves(search, games)
    return find_leaves(search, 1)
