"""Training of nets that are evaluated in batches: the episodes of a round advance together."""

from threading import Barrier, local
from typing import Any

import pytest

import rl.play_in_slots
import rl.rl_system
import rl.self_play
from anet.evaluator import NetEvaluator
from anet.runtimes.torch_runtime import Floats
from rl.episode import Episode
from tests.project import TIMEOUT, Patch, Words
from tests.rl.conftest import EXPERT, IN_SLOTS, RunMaker, logs_of


def test_a_thread_that_waits_for_the_net_lets_the_other_search(
    make_run: RunMaker, monkeypatch: Patch
) -> None:
    run = make_run("run", *IN_SLOTS, "rl.workers=2")
    both_ask, thread, evaluate = Barrier(2), local(), run.anet.evaluator()._forward()

    def evaluate_both(inputs: Floats) -> tuple[Floats, Floats]:
        thread.calls = getattr(thread, "calls", 0) + 1
        if thread.calls <= 5:
            both_ask.wait(TIMEOUT)
        return evaluate(inputs)

    monkeypatch.setattr(NetEvaluator, "_forward", lambda self: evaluate_both)
    finished: dict[int, Episode] = {}
    run._engine.play([1, 2, 3], finished)
    assert sorted(finished) == [1, 2, 3]


# A time limit keeps games out of slots.
GROWING = (*IN_SLOTS, "mcts.time_limit=1000", "mcts.simulations=4", "mcts.simulations_growth=1.5")


@pytest.mark.parametrize(
    "words", [GROWING, (*EXPERT, "rl.temperature_moves=3")], ids=["alphazero", "expert"]
)
def test_a_game_does_not_depend_on_the_games_beside_it(make_run: RunMaker, words: Words) -> None:
    options = ("anet.critic=true", "rl.exploiter=[1]", "rl.exploiter_starts=0.6")
    run = make_run("run", *words, *options, "rl.episodes_per_update=8")
    run.hard_cases.starts = [(4, 0, 1, 3), (2,)]
    together: dict[int, Episode] = {}
    run._engine.play(range(1, 9), together)
    for number, episode in together.items():
        alone: dict[int, Episode] = {}
        run._engine.play([number], alone)
        assert alone[number].actions == episode.actions
        assert alone[number].simulations == episode.simulations


@pytest.mark.parametrize("words", [IN_SLOTS, EXPERT], ids=["slots", "lockstep"])
def test_more_games_than_a_batch_takes_are_played_in_groups_or_one_after_the_other(
    make_run: RunMaker, monkeypatch: Patch, words: Words
) -> None:
    together = make_run.trained("together", *words)
    monkeypatch.setattr("anet.evaluator._OF_PLANES", 2)
    groups = make_run("groups", *words)
    assert [search.games for search in groups._engine.searches] == [2]
    groups.train()
    assert logs_of(groups)[1].count("\n") == logs_of(together)[1].count("\n") == 6


@pytest.mark.parametrize("words", [(), IN_SLOTS, EXPERT], ids=["on_policy", "slots", "lockstep"])
def test_each_update_releases_memory(words: Words, make_run: RunMaker, monkeypatch: Patch) -> None:
    given_back: list[str] = []
    monkeypatch.setattr(rl.play_in_slots, "_BATCHES_BETWEEN", 20)
    for module in (rl.self_play, rl.play_in_slots, rl.rl_system):
        name = module.__name__
        monkeypatch.setattr(
            module, "give_back_freed_memory", lambda name=name: given_back.append(name)
        )
    updates: list[dict[str, Any]] = []
    make_run("run", *words).train(on_update=updates.append)
    assert given_back.count("rl.rl_system") == len(updates) > 0
    assert (given_back.count("rl.self_play") >= len(updates)) == (words is EXPERT)
    assert (given_back.count("rl.play_in_slots") >= 3 * len(updates)) == (words is IN_SLOTS)
