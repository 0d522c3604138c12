"""Leaves that wait for an evaluation together, and evaluations that are kept for later ones."""

from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from judge import ExactPlay
from mcts import MCTS, SearchResult, Variant, kept_evaluations, search_variant
from state_manager import State, StateManager, make_game
from tests.mcts.opinions import RandomNet, some_states
from tests.mcts.trees import HEX, after, assert_visits_add_up, small_game

PUCT = search_variant("puct")
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


@pytest.mark.parametrize("variant", [BATCHED, PUCT], ids=["leaves", "a leaf"])
@pytest.mark.parametrize("call", [1, 20])
def test_an_evaluation_that_fails_leaves_no_visits_behind(variant: Variant, call: int) -> None:
    net, states, sizes = RandomNet(HEX), [HEX.initial_state(), after(HEX, [0])], [0] * 100

    def failing(states: NDArray[np.int8], legal: NDArray[np.bool_]) -> Any:
        sizes.append(len(states))
        if len(sizes) == call:
            raise RuntimeError("no idea")
        return net(states, legal)

    search = MCTS(HEX, 300, variant=variant, evaluate=failing)
    alone = MCTS(HEX, 300, variant=variant, evaluate=net)
    search.search(states[0])
    search.reset()
    sizes.clear()
    with pytest.raises(RuntimeError, match="no idea"):
        search.search(states[0])
    if call == 1:  # the tree has no root yet, and remains of the older one are not read
        assert search.best_so_far(states[0]) is None
        states = states[1:]
    found, expected = ([each.search(state) for state in states] for each in (search, alone))
    assert [each.q_values.tolist() for each in found] == [e.q_values.tolist() for e in expected]


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
        self, states: list[State], games: int, megabytes: float = 1.0
    ) -> tuple[list[SearchResult], int]:
        """Search each state; return the results and how many evaluations had been made before."""
        search = MCTS(self.game, variant=PUCT, evaluate=self, games=games)
        search.memory = games * megabytes
        self.seen.clear()
        results = search.search_each(states, SIMULATIONS)
        return results, len(self.seen) - len(set(self.seen))


@pytest.fixture
def states() -> list[State]:
    return [HEX.initial_state(), *(after(HEX, [action]) for action in range(16))]


def test_no_state_is_evaluated_twice(states: list[State], monkeypatch: pytest.MonkeyPatch) -> None:
    net = Watched(HEX)
    alone, repeated = net.searched(states, 1)  # nothing is kept
    assert repeated > 100
    beside, repeated = net.searched(states, 3)
    assert repeated == 0
    monkeypatch.setattr(kept_evaluations, "_BYTES", 2000)  # many states share a place
    crowded, repeated = net.searched(states, 3)
    assert repeated > 100
    for results in (beside, crowded):
        for result, twin in zip(results, alone, strict=True):
            assert result.visit_counts.tolist() == twin.visit_counts.tolist()
            assert result.value == twin.value


def test_states_that_are_longer_than_their_actions_have_places_of_their_own() -> None:
    game = make_game("connect_four")
    net = Watched(game)
    states = [game.initial_state(), *(after(game, [action]) for action in range(7))] * 3
    assert net.searched(states, 1)[1] > 200
    assert net.searched(states, 2)[1] < 20


def test_the_same_searches_in_full_trees(states: list[State]) -> None:
    net = Watched(HEX)
    beside, alone = (net.searched(states, games, LITTLE)[0] for games in (3, 1))
    assert [result.value for result in beside] == [twin.value for twin in alone]


def test_only_a_net_that_has_learned_is_asked_again() -> None:
    net, states = Watched(HEX), [HEX.initial_state()] * 2
    search, fresh = (MCTS(HEX, 60, variant=PUCT, evaluate=net, games=2) for _ in range(2))
    before = search.search_all(states)
    net.seen.clear()
    search.reset(keep_evaluations=True)
    same = search.search_all(states)
    assert len(net.seen) == 0
    net.weights *= 2.0
    search.reset()
    learned, expected = search.search_all(states), fresh.search_all(states)
    assert [each.value for each in learned] == [each.value for each in expected]
    assert before[0].value == same[0].value != learned[0].value
