"""Self-play of a policy without a search: a whole game in one call.

Letters: S length of a state, A actions, P plies of the longest game.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import deferred_interrupts, kernel, record_type
from state_manager.draw import draw
from state_manager.policy import POLICY, Policy
from state_manager.rules import GOES_ON, INDICES, RNG, RULES, Indices, Rules, State, copy_state
from state_manager.state_manager import StateManager

WEIGHTS = types.float64[::1]
Weights = NDArray[np.float64]


FOREVER = 2**62
"""More moves than any game has."""


class Choice(NamedTuple):
    """The choice of moves from a policy's probabilities.

    Attributes:
        temperature: Of ``draw``; 0 takes the most probable move.
        drawn_moves: The number of moves that are drawn; later ones are the most probable.
        epsilon: The probability of a uniformly random legal move instead.
    """

    temperature: float = 1.0
    drawn_moves: int = FOREVER
    epsilon: float = 0.0


CHOICE = record_type(Choice, types.float64, types.int64, types.float64)


@kernel(
    types.int64(RULES, POLICY, CHOICE, types.int8[:, ::1], INDICES, WEIGHTS, RNG), allocates=True
)
def play_to_the_end(
    rules: Rules,
    policy: Policy,
    choice: Choice,
    states: State,
    actions: Indices,
    probabilities: Weights,
    rng: np.random.Generator,
) -> int:
    """Play from ``states[0]``; fill in actions and states, and return the number of actions."""
    legal = np.empty(len(probabilities), np.int64)
    outcome = GOES_ON
    ply = 0
    while outcome == GOES_ON:
        state = states[ply + 1]
        copy_state(states[ply], state)
        count = rules.legal_actions(state, legal)
        if rng.random() < choice.epsilon:
            place = int(rng.random() * count)
        else:
            policy.prior(rules.active_features, policy.net, state, legal, count, probabilities)
            temperature = choice.temperature if ply < choice.drawn_moves else 0.0
            number = rng.random() if temperature > 0.0 else 0.0
            place = draw(probabilities, count, temperature, number)
        actions[ply] = legal[place]
        outcome = rules.play(state, legal[place])
        ply += 1
    return ply


@deferred_interrupts()
def play_against_itself(
    game: StateManager,
    policy: Policy,
    state: State,
    rng: np.random.Generator,
    choice: Choice,
) -> tuple[Indices, State]:
    """Play a game from a state that is not final, both players by the prior of one policy.

    No other thread may use its net. Return the actions and the states before and after them.
    """
    states = np.empty((game.max_plies + 1, game.state_length), np.int8)
    actions = np.empty(game.max_plies, np.int64)
    states[0] = game.checked(state)
    probabilities = np.empty(game.num_actions)
    plies = play_to_the_end(game.rules, policy, choice, states, actions, probabilities, rng)
    return actions[:plies], states[: plies + 1]
