"""Gumbel roots: the twin, the schedule, noise, proofs, and fresh trees."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mcts import MCTS, SearchResult, search_variant
from mcts.priors import GumbelNoise
from mcts.settings import new_settings
from mcts.variants.gumbel import improved_policy, visits_wanted
from state_manager import StateManager, make_game
from state_manager.policy import Policy
from tests.mcts.fake_policy import fake_policy, favourite_twin, opinion_twin, taste_twin
from tests.mcts.naive_gumbel import NaiveGumbel, halving
from tests.mcts.naive_mcts import Node, by_playing
from tests.mcts.opinions import RandomNet, some_states
from tests.mcts.trees import HEX, TIC_TAC_TOE, after, counts_of, nested, one_root, small_game

GUMBEL = search_variant("gumbel")
GAMES = ["hex", "tic_tac_toe", "nim", "ledge"]


@pytest.mark.parametrize("considered", [1, 2, 3, 7, 8, 16])
@pytest.mark.parametrize("budget", [1, 2, 7, 16, 32, 100])
def test_the_schedule_is_the_twins(considered: int, budget: int) -> None:
    wanted = [visits_wanted(simulation, budget, considered) for simulation in range(budget)]
    assert wanted == halving(considered, budget)


def assert_equal_choices(
    game: StateManager, result: SearchResult, twin: NaiveGumbel, root: Node
) -> None:
    policy, best = twin.found(root)
    assert result.visit_counts.tolist() == counts_of(root, game)
    assert result.distribution == pytest.approx(policy)
    assert result.best_action == best


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("solver", [False, True])
@pytest.mark.parametrize(("simulations", "considered"), [(9, 8), (40, 3), (40, 40)])
def test_rows_of_games_are_searched_as_by_the_twin(
    name: str, solver: bool, simulations: int, considered: int
) -> None:
    game = small_game(name)
    net, states = RandomNet(game), some_states(game, 4)
    variant = replace(GUMBEL, solver=solver, root_noise=GumbelNoise(0.7))
    variant = variant.with_settings(exploration=0.8, value_discount=0.9, considered=considered)
    search = MCTS(game, simulations, variant=variant, evaluate=net, games=5)
    for number in range(2):
        generators = [np.random.default_rng((number, row)) for row in range(len(states))]
        results = search.search_all(states, noise=generators)
        for row, (state, result) in enumerate(zip(states, results, strict=True)):
            twin = NaiveGumbel(game, lambda state, rng: 0, 1, 0.8, prior=net.prior)
            twin.evaluate, twin.discount, twin.considered = net.value, 0.9, considered
            twin.solver = solver
            twin.value = lambda state: net.value(state, search._rng)  # type: ignore[method-assign]
            noise = np.random.default_rng((number, row)).gumbel(size=game.num_actions)
            twin.gumbels = (0.7 * noise[game.legal_actions(state)]).tolist()
            root = twin.search(state, simulations)
            assert result.outcome == root.outcome
            assert_equal_choices(game, result, twin, root)
        states = [
            game.child_state(state, result.best_action)
            for state, result in zip(states, results, strict=True)
        ]
        states = [state for state in states if not game.is_final(state)]
        if not states:
            break


@pytest.mark.parametrize("sigma", [0.0, 1.0])
def test_a_critic_inside_judges_the_root_and_the_leaves(sigma: float) -> None:
    game = make_game("hex", size=3)
    policy = fake_policy(game, 3, epsilon=0.2)
    variant = GUMBEL.with_settings(exploration=0.8, rollout_probability=sigma, value_discount=0.8)
    search = MCTS(game, 50, variant=variant, rollout_policy=policy, seed=3)
    twin = NaiveGumbel(game, lambda state, rng: 0, 3, 0.8, prior=taste_twin(game, policy))
    twin.discount = 0.8
    if sigma == 0.0:
        twin.evaluate = lambda state, rng: opinion_twin(game, state)
    else:
        twin.evaluate = by_playing(game, favourite_twin(game, policy))
    state = game.initial_state()
    for action in (4, 0, 8):
        result, root = search.search(state), twin.search(state, 50)
        assert_equal_choices(game, result, twin, root)
        state = game.child_state(state, action)


def test_every_search_begins_with_a_fresh_tree_and_gets_its_whole_budget() -> None:
    search, anew = (MCTS(HEX, 48, variant=GUMBEL, evaluate=RandomNet(HEX)) for _ in range(2))
    first = search.search(HEX.initial_state())
    assert first.visit_counts.sum() == 48
    child = after(HEX, [first.best_action])
    for each in (search, search, anew):
        assert each.search(child).visit_counts.sum() == 48
    assert nested(search.tree) == nested(anew.tree)


def test_several_proven_wins_share_the_improved_policy_by_their_priors() -> None:
    tree, out = one_root(1, [1, 1, 0], [np.inf, np.inf, 0.0], [1, 2, 4]), np.empty(5)
    tree.priors[:] = [0.5, 0.3, 0.2]
    tree.root_logits[[1, 2, 4]] = np.log(tree.priors)
    assert improved_policy(tree, new_settings({}), out) == 1
    assert out == pytest.approx([0, 5 / 8, 3 / 8, 0, 0])


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(("games", "batches"), [(5, {30, 40}), (1, {1, 2, 4, 8})])
@pytest.mark.parametrize("looks", [0.0, 1.0])
def test_leaves_that_wait_together_are_below_different_actions_and_change_nothing(
    name: str, games: int, batches: set[int], looks: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """These games are so small that proofs take candidates out."""
    game, states = small_game(name), some_states(small_game(name), games)
    sizes, evaluate = list[int](), MCTS.evaluate_batch

    def checked(search: MCTS, size: int) -> None:
        for row in range(games):
            edges = search.slots.paths.edges[row, search.slots.waits[row], 0]
            assert len(set(edges.tolist())) == len(edges)
        sizes.append(size)
        evaluate(search, size)

    monkeypatch.setattr(MCTS, "evaluate_batch", checked)
    variant = replace(GUMBEL, solver=True, root_noise=GumbelNoise(0.7))
    variant = variant.with_settings(look_ahead=looks)
    found = []
    for leaves in (1, 8):
        sizes.clear()
        one = replace(variant, leaves=leaves)
        search = MCTS(game, 60, variant=one, evaluate=RandomNet(game), games=games)
        generators = [np.random.default_rng(row) for row in range(games)]
        found.append(search.search_all(states, noise=generators))
    assert set(sizes) - {games} <= batches
    assert max(sizes) > games
    for alone, together in zip(*found, strict=True):
        assert alone.visit_counts.tolist() == together.visit_counts.tolist()
        assert alone.distribution.tolist() == together.distribution.tolist()
        assert (alone.best_action, alone.outcome) == (together.best_action, together.outcome)


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("chosen", [3, 4])
def test_noise_decides_between_the_wins_of_a_solved_root(chosen: int, inside: bool) -> None:
    state = after(TIC_TAC_TOE, (0, 1, 2, 5, 6, 7))  # 3 and 4 win
    numbers = np.zeros(TIC_TAC_TOE.num_actions)
    numbers[chosen] = 9.0
    drawn: Any = SimpleNamespace(gumbel=lambda size: numbers)
    variant = replace(GUMBEL, root_noise=GumbelNoise(1.0)).with_settings(look_ahead=1.0)
    net: Any = {"rollout_policy": Policy()} if inside else {"evaluate": RandomNet(TIC_TAC_TOE)}
    search = MCTS(TIC_TAC_TOE, 20, variant=variant, **net)
    result = search.search_all([state], noise=[drawn])[0]
    assert (result.outcome, result.best_action, result.simulations) == (1, chosen, 0)
