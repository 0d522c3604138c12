"""A game that a policy plays against itself, in one compiled call, against its slow twin."""

import math

import numpy as np
import pytest

from state_manager import State, StateManager, make_game
from state_manager.policy_games import FOREVER, Choice, play_against_itself
from tests.mcts.fake_policy import fake_policy, taste_twin

GAMES: dict[str, dict[str, object]] = {
    "hex": {"size": 4},
    "nim": {"stones": 12, "max_take": 4},
    "ledge": {"board": [0, 1, 0, 2, 1]},
    "hexapawn": {},
}


def naive_game(
    game: StateManager, state: State, rng: np.random.Generator, choice: Choice
) -> list[int]:
    """Play the same game as the kernel, move by move."""
    prior = taste_twin(game, fake_policy(game, 3, epsilon=0.0))
    actions: list[int] = []
    while not game.is_final(state):
        legal = game.legal_actions(state).tolist()
        probabilities = [prior(state)[action] for action in legal]
        likeliest = legal[int(np.argmax(probabilities))]
        if rng.random() < choice.epsilon:
            action = legal[int(rng.random() * len(legal))]
        elif choice.temperature == 0.0 or len(actions) >= choice.drawn_moves:
            action = likeliest
        else:
            highest = max(probabilities)
            logs = [math.log(p / highest) for p in probabilities]
            weights = [math.exp(log / choice.temperature) for log in logs]
            left = rng.random() * sum(weights)
            places = np.flatnonzero(np.cumsum(weights) > left)
            action = legal[int(places[0])]
        actions.append(action)
        state = game.child_state(state, action)
    return actions


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(
    "choice",
    [
        Choice(),
        Choice(0.3, 2),
        Choice(2.0, FOREVER, 0.4),
        Choice(0.0, FOREVER, 0.2),
        Choice(1.0, 0),
    ],
)
def test_a_game_equals_the_game_of_its_twin(name: str, choice: Choice) -> None:
    game = make_game(name, **GAMES[name])
    for seed in range(8):
        start = game.initial_state(1 + seed % 2)
        actions, states = play_against_itself(
            game,
            fake_policy(game, 3, epsilon=0.0),
            start,
            np.random.default_rng(seed),
            choice,
        )
        rng = np.random.default_rng(seed)
        assert actions.tolist() == naive_game(game, start, rng, choice)
        assert np.array_equal(states[0], start)
        for state, action, child in zip(states, actions, states[1:], strict=False):
            assert np.array_equal(game.child_state(state, int(action)), child)
        assert len(states) == len(actions) + 1
        assert game.is_final(states[-1])
