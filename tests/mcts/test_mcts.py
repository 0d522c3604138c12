"""The interface of ``MCTS``: results, played moves, and refusals."""

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mcts import MCTS, Variant, search_variant
from mcts.search import run_plainly
from mcts.tree import ROOT, edges_of
from state_manager import StateError, make_game
from state_manager.policy import Policy
from tests.mcts.fake_policy import fake_policy
from tests.mcts.opinions import RandomNet
from tests.mcts.trees import HEX, TIC_TAC_TOE, after


def test_the_distribution_is_the_visit_counts_normalised() -> None:
    state = after(HEX, [5])
    before, result = state.tobytes(), MCTS(HEX, simulations=300, seed=1).search(state)
    assert state.tobytes() == before
    assert result.simulations == 300 == result.visit_counts.sum()
    assert result.visit_counts.dtype == np.int64
    assert np.array_equal(result.distribution, result.visit_counts / 300)
    assert result.visit_counts[5] == result.distribution[5] == result.q_values[5] == 0
    best = result.best_action
    assert result.visit_counts[best] == result.visit_counts.max()
    assert result.thought(best).value == result.q_values[best]
    assert result.seconds > 0.0
    before_the_first = MCTS(HEX).look(state).distribution
    assert before_the_first.tolist() == [1 / 15] * 5 + [0.0] + [1 / 15] * 10


def test_another_state_starts_another_tree() -> None:
    search, other, state = MCTS(HEX, seed=1), HEX.initial_state(2), HEX.initial_state()
    search.search(state, 50)
    state[1] = 1  # which changes the caller's state alone
    assert search.search(HEX.initial_state(), 50).visit_counts.sum() == 100
    assert search.search(other, 50).visit_counts.sum() == 50
    assert search.tree.nodes[ROOT].to_play == 2
    below = after(HEX, (7, 9, 3), starting_player=2)  # farther than the tree is searched
    assert search.search(below, 20).visit_counts.sum() == 20
    assert search.tree.nodes[ROOT].visit_count == 20


@pytest.mark.parametrize("rollouts", ["default", "last_good_reply", "quality"])
def test_reset_drops_the_tree_and_the_memory_of_rollouts_alone(rollouts: str) -> None:
    state, policy = HEX.initial_state(), fake_policy(HEX, seed=3, epsilon=0.4)
    variant = search_variant("uct", rollouts)
    search = MCTS(HEX, 300, variant=variant, rollout_policy=policy, seed=1)
    first = search.search(state).visit_counts.tolist()
    search.reset()
    assert search.tree.size.nodes == 0
    second = search.search(state).visit_counts
    assert second.sum() == 300
    assert second.tolist() != first
    search.reset(np.random.default_rng(1))
    assert search.search(state).visit_counts.tolist() == first


@pytest.mark.parametrize("plies", [1, 2, 3])
def test_the_subtree_of_a_state_up_to_two_moves_later_is_kept(plies: int) -> None:
    search = MCTS(HEX, 2000, seed=1)
    state, node = HEX.initial_state(), ROOT
    search.search(state)
    for _ in range(plies):
        edges = edges_of(search.tree, node)
        edge = edges.start + int(np.argmax(search.tree.edges[edges].visit_count))
        state = HEX.child_state(state, int(search.tree.edges[edge].action))
        node = int(search.tree.edges[edge].child)
    counts = search.tree.edges[edges_of(search.tree, node)].visit_count.sum()
    result = search.search(state, 1)
    assert result.simulations == 1
    assert result.visit_counts.sum() == 1 + (counts if plies < 3 else 0)
    assert counts > 0
    actions = search.tree.edges[edges_of(search.tree, ROOT)].action
    assert actions.tolist() == HEX.legal_actions(state).tolist()


def test_states_that_are_final_or_of_another_game_are_refused() -> None:
    search, final = MCTS(TIC_TAC_TOE, games=2), after(TIC_TAC_TOE, (0, 3, 1, 4, 2))
    with pytest.raises(StateError, match="not final") as caught:
        search.search_all([TIC_TAC_TOE.initial_state(), final])
    assert TIC_TAC_TOE.text(final) in str(caught.value)
    with pytest.raises(StateError, match="tic_tac_toe state"):
        search.search(make_game("hex", size=5).initial_state())


START = HEX.initial_state()
NO_NET = SimpleNamespace(evaluate=lambda states: None)  # easily confused with a net
OUTSIDE: dict[str, Any] = {"evaluate": RandomNet(HEX)}
INSIDE: dict[str, Any] = {"rollout_policy": fake_policy(HEX, 3, epsilon=0.4)}


# Which variants fit which nets is in tests/golden/combinations.txt.
@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"simulations": 0}, ValueError, "got 0 simulations, 1 games"),
        ({"games": 0}, ValueError, "got 500 simulations, 0 games"),
        ({"rollout_policy": NO_NET}, TypeError, "rollout_policy.*got SimpleNamespace"),
        ({"evaluate": NO_NET}, TypeError, "evaluate_batch, got SimpleNamespace"),
        ({**INSIDE, **OUTSIDE}, ValueError, "rollout_policy or evaluate, got both"),
        ({"variant": "puct"}, TypeError, r'search_variant\("puct"\)'),
        ({"variant": ""}, TypeError, "variant: .*got ''"),
        ({"variant": search_variant("puct")}, ValueError, "net with puct"),
        ({"variant": search_variant("gumbel")}, ValueError, "evaluate=net.evaluate_batch"),
        ({"variant": Variant(leaves=8), **OUTSIDE}, ValueError, "leaves 1 .*got 8"),
    ],
)
def test_parts_that_do_not_fit_are_refused_in_a_line_that_names_the_expected_ones(
    given: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as found:
        MCTS(HEX, **given)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"exploration": -0.1}, "exploration.*got -0.1"),
        ({"exploration": math.nan}, "exploration.*got nan"),
        ({"exploration": math.inf}, "exploration.*got inf"),
        ({"rollout_probability": 1.5}, "from 0 to 1, got 1.5"),
        ({"rollout_probability": 0.5}, "sigma: .*critic"),
        ({"speed": 3.0}, "expected a setting"),
    ],
)
def test_settings_out_of_range_are_refused(settings: dict[str, float], message: str) -> None:
    for policy in (None, Policy()):
        with pytest.raises(ValueError, match=message):
            MCTS(HEX, variant=Variant().with_settings(**settings), rollout_policy=policy)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda search: search.set_rollout_policy(None, math.nan), "from 0 to 1"),
        (lambda search: search.search(START, simulations=0), "at least 1 simulation, got 0"),
        (lambda search: search.search_all([]), "1 to 2 states, got 0"),
        (lambda search: search.search_all([START] * 3), "1 to 2 states, got 3"),
    ],
)
def test_a_call_that_does_not_fit_is_refused(call: Callable[[MCTS], None], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(MCTS(HEX, games=2))


def test_uct_with_uniform_rollouts_runs_in_the_faster_loop() -> None:
    assert MCTS(HEX)._inside is run_plainly


@pytest.mark.parametrize(("share", "taken"), [(0.95, 1), (1.05, 0)])
def test_exploration_is_its_formula_after_thousands_of_visits(share: float, taken: int) -> None:
    search, state = MCTS(HEX, seed=1), HEX.initial_state()
    search.search(state, 16)
    tree, counts = search.slots.tree(0), np.array([5000, 4500, *[10_000] * 14])
    bonus = math.sqrt(math.log(counts.sum())) * (1 / math.sqrt(4501) - 1 / math.sqrt(5001))
    tree.nodes[ROOT].visit_count, tree.edges[:16].visit_count = counts.sum(), counts
    tree.edges[:16].q_value = [0.0, -share * bonus, *[-1.0] * 14]
    assert search.search(state, 1).visit_counts[taken] == counts[taken] + 1
