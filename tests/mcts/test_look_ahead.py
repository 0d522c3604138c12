"""Nodes that are solved when they are made: the twin, exact play, and roots that need no search."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from base.methods import TREE_POLICIES, Method
from judge import ExactPlay
from mcts import MCTS, SearchResult, Variant, search_variant
from mcts.tree import edges_of
from state_manager import GOES_ON, State, StateManager, make_game
from state_manager.policy import Policy
from tests.mcts.naive_look_ahead import NaiveLookAhead, wins_at_once
from tests.mcts.naive_mcts import NaiveMCTS, Node, by_playing, by_uniform_rollout, uniformly
from tests.mcts.opinions import RandomNet
from tests.mcts.trees import TIC_TAC_TOE, after, nested, nested_twin, nodes_with_states, small_game
from tests.random_play import random_game

GAMES = ["hex", "tic_tac_toe", "connect_four", "ledge", "hexapawn"]
LOOKING = Variant(Method("uct", needs_moves=True)).with_settings(look_ahead=1.0, exploration=0.7)
PUCT = search_variant("puct").with_settings(look_ahead=1.0, exploration=0.7)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("solver", [False, True])
@pytest.mark.parametrize("inside", [False, True])
def test_a_search_that_looks_ahead_is_the_twins(name: str, solver: bool, inside: bool) -> None:
    game = small_game(name)
    net = RandomNet(game)
    if inside:
        search = MCTS(game, variant=replace(LOOKING, solver=solver), seed=3)
        twin = NaiveLookAhead(game, 0.7, 3, by_playing(game, uniformly(game)))
    else:
        search = MCTS(game, variant=replace(PUCT, solver=solver), evaluate=net, seed=3)
        twin = NaiveLookAhead(game, 0.7, 3, net.value, net.prior)
    twin.solver = solver
    for _, result, root in games_of_both(search, twin):
        if result.outcome == GOES_ON:  # those after a proof inside count the root, and no more
            assert nested(search.tree) == nested_twin(game, root)
        assert result.distribution.sum() == pytest.approx(1)


@pytest.mark.parametrize("name", ["hex", "nim", "ledge", "tic_tac_toe", "hexapawn"])
def test_the_solver_searches_like_its_twin(name: str) -> None:
    game = small_game(name)
    variant = Variant(solver=True).with_settings(exploration=0.7)
    twin = NaiveMCTS(game, 0.7, 3, by_uniform_rollout(game))
    twin.solver = True
    search = MCTS(game, variant=variant, seed=3)
    for _, _, root in games_of_both(search, twin):
        assert nested(search.tree) == nested_twin(game, root)


def games_of_both(search: MCTS, twin: NaiveMCTS) -> Iterator[tuple[State, SearchResult, Node]]:
    """Play a random game, and compare each search with the twin's."""
    game, moves = search.game, np.random.default_rng(5)
    state = game.initial_state(2)
    while not game.is_final(state):
        result, root = search.search(state, 60), twin.search(state, 60)
        assert nested(search.tree)[3] == nested_twin(game, root)[3]
        assert result.outcome == root.outcome
        yield state, result, root
        action = int(moves.choice(game.legal_actions(state)))
        state = game.child_state(state, action)
        twin.advance(action)


@pytest.mark.parametrize("size", [3, 4])
def test_a_search_with_static_proofs_is_the_twins(size: int) -> None:
    game = make_game("hex", size=size)
    net = RandomNet(game)
    variant = replace(PUCT.with_settings(static_proofs=1.0), solver=True)
    search = MCTS(game, variant=variant, evaluate=net, seed=3)
    twin = NaiveLookAhead(game, 0.7, 3, net.value, net.prior)
    twin.solver = twin.static = True
    exact, proven = ExactPlay(game), 0
    for state, result, _ in games_of_both(search, twin):
        if result.outcome != GOES_ON:
            assert result.outcome == exact.outcome(state)
            proven += 1
    assert proven > 1


@pytest.mark.parametrize("proofs", ["look_ahead", "static_proofs"])
def test_where_all_moves_lose_the_net_decides_between_the_most_visited(proofs: str) -> None:
    game = make_game("hex", size=4)
    net, lost = RandomNet(game), 0
    variant = replace(PUCT.with_settings(**{"look_ahead": 0.0, proofs: 1.0}), solver=True)
    search = MCTS(game, 400, variant=variant, evaluate=net)
    for seed in range(40):
        state = random_game(game, seed)[0][-4]
        result = search.search(state)
        if result.outcome == 3 - game.to_play(state):
            legal, prior = game.legal_actions(state), net.prior(state)
            visits = result.visit_counts
            assert result.best_action == max(legal, key=lambda each: (visits[each], prior[each]))
            lost += 1
    assert lost > 3


@pytest.mark.parametrize("name", GAMES)
def test_every_outcome_in_a_tree_is_that_of_exact_play(name: str) -> None:
    game = small_game(name)
    exact, net, solved = ExactPlay(game), RandomNet(game), 0
    search = MCTS(game, 400, variant=replace(PUCT, solver=True), evaluate=net)
    state = random_game(game, seed=2)[0][2]
    search.search(state)
    tree = search.tree
    for node, reached in nodes_with_states(game, tree, state):
        actions = tree.edges[edges_of(tree, node)].action.tolist()
        if tree.nodes[node].outcome:
            assert tree.nodes[node].outcome == exact.outcome(reached)
            solved += not actions and not game.is_final(reached)
        elif len(actions) < len(game.legal_actions(reached)):  # anything else loses
            assert actions == wins_at_once(game, reached, 3 - reached[0])
    assert (solved > 0) == (name != "hexapawn")


@cache
def before_the_end(name: str) -> tuple[StateManager, State, State]:
    """Return a game, a state where the mover wins at once, one where the opponent has two ways."""
    game = small_game(name)
    won = lost = None
    for seed in range(100):
        for state in random_game(game, seed)[0][:-1]:
            mover = game.to_play(state)
            if wins_at_once(game, state, mover):
                won = state
            elif len(wins_at_once(game, state, 3 - mover)) > 1:
                lost = state
        if won is not None and lost is not None:
            break
    assert won is not None
    assert lost is not None
    return game, won, lost


@pytest.mark.parametrize("name", ["hex", "tic_tac_toe", "connect_four"])
@pytest.mark.parametrize("policy", TREE_POLICIES)
@pytest.mark.parametrize("inside", [False, True])
def test_a_root_that_is_solved_at_once_has_a_proper_d(name: str, policy: str, inside: bool) -> None:
    if not inside and policy.startswith("uct_rave"):
        pytest.skip("it needs the moves of rollouts")
    game, won, lost = before_the_end(name)
    variant = replace(search_variant(policy), solver=True).with_settings(look_ahead=1.0)
    net = {"rollout_policy": Policy()} if inside else {"evaluate": RandomNet(game)}
    search, value = MCTS(game, 50, variant=variant, **net), {1: 1.0, 2: -1.0}
    for state, winner, own_value, best in (
        (won, game.to_play(won), 1.0, wins_at_once(game, won, game.to_play(won))),
        (lost, 3 - game.to_play(lost), -1.0, game.legal_actions(lost).tolist()),
    ):
        result = search.search(state)
        assert (result.simulations, result.outcome, result.value) == (0, winner, own_value)
        assert result.thought(result.best_action).value == value[winner]
        assert np.flatnonzero(result.distribution).tolist() == best
        assert result.distribution.sum() == pytest.approx(1)
        assert result.best_action in best


@pytest.mark.parametrize("inside", [False, True])
def test_a_solved_node_that_becomes_the_root_has_a_proper_d(inside: bool) -> None:
    net = None if inside else RandomNet(TIC_TAC_TOE)
    search = MCTS(TIC_TAC_TOE, 2_000, variant=LOOKING if inside else PUCT, evaluate=net)
    for actions in ((0, 4, 8), (0, 4, 8, 2), (0, 4, 8, 2, 6)):  # X has two ways to win
        state = after(TIC_TAC_TOE, actions)
        result = search.search(state)
    assert (result.outcome, result.value) == (1, -1.0)
    assert result.distribution[TIC_TAC_TOE.legal_actions(state)] == pytest.approx(1 / 4)


def test_a_forced_action_of_prior_0_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    net = RandomNet(TIC_TAC_TOE)
    monkeypatch.setattr(
        net, "evaluate_one", lambda state, legal: (np.eye(len(legal))[legal.argmax()], 0.0)
    )
    search = MCTS(TIC_TAC_TOE, 40, variant=PUCT, evaluate=net)
    result = search.search(after(TIC_TAC_TOE, (3, 0, 4)))  # O must play 5
    assert result.distribution[5] == 1.0
    assert np.isfinite(search.tree.priors).all()
    assert np.isfinite(result.value)
