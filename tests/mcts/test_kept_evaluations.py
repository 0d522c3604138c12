"""Kept evaluations: states that come again are not evaluated again, with the same results."""

import numpy as np
import pytest
from numpy.typing import NDArray

from mcts import MCTS, SearchResult, kept_evaluations, search_variant
from state_manager import State, StateManager, make_game
from tests.mcts.opinions import RandomNet

SIMULATIONS = 60
LITTLE = 0.004  # megabytes: room for seven nodes


class Watched(RandomNet):
    """A random net that remembers the states of each batch."""

    def __init__(self, game: StateManager) -> None:
        super().__init__(game)
        self.seen: list[bytes] = []

    def __call__(
        self, states: NDArray[np.int8], legal: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Evaluate; a state that fills a batch up, or is in it twice, is remembered once."""
        self.seen += {state.tobytes() for state in states}
        return super().__call__(states, legal)


def searched(
    net: Watched, states: list[State], games: int, megabytes: float = 1.0
) -> tuple[list[SearchResult], int]:
    """Search each state; return the results and how many evaluations had been made before.

    ``megabytes`` is the memory of each tree.
    """
    variant = search_variant("puct")
    search = MCTS(net.game, SIMULATIONS, variant=variant, evaluate=net, games=games)
    search.memory = games * megabytes
    net.seen.clear()
    results = search.search_each(states, SIMULATIONS)
    return results, len(net.seen) - len(set(net.seen))


def test_the_same_searches_with_fewer_evaluations(monkeypatch: pytest.MonkeyPatch) -> None:
    game = make_game("hex", size=4)
    root = game.initial_state()
    states = [root, *(game.child_state(root, action) for action in range(16))]
    net = Watched(game)
    alone, repeated = searched(net, states, 1)  # nothing is kept
    assert repeated > 100
    beside, repeated = searched(net, states, 3)
    assert repeated == 0
    monkeypatch.setattr(kept_evaluations, "_BYTES", 2000)  # many states share a place
    crowded, repeated = searched(net, states, 3)
    assert repeated > 100
    for results in (beside, crowded):
        for result, twin in zip(results, alone, strict=True):
            assert result.visit_counts.tolist() == twin.visit_counts.tolist()
            assert result.value == twin.value


def test_states_that_are_longer_than_their_actions_have_places_of_their_own() -> None:
    game = make_game("connect_four")
    net, root = Watched(game), game.initial_state()
    states = [root, *(game.child_state(root, action) for action in range(7))] * 3
    assert searched(net, states, 1)[1] > 200
    assert searched(net, states, 2)[1] < 20


def test_the_same_searches_in_full_trees() -> None:
    game = make_game("hex", size=4)
    net, states = Watched(game), [game.child_state(game.initial_state(), a) for a in range(16)]
    beside, alone = (searched(net, states, games, LITTLE)[0] for games in (3, 1))
    assert [result.value for result in beside] == [twin.value for twin in alone]


def test_a_net_that_has_learned_is_asked_again() -> None:
    game = make_game("hex", size=4)
    net, states = RandomNet(game), [game.initial_state()] * 2
    search, fresh = (
        MCTS(game, SIMULATIONS, variant=search_variant("puct"), evaluate=net, games=2)
        for _ in range(2)
    )
    before = search.search_all(states)
    net.weights *= 2.0
    search.reset()
    after, expected = search.search_all(states), fresh.search_all(states)
    assert [each.value for each in after] == [each.value for each in expected]
    assert before[0].value != after[0].value
