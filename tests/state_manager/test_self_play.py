"""A game that a policy plays against itself, in one compiled call, and its draws."""

import math

import numpy as np
import pytest

from state_manager import State, StateManager, make_game
from state_manager.draw import draw
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
    [Choice(), Choice(0.3, 2), Choice(2.0, FOREVER, 0.4), Choice(0, FOREVER, 0.2), Choice(1.0, 0)],
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


@pytest.mark.parametrize("temperature", [0.25, 0.5, 1.0, 3.0])
def test_a_place_is_drawn_by_its_weight_to_the_power_of_one_over_t(temperature: float) -> None:
    weights = np.array([0.2, 0.0, 0.5, 0.3, 9.0])
    numbers = (np.arange(10_000) + 0.5) / 10_000
    drawn = [draw(weights, 4, temperature, number) for number in numbers]
    assert drawn == sorted(drawn)
    expected = weights[:4] ** (1 / temperature)
    shares = np.bincount(drawn, minlength=4) / len(drawn)
    assert shares == pytest.approx(expected / expected.sum(), abs=2e-4)
    assert shares[1] == 0.0


def test_temperature_0_takes_the_first_of_the_highest() -> None:
    assert draw(np.array([0.1, 0.4, 0.4, 0.1]), 4, 0.0, 0.9) == 1


def test_tiny_weights_at_a_low_temperature_are_never_drawn_but_do_no_harm() -> None:
    for weights, place in (([1e-300, 1e-200, 1e-100], 2), ([0.0, 1e-300, 0.0], 1)):
        assert {draw(np.array(weights), 3, 0.01, n) for n in (0.0, 0.5, 0.999999)} == {place}
