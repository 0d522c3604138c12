"""Bounds of rewards, depth limits, noise at the root, and the parameters of a variant."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from base.methods import Method
from base.params.search_section import VariantParams
from mcts import MCTS, Variant, make_variant, search_variant
from mcts.priors import RootNoise
from mcts.tree import ROOT, edges_of
from state_manager import make_game
from tests.mcts.fake_policy import fake_policy
from tests.mcts.naive_mcts import NaiveMCTS, Node, by_playing, uniformly
from tests.mcts.opinions import RandomNet
from tests.mcts.trees import HEX, TIC_TAC_TOE, after, counts_of, go_to, nodes_with_states


def test_rewards_stay_within_one_and_without_weight_they_are_plain() -> None:
    game, variant = make_game("hex", size=3), search_variant("uct", "quality")
    wild = MCTS(game, 500, variant=variant.with_settings(bonus_weight=50.0), seed=1)
    wild.search(game.initial_state())
    assert np.abs(wild.tree.edges.q_value).max() <= 1.0
    plain = MCTS(game, 500, variant=Variant(Method("uct", needs_moves=True)), seed=1)
    same = MCTS(game, 500, variant=variant.with_settings(bonus_weight=0.0), seed=1)
    counts = [each.search(game.initial_state()).visit_counts.tolist() for each in (plain, same)]
    assert counts[0] == counts[1]


class NaiveDepth(NaiveMCTS):
    """UCT that evaluates again at the depth limit."""

    max_depth = 2

    def simulate(self, node: Node) -> float:
        if len(self.played) == self.max_depth and not self.game.is_final(node.state):
            value = self.evaluate(node.state, self.rng)
            node.visits += 1
            return value
        return super().simulate(node)


def test_a_search_to_a_depth_is_that_of_the_twin() -> None:
    game, state = TIC_TAC_TOE, TIC_TAC_TOE.initial_state()
    variant = Variant(Method("uct", needs_moves=True)).with_settings(max_depth=2.0)
    search = MCTS(game, variant=variant, seed=5)
    twin = NaiveDepth(game, 1.0, 5, by_playing(game, uniformly(game)))
    result, root = search.search(state, 400), twin.search(state, 400)
    assert result.visit_counts.tolist() == counts_of(root, game)
    plies = [np.count_nonzero(end[1:]) for _, end in nodes_with_states(game, search.tree, state)]
    assert max(plies) == 2
    inner = np.count_nonzero(search.tree.nodes[: search.tree.size.nodes].edge_count)
    assert inner == 1 + 9  # nodes at the limit have no edges, which would only fill the tree


@pytest.mark.parametrize("inside", [True, False])
def test_noise_blurs_the_roots_priors_and_no_others(inside: bool) -> None:
    policy = fake_policy(HEX, seed=3, epsilon=0.4)
    net: Any = {"rollout_policy": policy} if inside else {"evaluate": RandomNet(HEX)}
    state, priors = HEX.initial_state(), []
    for seed, noise in [(1, None), (2, RootNoise(0.25, 0.3)), (1, RootNoise(0.25, 0.3))]:
        variant = replace(search_variant("puct"), root_noise=noise)
        search = MCTS(HEX, 200, variant=variant, seed=seed, **net)
        best = search.search(state).best_action
        priors.append(priors_of(search, ROOT))
    clean = priors[0]
    assert [each.sum() for each in priors] == pytest.approx([1.0, 1.0, 1.0])
    assert not np.allclose(priors[1], priors[2])
    for noisy in priors[1:]:
        assert np.all(noisy >= 0.75 * clean - 1e-12)
        assert not np.allclose(noisy, clean)
    below = priors_of(search, int(search.tree.edges[best].child))
    go_to(search, best)
    assert np.array_equal(priors_of(search, ROOT), below)
    assert search.search(after(HEX, [best])).visit_counts.sum() > 200, "the tree was kept"
    blurred = priors_of(search, ROOT)
    assert blurred.sum() == pytest.approx(1.0)
    assert np.all(blurred >= 0.75 * below - 1e-12)
    assert not np.allclose(blurred, below)


def priors_of(search: MCTS, node: int) -> NDArray[np.float64]:
    priors: NDArray[np.float64] = search.tree.priors[edges_of(search.tree, node)].copy()
    return priors


def test_parameters_become_a_variant() -> None:
    assert make_variant(VariantParams()) == Variant()
    params = VariantParams(tree_policy="puct", root_noise=0.5, solver=True, max_depth=3)
    variant = make_variant(params, exploration=2.0)
    expected = replace(search_variant("puct"), solver=True, root_noise=RootNoise(0.5, 0.3))
    assert variant == expected.with_settings(exploration=2.0, max_depth=3.0)
