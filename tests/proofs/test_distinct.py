"""Keys of positions: equal where positions are, as ordered as their bytes; slow obvious twins."""

import numpy as np
import pytest

from proofs.distinct import distinct, key_bits, keys_of
from state_manager import State, StateManager, make_game


def naive_key(game: StateManager, state: State, merges: bool) -> bytes:
    """Return the features as bits, filled up to whole words; the first of all images."""
    features = game.observation(state).astype(bool)
    images = [features]
    for symmetry in game.symmetries:
        if merges and not symmetry.swaps_players:
            image = np.empty_like(features)
            image[symmetry.features] = features
            images.append(image)
    return min(
        np.packbits(image).tobytes().ljust(-(-len(image) // 64) * 8, b"\0") for image in images
    )


def random_states(game: StateManager, games: int) -> State:
    rng = np.random.default_rng(3)
    states = []
    for _ in range(games):
        state = game.initial_state(1)
        while not game.is_final(state):
            states.append(state)
            state = game.child_state(state, int(rng.choice(game.legal_actions(state))))
    return np.array(states)


@pytest.mark.parametrize("merges", [False, True])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("hex", {"size": 3}),
        ("hex", {"size": 6}),
        ("tic_tac_toe", {}),
        ("hexapawn", {}),
        ("nim", {"stones": 5, "max_take": 2}),
    ],
)
def test_keys_are_those_of_the_naive_twin(name: str, options: dict[str, int], merges: bool) -> None:
    game = make_game(name, **options)
    states = random_states(game, games=30)
    keys = keys_of(game, key_bits(game, merges), states)
    twins = [naive_key(game, state, merges) for state in states]
    assert [key.tobytes() for key in keys.astype(">u8")] == twins
    first, places = distinct(keys)
    ordered = sorted(set(twins))
    assert [twins.index(key) for key in ordered] == first.tolist()
    assert [ordered.index(key) for key in twins] == places.tolist()
