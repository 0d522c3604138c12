"""Several leaves of one tree wait for an evaluation together."""

from dataclasses import replace
from itertools import count, permutations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from judge import ExactPlay
from mcts import MCTS, Variant, search_variant
from state_manager import StateManager, make_game
from tests.mcts.opinions import RandomNet, some_states
from tests.mcts.trees import after, assert_visits_add_up, small_game

BATCHED = replace(search_variant("puct_fpu"), leaves=16)
SOLVER = replace(BATCHED.with_settings(look_ahead=1.0), solver=True)


@pytest.mark.parametrize("name", ["puct", "puct_fpu"])
@pytest.mark.parametrize("variant", [BATCHED, SOLVER])
def test_no_leaf_waits_twice_and_all_visits_are_counted_once(
    monkeypatch: pytest.MonkeyPatch, name: str, variant: Variant
) -> None:
    game, sizes, evaluate = small_game("hex"), [0], MCTS.evaluate_batch

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
        assert_visits_add_up(search.tree)


@pytest.mark.parametrize(("size", "plies"), [(3, 2), (4, 4)])
def test_proven_results_are_right(size: int, plies: int) -> None:
    game = make_game("hex", size=size)
    exact, search = ExactPlay(game), MCTS(game, 300, variant=SOLVER, evaluate=RandomNet(game))
    proven = 0
    for opening in list(permutations(range(size * size), plies))[:: 1 if size == 3 else 1997]:
        state = after(game, opening)
        result = search.search(state)
        if result.outcome:
            proven += 1
            assert result.outcome == exact.outcome(state)
            wins = result.outcome == game.to_play(state)
            assert not wins or result.best_action in exact.best_actions(state)
    assert proven > 5


def test_an_evaluation_that_fails_leaves_no_visits_behind(hex_game: StateManager) -> None:
    net, state, calls = RandomNet(hex_game), hex_game.initial_state(), count()

    def failing(states: NDArray[np.int8], legal: NDArray[np.bool_]) -> Any:
        if next(calls) == 20:
            raise RuntimeError("no idea")
        return net(states, legal)

    search = MCTS(hex_game, 300, variant=BATCHED, evaluate=failing)
    alone = MCTS(hex_game, 300, variant=BATCHED, evaluate=net)
    with pytest.raises(RuntimeError, match="no idea"):
        search.search(state)
    assert search.search(state).visit_counts.tolist() == alone.search(state).visit_counts.tolist()
