"""Searches that are stopped: by a deadline, by a time limit, by Ctrl-C. No test measures time."""

import itertools
import threading
import time
from dataclasses import replace
from threading import Event
from types import SimpleNamespace

import pytest

import mcts.chunks as chunks
import mcts.mcts as mcts_module
from agents import make_agent
from agents.match import GameStoppedError, play_game
from mcts import MCTS, search_variant
from mcts.chunks import FIRST_CHUNK
from mcts.search import MOST_ENDED
from mcts.tree import ROOT, in_use
from mcts.variants.puct import PUCT
from state_manager import StateManager, make_game
from tests.mcts.opinions import RandomNet
from tests.mcts.trees import nested


@pytest.fixture
def hex_game() -> StateManager:
    return make_game("hex", size=4)


def test_a_deadline_in_the_past_stops_after_the_first_chunk(hex_game: StateManager) -> None:
    search = MCTS(hex_game, seed=1)
    result = search.search(hex_game.initial_state(), 10**7, deadline=time.perf_counter() - 1.0)
    assert result.simulations == FIRST_CHUNK
    assert result.visit_counts.sum() == result.simulations


def test_a_distant_deadline_does_not_change_the_search(hex_game: StateManager) -> None:
    state = hex_game.initial_state()
    limited = MCTS(hex_game, simulations=3000, time_limit=3600.0, seed=1).search(state)
    free = MCTS(hex_game, simulations=3000, seed=1).search(state)
    assert limited.simulations == 3000
    assert limited.visit_counts.tolist() == free.visit_counts.tolist()


def run_a_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the clock: it shows one second more at each call, from 100 on."""
    clock = itertools.count(100.0)
    fake = SimpleNamespace(perf_counter=lambda: next(clock))
    monkeypatch.setattr(mcts_module, "time", fake)


def test_the_time_limit_holds_for_each_search(
    hex_game: StateManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chunks take a second each, so they stay short, and five of them fit into the limit."""
    run_a_clock(monkeypatch)
    search = MCTS(hex_game, simulations=10**7, time_limit=5.0, seed=1)
    for searches in (1, 2):
        result = search.search(hex_game.initial_state())
        assert result.simulations == 5 * FIRST_CHUNK
        assert result.seconds == 5.0
        assert result.visit_counts.sum() == searches * result.simulations


def test_a_deadline_of_one_search_overrides_the_time_limit(
    hex_game: StateManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_a_clock(monkeypatch)
    search = MCTS(hex_game, simulations=10**7, time_limit=50.0, seed=1)
    result = search.search(hex_game.initial_state(), deadline=103.0)
    assert result.simulations == 3 * FIRST_CHUNK


def test_an_interrupted_search_leaves_a_tree_that_can_be_continued(
    hex_game: StateManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = hex_game.initial_state()
    search = MCTS(hex_game, seed=1)
    run = search._take_steps

    def interrupted(simulations: int) -> None:
        if search.tree.size.nodes > 1500:
            raise KeyboardInterrupt
        run(simulations)

    monkeypatch.setattr(search, "_take_steps", interrupted)
    with pytest.raises(KeyboardInterrupt):
        search.search(state, 10**6)
    monkeypatch.undo()
    kept = int(search.tree.nodes[ROOT].visit_count)
    assert kept > 1000
    assert search.search(state, 100).visit_counts.sum() == kept + 100


def test_ending_a_game_early_does_not_wait_for_its_search(hex_game: StateManager) -> None:
    looks = iter([False, False, True])
    search = MCTS(hex_game, seed=1)
    result = search.search(hex_game.initial_state(), 10**9, stopped=lambda: next(looks))
    assert 0 < result.simulations < 10**8
    assert next(looks, None) is None
    stop = Event()
    agent = make_agent("mcts:simulations=10000000", hex_game)
    threading.Timer(0.05, stop.set).start()
    with pytest.raises(GameStoppedError):
        play_game(hex_game, (agent, agent), stop=stop)


@pytest.mark.parametrize("seconds", [chunks.CHUNK_SECONDS, 1e9])
def test_a_search_without_evaluations_checks_the_clock(
    seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Simulations would never end by themselves; each chunk ends early, so the next is longer."""
    monkeypatch.setattr(chunks, "CHUNK_SECONDS", seconds)
    game = make_game("hex", size=3)
    state = game.initial_state()
    for action in (0, 4, 5, 2, 7, 1):
        state = game.child_state(state, action)
    search = MCTS(game, variant=PUCT, evaluate=RandomNet(game), seed=1)
    looks = iter([*[False] * 40, True])
    result = search.search(state, 10**9, stopped=lambda: next(looks))
    assert 0 < result.simulations <= 41 * (MOST_ENDED + 1)
    assert next(looks, None) is None


@pytest.mark.parametrize("games", [1, 2])
@pytest.mark.parametrize("solver", [False, True])
@pytest.mark.parametrize("seconds", [0.0, 1e9])
def test_the_length_of_chunks_changes_nothing(
    games: int, solver: bool, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a leaf has several rollouts, and where the root is proven on the way."""
    game = make_game("tic_tac_toe")
    states = [game.initial_state(), game.child_state(game.initial_state(), 3)][:games]
    variant = replace(search_variant("uct", "several"), solver=solver).with_settings(rollouts=3.0)

    def found() -> list[object]:
        search = MCTS(game, 3000, variant=variant, games=games, seed=6)
        results = search.search_all(states)
        trees = [nested(in_use(search.slots.tree(row))) for row in range(games)]
        return [[each.visit_counts.tolist() for each in results], trees]

    expected = found()
    monkeypatch.setattr(chunks, "CHUNK_SECONDS", seconds)
    assert found() == expected
