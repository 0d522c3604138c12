"""Training of nets that are evaluated in batches: the episodes of a round advance together."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Barrier, local
from typing import Any

import numpy as np
import pytest

from anet.evaluator import NetEvaluator
from anet.runtimes.torch_runtime import Floats
from base.params import ParamsError
from base.storage import read_jsonl
from mcts import MCTS
from rl import RLSystem
from rl.episode import Episode
from rl.play_in_slots import GamesInSlots
from tests.project import TIMEOUT
from tests.rl.conftest import (
    EXPERT,
    IN_SLOTS,
    RunMaker,
    assert_same_run,
    logs_of,
    make_system,
    nets_of,
)

MIXED = (*EXPERT, "anet.critic=true", "rl.sigma=0.5", "mcts.simulations_growth=1.3")


@pytest.mark.parametrize("words", [IN_SLOTS, EXPERT, MIXED], ids=["alphazero", "expert", "mixed"])
def test_the_same_seed_gives_the_same_nets(make_run: RunMaker, words: tuple[str, ...]) -> None:
    first = make_run.trained("first", *words)
    second = make_run.trained("second", *words, "rl.workers=2")
    assert nets_of(first) == nets_of(second)
    assert len(set(nets_of(first).values())) >= 2
    assert logs_of(first) == logs_of(second)


def test_a_thread_that_waits_for_the_net_lets_the_other_search_and_evaluate(
    make_run: RunMaker, monkeypatch: pytest.MonkeyPatch
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
    "words",
    [GROWING, (*EXPERT, "rl.temperature_moves=3")],
    ids=["alphazero", "expert"],
)
def test_a_game_does_not_depend_on_the_games_beside_it(
    make_run: RunMaker, words: tuple[str, ...]
) -> None:
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


@pytest.mark.parametrize("words", [IN_SLOTS, EXPERT], ids=["alphazero", "expert"])
def test_whole_games_are_legal_and_labelled_by_the_scheme(
    make_run: RunMaker, words: tuple[str, ...]
) -> None:
    rl_system = make_run.trained("run", *words)
    games = read_jsonl(rl_system.run.path / "games.jsonl")
    assert [game["episode"] for game in games] == [1, 2, 3, 4, 5, 6]
    assert [game["starting_player"] for game in games] == [1, 2, 1, 2, 1, 2]
    game = rl_system.game
    for record in games:
        state = game.initial_state(record["starting_player"])
        for action in record["actions"]:
            state = game.child_state(state, action)  # raises where it is illegal
        assert game.winner(state) == record["winner"]
    plies = sum(len(record["actions"]) for record in games)
    assert len(rl_system.parts[None].replay_buffer) == (plies if words is IN_SLOTS else 6)


def interrupted_after(
    rl_system: RLSystem, method: str, calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Press Ctrl-C after some calls of a method of the search."""
    original, count = getattr(MCTS, method), 0

    def counted(self: MCTS, *arguments: Any, **options: Any) -> Any:
        nonlocal count
        count += 1
        if count > calls:
            raise KeyboardInterrupt
        return original(self, *arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(MCTS, method, counted)
        with pytest.raises(KeyboardInterrupt):
            rl_system.train()


@pytest.mark.parametrize(
    ("words", "method", "calls"),
    [
        ((*IN_SLOTS, "rl.gating_games=0"), "evaluate_batch", 60),
        ((*IN_SLOTS, "rl.gating_games=0"), "evaluate_batch", 120),
        ((*IN_SLOTS, "mcts.tree_policy=n_mcts_proportional"), "search_all", 7),
        (EXPERT, "search_all", 1),
    ],
)
def test_an_interrupted_round_continues_with_the_unfinished_episodes(
    make_run: RunMaker,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    method: str,
    calls: int,
) -> None:
    straight = make_run.trained("straight", *words)
    interrupted_after(make_run("parts", *words), method, calls, monkeypatch)
    assert_same_run(make_run.resumed("parts", *words), straight)


def test_an_interrupted_run_continues_though_leaves_waited_together(
    make_run: RunMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = (*IN_SLOTS, "rl.gating_games=0", "mcts.tree_policy=gumbel", "mcts.solver=true")
    straight, parts = make_run("straight", *words), make_run("parts", *words)
    evaluate = MCTS.evaluate_batch
    straight.train()

    def interrupted(search: MCTS, size: int) -> None:
        if search.slots.waits[:, 1:].sum() > 1:
            raise KeyboardInterrupt
        evaluate(search, size)

    with monkeypatch.context() as patch:
        patch.setattr(MCTS, "evaluate_batch", interrupted)
        with pytest.raises(KeyboardInterrupt):
            parts.train()
    parts.train()
    assert nets_of(parts) == nets_of(straight)


def test_ctrl_c_keeps_the_finished_episodes_of_a_round(
    make_run: RunMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    straight = make_run.trained("straight", *IN_SLOTS)
    parts, advance, over = make_run("parts", *IN_SLOTS), GamesInSlots.advance, 0

    def counted(games: GamesInSlots) -> Iterator[Episode]:
        nonlocal over
        for episode in advance(games):
            yield episode
            over += 1
            if over == 2:
                raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(GamesInSlots, "advance", counted)
        with pytest.raises(KeyboardInterrupt):
            parts.train()
    assert parts.waiting == 2
    resumed = make_run("parts", *IN_SLOTS)
    resumed.resume()
    assert resumed.waiting == 2
    resumed.train()
    assert nets_of(resumed) == nets_of(straight)
    assert logs_of(resumed) == logs_of(straight)


@pytest.mark.parametrize("words", [IN_SLOTS, EXPERT], ids=["slots", "lockstep"])
def test_more_games_than_a_batch_takes_are_played_in_groups_or_one_after_the_other(
    make_run: RunMaker, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    together = make_run.trained("together", *words)
    monkeypatch.setattr("anet.evaluator._OF_PLANES", 2)
    groups = make_run("groups", *words)
    assert [search.games for search in groups._engine.searches] == [2]
    groups.train()
    assert logs_of(groups)[1].count("\n") == logs_of(together)[1].count("\n") == 6


@pytest.mark.parametrize(("size", "games"), [(8, 64), (9, 16), (13, 8), (19, 4)])
def test_a_larger_board_is_searched_in_smaller_batches_which_games_alone_fill(
    make_run: RunMaker, size: int, games: int
) -> None:
    words = f"game.size={size}", "rl.episodes_per_update=64", "anet.critic=true"
    run = make_run("run", *IN_SLOTS, "mcts.tree_policy=gumbel", *words)
    assert {len(search.slots.states) for search in run._engine.searches} == {games}


def test_the_apprentices_moves_follow_the_parameters(make_run: RunMaker) -> None:
    def openings(*words: str) -> list[int]:
        rl_system = make_run("-".join(words), *EXPERT, "rl.episodes=40", *words)
        rl_system.params = rl_system.params.model_copy()
        rl_system.train()
        games = read_jsonl(rl_system.run.path / "games.jsonl")
        return [game["actions"][0] for game in games[:3]]

    greedy = openings("rl.action_choice=greedy", "game.starting_player=1")
    assert len(set(greedy)) == 1
    state = make_system().game.initial_state(1)
    untrained = make_run("untrained", *EXPERT).anet.policy(state)
    assert greedy[0] == int(np.argmax(untrained))
    wild = openings("rl.action_choice=epsilon_greedy", "rl.epsilon=1", "game.starting_player=1")
    assert len(set(wild)) > 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("anet.network=residual",), "anet.network: expected mlp with rl.scheme=on_policy"),
        (
            ("anet.optimizer=muon",),
            "anet.network: expected .*pooled with anet.optimizer=muon, got mlp",
        ),
        (
            (
                *("rl.scheme=alphazero", "anet.network=pooled"),
                *("anet.optimizer=muon", "anet.channels=12"),
            ),
            "anet.channels: expected at least 16 with anet.optimizer=muon, got 12",
        ),
        (
            ("anet.network=residual", "rl.scheme=expert_iteration", "mcts.rollout=quality"),
            "mcts.rollout: expected default with a residual net",
        ),
        (
            ("anet.network=residual", "rl.scheme=alphazero", "mcts.tree_policy=uct_rave"),
            "mcts.tree_policy: expected one without the moves of rollouts",
        ),
    ],
)
def test_options_that_a_batched_net_does_not_support_are_refused(
    words: tuple[str, ...], message: str
) -> None:
    with pytest.raises(ParamsError, match=message):
        make_system(*words)
