"""The line that a search expects: a contract for every tree policy."""

from dataclasses import replace

import numpy as np
import pytest

from base.methods import TREE_POLICIES
from judge import ExactPlay
from mcts import MCTS, search_variant
from mcts.result import principal_variation
from mcts.tree import ROOT, UNEXPANDED, Tree, edges_of
from state_manager import make_game
from tests.mcts.fake_policy import fake_policy
from tests.mcts.trees import edge_range, small_game, some_positions


def test_the_line_ends_with_a_move_that_the_search_has_left_out() -> None:
    game = make_game("hex", size=5)
    rows = (0,) * 5, (0, 0, 0, 0, 1), (2, 2, 2, 2, 0), (0,) * 5, (0,) * 5
    state = game.from_flat([1, *(cell for row in rows for cell in row)])
    variant = replace(search_variant("uct"), solver=True).with_settings(look_ahead=1.0)
    search = MCTS(game, 100, variant=variant)
    result = search.search(state)
    searched_actions = search.tree.edges[edges_of(search.tree, ROOT)].action
    left_out = set(game.legal_actions(state)) - set(searched_actions)
    assert left_out
    assert len(principal_variation(search.tree, result.best_action)) > 1
    assert all(principal_variation(search.tree, action) == [action] for action in left_out)


def edge_of(tree: Tree, node: int, action: int) -> int:
    return next(edge for edge in edge_range(tree, node) if tree.edges[edge].action == action)


@pytest.mark.parametrize("name", ["hex", "tic_tac_toe", "nim"])
@pytest.mark.parametrize(("solver", "simulations"), [(False, 150), (True, 150), (True, 4_000)])
@pytest.mark.parametrize("policy", TREE_POLICIES)
def test_the_line_has_the_most_visits_and_follows_a_proof(
    policy: str, solver: bool, simulations: int, name: str
) -> None:
    game = small_game(name)
    exact, proven = ExactPlay(game), 0
    variant = replace(search_variant(policy), solver=solver).with_settings(prior_weight=1.0)
    for state in some_positions(game, 5, seed=5):
        net = fake_policy(game, 3, epsilon=0.4)
        search = MCTS(game, simulations, variant=variant, rollout_policy=net, seed=5)
        result = search.search(state)
        line = principal_variation(search.tree, result.best_action)
        tree, node = search.tree, ROOT
        assert line[0] == result.best_action
        for ply, action in enumerate(line):
            edge, visits = edge_of(tree, node, action), tree.edges.visit_count
            if ply > 0:
                sign = 1 if game.to_play(state) == 1 else -1
                seen = [each for each in edge_range(tree, node) if visits[each] > 0]
                wins = [each for each in seen if sign * tree.edges[each].q_value == np.inf]
                open_ = [each for each in seen if sign * tree.edges[each].q_value > -np.inf]
                assert edge in (wins or open_ or seen)
                assert visits[edge] == max(visits[each] for each in wins or open_ or seen)
            if result.outcome:
                proven += 1
                assert tree.nodes[node].outcome == result.outcome
                assert action in exact.best_actions(state)
            node, state = int(tree.edges[edge].child), game.child_state(state, action)
        assert node == UNEXPANDED or not tree.edges[edges_of(tree, node)].visit_count.any()
    assert proven > 0 or simulations == 150
