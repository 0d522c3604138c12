"""Games in the rows of a search with batched evaluations, compiled; see ``play_in_rows``.

Letters: T rows, P plies of the longest game, S length of a state, A actions.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import kernel, record_type, row_of
from mcts.distribution import DISTRIBUTION_FUNCTION, Distribution, root_value
from mcts.forest import FOREST, NOBODY, Forest
from mcts.priors import NOISE_FUNCTION, PRIORS, MixIn
from mcts.search import find_leaves, take_values
from mcts.settings import GIVEN, Given
from mcts.tree import BUDGET, EDGES, NODES, ROOT
from mcts.variant import PROCESSES, Processes
from state_manager.rules import GOES_ON, RNG, Indices, State, copy_state

DRAWS = 2
"""Random numbers per move."""


class Games(NamedTuple):
    """The games in the rows, so far.

    Attributes:
        plies: `[T]` int64, number of moves made.
        random_plies: `[T]` int64, every move before this ply is random.
        winners: `[T]` int64, the outcome; 0 during the game.
        is_planted: `[T]` bool, whether the search from the state of the board has begun.
        budgets: `[P]` int64, simulations for the search before each move.
        temperatures: `[P]`, of the draw from D; 0 plays the search's choice.
        randomness: `[T, 2]` float64, probability of a random move for each player.
        searches: `[T, 2]` bool, whether each player plays the search's choice; else the net's first
            choice. Every move is searched in both cases.
        draws: `[T, P, DRAWS]` float64, random numbers in [0, 1).
        noise: `[T, P, A]` float64, noise for the root before each move; A is 0 without noise.
        states: `[T, P + 1, S]` int8, the states before the moves, and the last one.
        actions: `[T, P]` int64, the moves.
        distributions: `[T, P, A]` float64, D at each state.
        values: `[T, P]` float64, the search's value of each state, seen by its mover.
        is_best: `[T, P]` bool, whether the move is the search's choice.
        is_lost: `[T, P]` bool, whether the state is proven lost, so that all D are equal.
        simulations: `[T]` int64, simulations run for the game.
    """

    plies: Indices
    random_plies: Indices
    winners: Indices
    is_planted: NDArray[np.bool_]
    budgets: Indices
    temperatures: NDArray[np.float64]
    randomness: NDArray[np.float64]
    searches: NDArray[np.bool_]
    draws: NDArray[np.float64]
    noise: NDArray[np.float64]
    states: State
    actions: Indices
    distributions: NDArray[np.float64]
    values: NDArray[np.float64]
    is_best: NDArray[np.bool_]
    is_lost: NDArray[np.bool_]
    simulations: Indices


def new_games(
    rows: int, max_plies: int, state_length: int, num_actions: int, noise: bool = True
) -> Games:
    """Return rows without games; ``noise`` reserves memory for noise."""
    return Games(
        plies=np.zeros(rows, np.int64),
        random_plies=np.zeros(rows, np.int64),
        winners=np.zeros(rows, np.int64),
        is_planted=np.zeros(rows, np.bool_),
        budgets=np.zeros(max_plies, np.int64),
        temperatures=np.zeros(max_plies),
        randomness=np.zeros((rows, 2)),
        searches=np.ones((rows, 2), np.bool_),
        draws=np.zeros((rows, max_plies, DRAWS)),
        noise=np.zeros((rows, max_plies, num_actions if noise else 0)),
        states=np.zeros((rows, max_plies + 1, state_length), np.int8),
        actions=np.zeros((rows, max_plies), np.int64),
        distributions=np.zeros((rows, max_plies, num_actions)),
        values=np.zeros((rows, max_plies)),
        is_best=np.zeros((rows, max_plies), np.bool_),
        is_lost=np.zeros((rows, max_plies), np.bool_),
        simulations=np.zeros(rows, np.int64),
    )


GAMES = record_type(Games, *numba.typeof(tuple(new_games(1, 1, 1, 1))))


@kernel(types.int64(FOREST, types.int64), inner=True)
def first_choice(forest: Forest, row: int) -> int:
    """Return the action with the highest prior at the root of a row; ties go to the lowest.

    The priors are those that the search uses.
    """
    tree = row_of(forest.trees, row)
    best = tree.first_edge[ROOT]
    for edge in range(best, best + tree.edge_count[ROOT]):
        if tree.memory[PRIORS, edge] > tree.memory[PRIORS, best]:
            best = edge
    return int(tree.action[best])


@kernel(types.int64(types.float64[::1], types.float64, types.float64))
def drawn(distribution: NDArray[np.float64], temperature: float, number: float) -> int:
    """Draw an action in proportion to D ** (1 / temperature), by a random number in [0, 1)."""
    highest = 0.0
    for action in range(len(distribution)):
        highest = max(highest, distribution[action])
    total = 0.0
    for action in range(len(distribution)):
        total += (distribution[action] / highest) ** (1.0 / temperature)
    left, last = number * total, 0
    for action in range(len(distribution)):
        if distribution[action] > 0.0:
            left -= (distribution[action] / highest) ** (1.0 / temperature)
            last = action
            if left < 0.0:
                break
    return last


class Moves(NamedTuple):
    """The functions of a variant before and after a search.

    Attributes:
        mix_in: Adds the noise, see ``NOISE``.
        amount: Weight of the noise.
        distribution: Writes D, see ``DISTRIBUTION``.
    """

    mix_in: MixIn
    amount: float
    distribution: Distribution


MOVES = record_type(Moves, NOISE_FUNCTION, types.float64, DISTRIBUTION_FUNCTION)


@kernel(types.void(GIVEN, MOVES, FOREST, GAMES), allocates=True, inner=True)
def make_moves(given: Given, moves: Moves, forest: Forest, games: Games) -> None:
    """Make a move in every game whose search is over, and clear its tree for the next search.

    A tree whose root was initialised since the last call gets its noise and its simulations.

    Args:
        given: The rules, and the settings of the search.
        moves: The variant's.
        forest: The searches; changed in place, ``NOBODY`` marks a row whose game is over.
        games: The games; changed in place.
    """
    rules = given.rules
    legal = np.empty(games.distributions.shape[2], np.int64)
    for row in range(len(games.plies)):
        root_state = forest.root_states[row]
        if root_state[0] == NOBODY or forest.trees.used[row, NODES] == 0:
            continue
        if not games.is_planted[row]:
            games.is_planted[row] = True
            budget = games.budgets[games.plies[row]]
            forest.left[row] = forest.trees.used[row, BUDGET] = budget
            noise = games.noise[row, games.plies[row]]
            moves.mix_in(row_of(forest.trees, row), moves.amount, noise)
        tree = row_of(forest.trees, row)
        if forest.left[row] > 0 and tree.outcome[ROOT] == GOES_ON:
            continue
        ply, mover = games.plies[row], int(root_state[0])
        found = games.distributions[row, ply]
        best = moves.distribution(tree, given.settings, found)
        games.values[row, ply] = root_value(tree, found)
        games.is_lost[row, ply] = tree.outcome[ROOT] == 3 - mover
        for edge in range(tree.edge_count[ROOT]):
            games.simulations[row] += tree.visit_counts[edge]
        numbers = games.draws[row, ply]
        if ply < games.random_plies[row] or numbers[0] < games.randomness[row, mover - 1]:
            action = legal[int(numbers[1] * rules.legal_actions(root_state, legal))]
        elif not games.searches[row, mover - 1]:
            action = first_choice(forest, row)
        elif games.temperatures[ply] > 0.0:
            action = drawn(found, games.temperatures[ply], numbers[1])
        else:
            action = best
        games.is_best[row, ply] = action == best
        games.actions[row, ply] = action
        games.plies[row] = ply + 1
        games.winners[row] = rules.play(root_state, action)
        copy_state(root_state, games.states[row, ply + 1])
        forest.left[row] = 0
        forest.trees.used[row, NODES] = forest.trees.used[row, EDGES] = 0
        games.is_planted[row] = False
        if games.winners[row] != GOES_ON:
            root_state[0] = NOBODY


@kernel(types.void(GIVEN, PROCESSES, FOREST, RNG, MOVES, GAMES))
def advance(
    given: Given,
    processes: Processes,
    forest: Forest,
    rng: np.random.Generator,
    moves: Moves,
    games: Games,
) -> None:
    """Back up the evaluations, make the moves of finished searches, and find the next leaves.

    One kernel for all three, as passing the arguments from Python takes longer than many a step.
    """
    take_values(given, processes, forest, rng)
    make_moves(given, moves, forest, games)
    find_leaves(given, processes, forest, rng)
