"""Many games searched together: each search equals the search alone, and the twin's."""

import time
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
import pytest

from mcts import MCTS, SearchResult, search_variant
from mcts.priors import RootNoise
from state_manager import State, make_game
from tests.mcts.naive_mcts import NaiveMCTS, by_uniform_rollout
from tests.mcts.naive_variants import NaiveNMCTSPaper, NaivePUCT, NaiveVariant
from tests.mcts.opinions import RandomNet, some_states
from tests.mcts.trees import HEX, TIC_TAC_TOE, assert_equal_results, nested, nested_twin, small_game

GAMES = ["hex", "tic_tac_toe", "hexapawn", "nim"]
PUCT = search_variant("puct")
NOISY = replace(PUCT, root_noise=RootNoise(0.25, 0.3))
SIMULATIONS = 40
"""At each move: enough to go some plies deep, and few since the twin is slow."""


def after_the_best(search: MCTS, twins: list[Any], states: list[State]) -> list[State]:
    """Search from the states as the twins do, and return the states after the best moves."""
    game, following = search.game, []
    results = search.search_all(states, SIMULATIONS)
    for _ in range(SIMULATIONS):
        for twin, state in zip(twins, states, strict=True):
            twin.search(state, 1)
    for row, (twin, state, result) in enumerate(zip(twins, states, results, strict=True)):
        assert_equal_results(search, result, twin.root)
        assert result.simulations == SIMULATIONS
        assert nested(search.slots.tree(row)) == nested_twin(game, twin.root)
        twin.advance(result.best_action)
        following.append(game.child_state(state, result.best_action))
    return following


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(
    ("policy", "twin_class", "weight"),
    [("puct", NaivePUCT, 0.0), ("n_mcts_paper", NaiveNMCTSPaper, 3.0)],
)
def test_each_game_is_searched_as_by_the_twin_and_its_subtree_kept(
    name: str, policy: str, twin_class: type[NaiveVariant], weight: float
) -> None:
    game = small_game(name)
    net, states = RandomNet(game), some_states(game, 5)
    variant = search_variant(policy).with_settings(exploration=0.8, prior_weight=weight)
    search = MCTS(game, variant=variant, evaluate=net, games=7)
    twins = [twin_class(game, lambda state, rng: 0, 1, 0.8, weight, net.prior) for _ in states]
    for twin in twins:
        twin.evaluate = net.value
    states = after_the_best(search, twins, states)
    while states and not any(map(game.is_final, states)):
        states = after_the_best(search, twins, states)
        states, twins = states[:-1], twins[:-1]  # fewer and fewer rows hold a game
    assert net.sizes == {7}  # padded, whatever the number of states


@pytest.mark.parametrize("name", GAMES)
def test_rollouts_of_several_games_draw_in_turn_from_one_generator(name: str) -> None:
    game = small_game(name)
    first, generator = some_states(game, 3), np.random.default_rng(4)
    search, evaluate = MCTS(game, games=5, seed=4), by_uniform_rollout(game)
    twins = [NaiveMCTS(game, 1.0, generator, evaluate) for _ in first]
    states = after_the_best(search, twins, first)
    after_the_best(search, twins[:2], states[:2])
    for twin in twins:
        twin.root = None  # no tree is kept: the last row was empty
    after_the_best(search, twins, first)
    assert search._rng.random() == generator.random(), "empty rows draw nothing"


@pytest.mark.parametrize("solver", [False, True])
def test_a_row_takes_the_next_state_once_its_search_is_over(solver: bool) -> None:
    game = make_game("nim", stones=9, max_take=3)
    variant = replace(NOISY, solver=solver)
    states = [*some_states(game, 6), *some_states(game, 7)]
    generators = np.random.default_rng(3).spawn(len(states))
    alone = MCTS(game, variant=variant, evaluate=RandomNet(game), games=2)
    expected = []
    for state, generator in zip(states, generators, strict=True):
        alone.reset()
        expected.append(alone.search_all([state], SIMULATIONS, noise=[generator])[0])
    for games in (2, 5, len(states) + 1):
        search = MCTS(game, variant=variant, evaluate=RandomNet(game), games=games, seed=3)
        found = search.search_each(states, SIMULATIONS)
        for each, other in zip(found, expected, strict=True):
            assert each.visit_counts.tolist() == other.visit_counts.tolist()
            assert (each.value, each.outcome) == (other.value, other.outcome)
    assert any(each.outcome for each in expected) == solver


@pytest.mark.parametrize("evaluates_outside", [True, False])
def test_searches_of_many_states_ignore_the_time_limit(evaluates_outside: bool) -> None:
    game = make_game("nim", stones=9, max_take=3)
    evaluate = RandomNet(game) if evaluates_outside else None
    search = MCTS(game, evaluate=evaluate, time_limit=1e-6)
    found = search.search_each(some_states(game, 3), 5000)
    assert [each.simulations for each in found] == [5000] * 3


def test_a_dropped_search_makes_room_for_a_state_that_became_known_later() -> None:
    game = make_game("nim", stones=12, max_take=3)
    first, later = some_states(game, 3), some_states(game, 5)[3:]
    search = MCTS(game, variant=PUCT, evaluate=RandomNet(game), games=2)
    expected = [each.value for each in search.search_each(first[1:] + later, SIMULATIONS)]
    waiting, found = [*enumerate(first)], dict[Any, float]()

    def following() -> Any:
        return (*waiting.pop(0), np.random.default_rng(0)) if waiting else None

    def on_result(name: Any, result: SearchResult, tree: Any) -> None:
        found[name] = result.value
        if len(found) == 1:
            waiting.extend(enumerate(later, start=3))

    search.search_named(following, SIMULATIONS, on_result, is_dropped=lambda name: name == 0)
    assert found == dict(enumerate(expected, start=1))


def left_by_a_deadline(search: MCTS, states: list[State]) -> None:
    search.search_all(states, 1000, deadline=time.perf_counter())


def left_by_a_stop(search: MCTS, states: list[State]) -> None:
    steps = iter(range(3))
    assert search.search_each(states, 1000, lambda: next(steps, None) is None) == []


@pytest.mark.parametrize("name", ["nim", "hex"])
@pytest.mark.parametrize("leave", [left_by_a_deadline, left_by_a_stop])
def test_an_unfinished_search_does_not_change_or_delay_a_later_one(
    leave: Callable[[MCTS, list[State]], None], name: str
) -> None:
    """In NIM, some searches end early, with a proven root."""
    game = small_game(name)
    states, net = some_states(game, 7), RandomNet(game)
    variant = replace(PUCT, solver=name == "nim")
    fresh, left = (MCTS(game, variant=variant, evaluate=net, games=3) for _ in range(2))

    def counts(search: MCTS) -> list[list[int]]:
        """Search each state; fail rather than wait for a row that never ends."""
        steps = count()
        results = search.search_each(states, SIMULATIONS, lambda: next(steps) > 1000)
        assert next(steps) < 1000
        return [each.visit_counts.tolist() for each in results]

    leave(left, states[:3])
    assert counts(left) == counts(fresh)


def test_noise_is_added_once_to_each_root() -> None:
    search = MCTS(HEX, 60, variant=NOISY, evaluate=RandomNet(HEX), games=2)
    generators, states = np.random.default_rng(1).spawn(2), some_states(HEX, 2)

    def drawn(states: list[State]) -> tuple[list[SearchResult], list[bool]]:
        """Search, and return which generators were drawn from, too."""
        before = [each.bit_generator.state for each in generators]
        results = search.search_all(states, noise=generators)
        after = [each.bit_generator.state for each in generators]
        return results, [one != other for one, other in zip(before, after, strict=True)]

    (first, _), which = drawn(states)
    assert which == [True, True]
    assert drawn(states)[1] == [False, False], "on top of the known prior"
    child = HEX.child_state(states[0], first.best_action)
    assert drawn([child, states[1]])[1] == [True, False]


def test_a_net_without_a_critic_needs_rollouts() -> None:
    net = RandomNet(TIC_TAC_TOE)
    search = MCTS(TIC_TAC_TOE, 50, variant=PUCT, evaluate=lambda *rows: (net(*rows)[0], None))
    with pytest.raises(ValueError, match="critic"):
        search.set_rollout_policy(None, 0.0)
    assert search.search(TIC_TAC_TOE.initial_state()).visit_counts.sum() == 50
