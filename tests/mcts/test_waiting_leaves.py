"""Several leaves of one tree wait for an evaluation together."""

from dataclasses import replace
from itertools import count, permutations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from judge import ExactPlay
from mcts import MCTS, Variant, search_variant
from mcts.tree import UNEXPANDED
from state_manager import make_game
from tests.mcts.opinions import RandomNet, some_states

BATCHED = replace(search_variant("puct_fpu"), leaves=16)
SOLVER = replace(BATCHED.with_settings(look_ahead=1.0), solver=True)


@pytest.mark.parametrize("name", ["puct", "puct_fpu"])
@pytest.mark.parametrize("variant", [BATCHED, SOLVER])
def test_no_leaf_waits_twice_and_all_visits_are_counted_once(
    monkeypatch: pytest.MonkeyPatch, name: str, variant: Variant
) -> None:
    game, sizes, evaluate = make_game("hex", size=4), [0], MCTS.evaluate_batch

    def checked(search: MCTS, size: int) -> None:
        waits, paths = search.slots.waits[0], search.slots.paths
        depths = paths.end.depth[0, waits]
        last = paths.edges[0, waits, depths - 1].tolist()
        assert len(set(last)) == len(last)
        sizes.append(len(last))
        evaluate(search, size)

    monkeypatch.setattr(MCTS, "evaluate_batch", checked)
    policy = search_variant(name).tree_policy
    search = MCTS(game, 400, variant=replace(variant, tree_policy=policy), evaluate=RandomNet(game))
    for state in some_states(game, 4):
        result = search.search(state)
        assert variant is SOLVER or max(sizes) > 8
        assert result.simulations == 400 or result.outcome
        tree = search.tree
        for node in range(tree.size.nodes):
            first = tree.nodes[node].first_edge
            edges = range(first, first + tree.nodes[node].edge_count)
            visits = sum(int(tree.edges[edge].visit_count) for edge in edges)
            assert tree.nodes[node].edge_count == 0 or tree.nodes[node].visit_count == visits + (
                node > 0
            )
            for edge in edges:
                child, q = tree.edges[edge].child, tree.edges[edge].q_value
                if child == UNEXPANDED:
                    assert (tree.edges[edge].visit_count, q) in (
                        (0, 0.0),
                        (0, np.inf),
                        (0, -np.inf),
                    )
                else:
                    assert tree.edges[edge].visit_count == tree.nodes[child].visit_count
                    mean = tree.nodes[child].total_value / tree.nodes[child].visit_count
                    assert np.isinf(q) or q == pytest.approx(mean)


@pytest.mark.parametrize(("size", "plies"), [(3, 1), (3, 2), (4, 4)])
def test_proven_results_are_right(size: int, plies: int) -> None:
    game = make_game("hex", size=size)
    exact, search = ExactPlay(game), MCTS(game, 1000, variant=SOLVER, evaluate=RandomNet(game))
    proven = 0
    for opening in list(permutations(range(size * size), plies))[:: 1 if size == 3 else 997]:
        state = game.initial_state(1)
        for action in opening:
            state = game.child_state(state, action)
        result = search.search(state)
        if result.outcome:
            proven += 1
            assert result.outcome == exact.outcome(state)
            wins = result.outcome == game.to_play(state)
            assert not wins or result.best_action in exact.best_actions(state)
    assert proven > 5


def test_leaves_that_nothing_keeps_apart_cannot_wait_together() -> None:
    game = make_game("hex", size=3)
    with pytest.raises(ValueError, match="expected leaves 1 of a variant without waiting, got 8"):
        MCTS(game, variant=Variant(leaves=8), evaluate=RandomNet(game))


def test_an_evaluation_that_fails_leaves_no_visits_behind() -> None:
    game = make_game("hex", size=4)
    net = RandomNet(game)

    calls = count()

    def failing(states: NDArray[np.int8], legal: NDArray[np.bool_]) -> Any:
        if next(calls) == 20:
            raise RuntimeError("no idea")
        return net(states, legal)

    search = MCTS(game, 300, variant=BATCHED, evaluate=failing)
    alone = MCTS(game, 300, variant=BATCHED, evaluate=net)
    state = game.initial_state()
    with pytest.raises(RuntimeError, match="no idea"):
        search.search(state)
    assert search.search(state).visit_counts.tolist() == alone.search(state).visit_counts.tolist()
