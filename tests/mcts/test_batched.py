"""Searches in lockstep: each is the search that it would be alone, and the twin's."""

import time
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mcts import BatchedMCTS, search_variant, tree_policy
from mcts.root_noise import RootNoise
from state_manager import State, StateError, StateManager, make_game
from tests.exact_play import ExactPlay
from tests.mcts.naive_mcts import Node
from tests.mcts.naive_variants import NaiveNMCTSPaper, NaivePUCT, NaiveVariant

GAMES: dict[str, dict[str, Any]] = {
    "hex": {"size": 4},
    "tic_tac_toe": {},
    "hexapawn": {},
    "nim": {"stones": 12, "max_take": 3},
}


class Opinions:
    """A net of random numbers, and what it says about a single state."""

    def __init__(self, game: StateManager) -> None:
        rng = np.random.default_rng(8)
        self.game = game
        self.weights = rng.normal(size=(game.state_length, game.num_actions + 1))
        self.sizes: set[int] = set()

    def __call__(self, states: NDArray[np.int8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Answer for each row on its own, so that nothing depends on the batch."""
        self.sizes.add(len(states))
        answers = np.stack([np.sin(row.astype(float) @ self.weights) for row in states])
        answers = answers.astype(np.float32)
        return answers[:, :-1], answers[:, -1]

    def value(self, state: State, rng: np.random.Generator) -> float:
        return float(self(state[None])[1][0])

    def prior(self, state: State) -> NDArray[np.float64]:
        logits = self(state[None])[0][0].astype(np.float64)
        legal = self.game.legal_actions(state)
        shares = np.exp(logits[legal] - logits[legal].max())
        policy = np.zeros(self.game.num_actions)
        policy[legal] = shares / sum(shares.tolist())
        return policy


def some_states(game: StateManager, count: int) -> list[State]:
    """Return states of a few plies."""
    rng = np.random.default_rng(2)
    states = []
    for number in range(count):
        state = game.initial_state(1 + number % 2)
        for _ in range(number % 3):
            state = game.child_state(state, int(rng.choice(game.legal_actions(state))))
        states.append(state)
    return states


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(
    ("policy", "twin_class", "constant"),
    [("puct", NaivePUCT, 0.0), ("n_mcts_paper", NaiveNMCTSPaper, 3.0)],
)
def test_each_game_of_a_batch_is_searched_as_by_the_twin(
    name: str, policy: str, twin_class: type[NaiveVariant], constant: float
) -> None:
    game = make_game(name, **GAMES[name])
    net, states = Opinions(game), some_states(game, 5)
    search = BatchedMCTS(
        game,
        net,
        tree_policy(policy),
        games=7,
        exploration=0.8,
        settings={"prior_weight": constant},
        simulations=150,
    )
    for _ in range(2):  # a second search begins with fresh trees
        results = search.search(states)
        for state, result in zip(states, results, strict=True):
            twin = twin_class(game, lambda state, rng: 0, 1, 0.8, constant, net.prior)
            twin.evaluate = net.value
            root: Node = twin.search(state, 150)
            counts = [root.counts.get(action, 0) for action in range(game.num_actions)]
            assert result.visit_counts.tolist() == counts
            assert result.q_values.tolist() == pytest.approx(
                [root.q(action) for action in range(game.num_actions)]
            )
            assert result.simulations == 150
    assert 7 in net.sizes - {1}
    assert net.sizes <= {1, 7}  # padded, whatever was asked


def test_a_game_gets_the_same_in_any_company() -> None:
    game = make_game("hex", size=4)
    states = some_states(game, 6)
    noise = RootNoise(0.25, 0.3)

    def counts(some: list[int]) -> dict[int, list[int]]:
        search = BatchedMCTS(
            game, Opinions(game), tree_policy("puct"), games=6, simulations=60, root_noise=noise
        )
        generators = [np.random.default_rng(number) for number in some]
        results = search.search([states[number] for number in some], generators)
        return {
            number: result.visit_counts.tolist()
            for number, result in zip(some, results, strict=True)
        }

    together = counts([0, 1, 2, 3, 4, 5])
    assert counts([4, 1]) == {4: together[4], 1: together[1]}
    assert counts([5]) == {5: together[5]}


def test_proofs_end_a_batch_early_and_are_true() -> None:
    game = make_game("hexapawn")
    exact, states = ExactPlay(game), some_states(game, 9)
    search = BatchedMCTS(
        game, Opinions(game), tree_policy("puct"), games=9, simulations=10_000, solver=True
    )
    results = search.search(states)
    assert max(result.simulations for result in results) < 10_000
    for state, result in zip(states, results, strict=True):
        assert result.best_action in exact.best_actions(state)


def test_a_deadline_ends_a_batch() -> None:
    game = make_game("hex", size=4)
    search = BatchedMCTS(game, Opinions(game), tree_policy("puct"), simulations=10_000_000)
    (result,) = search.search([game.initial_state()], deadline=time.perf_counter() + 0.05)
    assert 1 <= result.simulations < 10_000_000
    search.time_limit = 1e-9
    assert search.search([game.initial_state()])[0].simulations == 1


def test_mistakes_are_named() -> None:
    game = make_game("tic_tac_toe")
    net, puct = Opinions(game), tree_policy("puct")
    search = BatchedMCTS(game, net, puct, games=2, root_noise=RootNoise(0.1, 1.0))
    state = game.initial_state()
    with pytest.raises(ValueError, match="expected 1 to 2 states, got 3"):
        search.search([state] * 3)
    with pytest.raises(ValueError, match="expected 1 to 2 states, got 0"):
        search.search([])
    with pytest.raises(ValueError, match="generators"):
        search.search([state])
    for action in (0, 3, 1, 4, 2):
        state = game.child_state(state, action)
    with pytest.raises(StateError, match="not final"):
        search.search([state])
    with pytest.raises(ValueError, match="without rollouts"):
        BatchedMCTS(game, net, search_variant("uct", "quality"))
    with pytest.raises(ValueError, match="without rollouts"):
        BatchedMCTS(game, net, tree_policy("uct_rave"))
    with pytest.raises(ValueError, match="priors"):
        BatchedMCTS(game, net, tree_policy("uct"), root_noise=RootNoise(0.1, 1.0))
    with pytest.raises(ValueError, match="at least 1"):
        BatchedMCTS(game, net, puct, games=0)
