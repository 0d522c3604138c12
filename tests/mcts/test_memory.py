"""The behaviour of a search with a full tree, and the allocation of its memory."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mcts.tree_memory as memory_module
from base.methods import TREE_POLICIES
from mcts import MCTS, search_variant
from mcts.tree import UNEXPANDED, Tree, grown
from mcts.tree_memory import machine_memory, memory_share, most_nodes
from state_manager import make_game
from state_manager.policy import Policy
from tests.mcts.opinions import RandomNet, some_states
from tests.mcts.trees import HEX, after, assert_visits_add_up, edge_range, go_to

LITTLE = 0.02
"""Megabytes: memory for some dozens of nodes."""


@pytest.fixture(autouse=True)
def no_warning_yet() -> Iterator[None]:
    memory_module._told.clear()
    yield
    memory_module._told.clear()


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.message for record in caplog.records if record.levelno >= logging.WARNING]


def test_a_million_simulations_on_11x11_fit_into_100_mb(caplog: pytest.LogCaptureFixture) -> None:
    game = make_game("hex", size=11)
    search = MCTS(game, 100_000, seed=1)
    search.memory = 10.0
    search.search(game.initial_state())
    assert search.tree.size.nodes == 1 + 100_000
    assert sum(array.nbytes for array in search.slots.trees) < 10.1e6
    assert warnings(caplog) == []


def test_a_full_tree_stops_growing_and_its_search_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    nim = make_game("nim", stones=10, max_take=3)
    search = MCTS(nim, seed=1)
    search.memory = LITTLE / 2
    most = most_nodes(LITTLE / 2, search.slots.trees, nim.num_actions)
    result = search.search(nim.initial_state(), 20_000)
    assert search.tree.size.nodes == most > 100
    assert result.simulations == 20_000 == result.visit_counts.sum()
    assert nim.action_name(result.best_action) == "take 2"
    assert_visits_add_up(search.tree, is_full=True)
    beforehand, full = warnings(caplog)
    assert "20,000 simulations" in beforehand
    assert "full" in full
    search.search(nim.initial_state(), 20_000)
    assert len(warnings(caplog)) == 2  # logged once


def test_a_full_tree_keeps_its_counts_when_it_can_grow_again() -> None:
    search = MCTS(HEX, seed=1)
    search.memory = LITTLE
    result = search.search(HEX.initial_state(), 3000)
    go_to(search, result.best_action)
    tree, kept = search.tree, int(search.tree.size.nodes)
    live = [edge for node in range(kept) for edge in edge_range(tree, node)]
    visited = tree.edges[live].visit_count[tree.edges[live].child == UNEXPANDED]
    assert visited.max() > 1  # some leaves were evaluated again and again
    search.search(after(HEX, [result.best_action]), 500)
    assert search.tree.size.nodes > kept
    assert_visits_add_up(search.tree, is_full=True)


@pytest.mark.parametrize("policy", TREE_POLICIES)
def test_every_variant_continues_in_a_full_tree(policy: str) -> None:
    game = make_game("hex", size=3)
    search = MCTS(game, seed=1, variant=search_variant(policy), rollout_policy=Policy())
    search.memory = LITTLE
    result = search.search(game.initial_state(), 3000)
    assert result.visit_counts.sum() == 3000
    assert search.tree.size.nodes == most_nodes(LITTLE, search.slots.trees, 9)


@pytest.mark.parametrize("under_clock", [False, True])
def test_batches_continue_in_full_trees(
    under_clock: bool, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcts.mcts.next_chunk", lambda chunk, seconds: 1)  # at any speed
    limit = 3600.0 if under_clock else None
    net, variant = RandomNet(HEX), search_variant("puct")
    search = MCTS(HEX, 2000, variant=variant, evaluate=net, games=3, time_limit=limit)
    search.memory = 3 * LITTLE
    results = search.search_all([after(HEX, [action]) for action in (0, 5, 9)])
    assert [result.visit_counts.sum() for result in results] == [2000] * 3
    most = most_nodes(LITTLE, search.slots.trees, 16)
    assert search.slots.trees.size.nodes.tolist() == [most] * 3
    assert ["full" in text for text in warnings(caplog)] == [True] if under_clock else [False, True]


def test_trees_that_end_before_others_are_not_called_full(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Trees of games that end early need fewer evaluations; there is memory for all of them."""
    game = make_game("hexapawn")
    search = MCTS(game, 60, variant=search_variant("puct"), evaluate=RandomNet(game), games=9)
    search.search_all(some_states(game, 9))
    assert warnings(caplog) == []


@pytest.mark.parametrize(("time_limit", "most_moves"), [(3600.0, 1), (None, 4)])
def test_memory_is_allocated_before_a_search_and_under_a_clock_once(
    time_limit: float | None, most_moves: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    moves = list[int]()  # nodes in use at each move of the tree to a larger allocation

    def counted(tree: Tree, nodes: int, edges: int) -> Tree:
        moves.append(int(tree.size.nodes.max()))
        return grown(tree, nodes, edges)

    monkeypatch.setattr(memory_module, "grown", counted)
    game = make_game("hex", size=5)
    search, state = MCTS(game, 400, time_limit=time_limit, seed=1), game.initial_state()
    while not game.is_final(state):
        state = game.child_state(state, search.search(state).best_action)
    assert moves[0] == 1
    assert len(moves) <= most_moves
    assert time_limit or search.slots.trees.nodes.to_play.size < 26 * 400


def test_a_refused_allocation_is_retried_with_half_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    requests = list[int]()

    def refused(tree: Tree, nodes: int, edges: int) -> Tree:
        requests.append(nodes)
        if nodes > 300:
            raise MemoryError
        return grown(tree, nodes, edges)

    monkeypatch.setattr(memory_module, "grown", refused)
    result = MCTS(HEX, 1000, seed=1).search(HEX.initial_state())
    assert requests == [1001, 500, 250]
    assert result.simulations == 1000


def test_the_memory_is_divided_among_searches(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(memory_module, "_CONTAINER_LIMITS", (limit, tmp_path / "none"))
    limit.write_text("max\n")
    all_of_it = machine_memory()
    limit.write_text("64000000\n")
    assert machine_memory() == 64_000_000 < all_of_it
    assert (memory_share(None), memory_share(None, 4)) == (16.0, 4.0)
    assert memory_share(300.0, 4) == 75.0


@pytest.mark.parametrize("inside", [True, False])
def test_the_best_move_so_far_can_be_read_while_a_search_runs(inside: bool) -> None:
    state, other = HEX.initial_state(1), HEX.initial_state(2)
    net: Any = {} if inside else {"evaluate": RandomNet(HEX)}
    search = MCTS(HEX, 10**4, variant=search_variant("uct" if inside else "puct"), **net)
    assert search.best_so_far(state) is None
    seen: list[int | None] = []

    def stop() -> bool:
        assert search.best_so_far(other) is None
        seen.append(search.best_so_far(state))
        return len(seen) == 4

    result = search.search(state, 10**6, stopped=stop)
    assert len(seen) == 4
    assert seen[-1] is not None
    of_last = result.visit_counts[seen[-1]]
    assert of_last >= result.visit_counts.max() - (not inside)  # outside, a leaf still waited


def test_a_root_that_changes_meanwhile_has_no_best_move(monkeypatch: pytest.MonkeyPatch) -> None:
    state, search = HEX.initial_state(), MCTS(HEX, 100)
    best = search.search(state).best_action
    assert search.best_so_far(state) == best
    read = MCTS._result

    def changed(self: MCTS, tree: Tree) -> Any:
        self.slots.go_to(0, after(HEX, [best]), HEX.rules)
        return read(self, tree)

    monkeypatch.setattr(MCTS, "_result", changed)
    assert search.best_so_far(state) is None
