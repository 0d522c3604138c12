"""Searches that are stopped: by a deadline, by a time limit, by Ctrl-C. No test measures time."""

import itertools
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

import mcts.chunks as chunks
import mcts.mcts as mcts_module
from mcts import MCTS, search_variant
from mcts.chunks import FIRST_CHUNK
from mcts.search import MOST_ENDED
from mcts.tree import ROOT, in_use
from mcts.variants.puct import PUCT
from state_manager import make_game
from tests.mcts.opinions import RandomNet
from tests.mcts.trees import HEX, TIC_TAC_TOE, after, nested


@pytest.mark.parametrize(
    ("limit", "deadline", "chunks_run"),
    [(5.0, None, 5), (50.0, 103.0, 3), (50.0, 90.0, 1)],
    ids=["the limit", "a deadline overrides it", "a deadline in the past"],
)
def test_a_search_ends_at_its_time_limit_or_deadline(
    limit: float, deadline: float | None, chunks_run: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each look at the clock shows a second more, so chunks take a second and stay short."""
    search = MCTS(HEX, simulations=10**7, time_limit=limit, seed=1)
    for searches in (1, 2):
        clock = itertools.count(100.0)
        fake = SimpleNamespace(perf_counter=lambda clock=clock: next(clock))
        monkeypatch.setattr(mcts_module, "time", fake)
        result = search.search(HEX.initial_state(), deadline=deadline)
        assert result.simulations == chunks_run * FIRST_CHUNK
        assert result.seconds == chunks_run
        assert result.visit_counts.sum() == searches * result.simulations


def test_a_deadline_ends_a_batch() -> None:
    variant, net = search_variant("puct"), RandomNet(HEX)
    search = MCTS(HEX, 10_000_000, variant=variant, evaluate=net, time_limit=1e-9)
    state = HEX.initial_state()
    assert search.search(state).simulations == 1
    result = search.search(state, deadline=time.perf_counter() + 0.05)
    assert 1 <= result.simulations < 10_000_000


def test_an_interrupted_search_leaves_a_tree_that_can_be_continued() -> None:
    state, search = HEX.initial_state(), MCTS(HEX, seed=1)

    def interrupted() -> bool:
        if search.tree.size.nodes > 1500:
            raise KeyboardInterrupt
        return False

    with pytest.raises(KeyboardInterrupt):
        search.search(state, 10**6, stopped=interrupted)
    kept = int(search.tree.nodes[ROOT].visit_count)
    assert kept > 1000
    assert search.search(state, 100).visit_counts.sum() == kept + 100


@pytest.mark.parametrize("seconds", [chunks.CHUNK_SECONDS, 1e9])
def test_known_leaves_end_by_the_clock_too(seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulations would never end by themselves; each chunk ends early, so the next is longer."""
    monkeypatch.setattr(chunks, "CHUNK_SECONDS", seconds)
    game = make_game("hex", size=3)
    search = MCTS(game, variant=PUCT, evaluate=RandomNet(game), seed=1)
    looks, state = iter([*[False] * 40, True]), after(game, (0, 4, 5, 2, 7, 1))
    result = search.search(state, 10**9, stopped=lambda: next(looks))
    assert 0 < result.simulations <= 41 * (MOST_ENDED + 1)
    assert next(looks, None) is None


@pytest.mark.parametrize("games", [1, 2])
@pytest.mark.parametrize("solver", [False, True])
@pytest.mark.parametrize(("seconds", "first"), [(0.0, 1), (0.0, 3), (1e9, FIRST_CHUNK)])
def test_the_length_of_chunks_changes_nothing(
    games: int, solver: bool, seconds: float, first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a leaf has several rollouts, and where the root is proven on the way."""
    states = [after(TIC_TAC_TOE, (0, 4, 8, 1)), after(TIC_TAC_TOE, [3])][:games]
    variant = replace(search_variant("uct", "several"), solver=solver).with_settings(rollouts=3.0)

    def found() -> list[object]:
        search = MCTS(TIC_TAC_TOE, 1000, variant=variant, games=games, seed=6)
        results = search.search_all(states)
        assert bool(results[0].outcome) == solver
        trees = [nested(in_use(search.slots.tree(row))) for row in range(games)]
        return [[each.visit_counts.tolist() for each in results], trees]

    expected = found()
    monkeypatch.setattr(chunks, "CHUNK_SECONDS", seconds)
    monkeypatch.setattr(mcts_module, "FIRST_CHUNK", first)
    assert found() == expected
