"""Searches in lockstep: each is the search that it would be alone, and the twin's."""

import time
from typing import Any

import numpy as np
import pytest

from mcts import BatchedMCTS, search_variant, tree_policy
from mcts.root_noise import RootNoise
from state_manager import ExactPlay, StateError, make_game
from tests.mcts.naive_mcts import Node
from tests.mcts.naive_variants import NaiveNMCTSPaper, NaivePUCT, NaiveVariant
from tests.mcts.opinions import Opinions, some_states

GAMES: dict[str, dict[str, Any]] = {
    "hex": {"size": 4},
    "tic_tac_toe": {},
    "hexapawn": {},
    "nim": {"stones": 12, "max_take": 3},
}


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
    assert net.sizes == {7}  # padded, whatever was asked


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
