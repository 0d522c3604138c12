"""The same seed gives the same nets, to the byte, however a run is interrupted or extended."""

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from base.storage import load_checkpoint, read_jsonl
from rl import RunDirectory, RunError
from rl.resume import check_resumable
from rl.self_play import SelfPlay
from tests.project import Patch, Words
from tests.rl.conftest import (
    ALPHAZERO,
    BATCHED,
    EXPERT,
    IN_SLOTS,
    SIZED,
    Recorder,
    RunMaker,
    assert_same_run,
    ctrl_c,
    logs_of,
    make_system,
    nets_of,
)

VARIANTS = {
    "defaults": (),
    "critic": ("anet.critic=true", "rl.sigma=0.7", "rl.sigma_decay=0.9", "rl.discount=0.95"),
    "small buffer": ("rl.replay_buffer_size=20", "anet.optimizer=rmsprop", "anet.view=mover"),
    "batches": ("rl.episodes=10", "rl.episodes_per_update=4"),
    "no symmetry": ("rl.symmetry=false", "anet.optimizer=adagrad", "rl.action_choice=greedy"),
    "expert iteration": ("rl.scheme=expert_iteration", "rl.episodes_per_update=2", "rl.epochs=2"),
    "alphazero": (*ALPHAZERO, "rl.temperature_moves=2"),
    "int8": (*ALPHAZERO, "anet.precision=int8", "anet.hidden_layers=[64,64]"),
    "bfloat16": (
        *(*ALPHAZERO, "anet.learning_precision=bfloat16"),
        *("anet.network=pooled", "anet.channels=4", "anet.blocks=2", "mcts.simulations=5"),
    ),
    "nim": ("game.name=nim", "anet.optimizer=sgd", "rl.action_choice=epsilon_greedy"),
    "slots": IN_SLOTS,
    "lockstep": EXPERT,
    "mixed": (*EXPERT, "anet.critic=true", "rl.sigma=0.5", "mcts.simulations_growth=1.3"),
    "sizes": SIZED,
    "normalised": (*SIZED, "anet.batch_normalization=true", "rl.reuse=2"),
    "sizes of an expert": (*SIZED, "rl.scheme=expert_iteration"),
    "three sizes": (*SIZED, "rl.sizes={3: 1, 4: 1, 5: 1}"),
}


def interrupted(make_run: RunMaker, name: str, at: tuple[int, int], *words: str) -> int:
    """Train until Ctrl-C in the middle of an episode; return the last finished one."""
    rl_system = make_run(name, *words)
    with pytest.raises(KeyboardInterrupt):
        rl_system.train([Recorder(interrupt_at=at)])
    return rl_system.episode


@pytest.mark.parametrize("words", VARIANTS.values(), ids=VARIANTS)
def test_a_resumed_run_equals_the_whole_one_of_its_seed(make_run: RunMaker, words: Words) -> None:
    whole = make_run.trained("whole", *words)
    after = interrupted(make_run, "parts", (4, 2), *words)
    batch = whole.params.rl.episodes_per_update
    assert whole.params.rl.sizes or after == 3 // batch * batch  # of one size, games are shown
    shown = ("display.mode=file", "display.every=1", "display.delay=1")
    parts = make_run.resumed("parts", *words, "rl.workers=2", *shown)
    assert_same_run(whole, parts)
    another = make_run.trained("another", *words, "seed=2")
    assert set(nets_of(whole).values()).isdisjoint(nets_of(another).values())
    assert logs_of(whole) != logs_of(another)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_finished_episode_is_not_played_again_when_its_batch_is_interrupted(
    make_run: RunMaker, monkeypatch: Patch, workers: int
) -> None:
    words = ("rl.episodes_per_update=6", "rl.cached_nets=2", f"rl.workers={workers}")
    whole, parts = make_run.trained("whole", *words), make_run("parts", *words)
    with ctrl_c(SelfPlay, "begin", lambda self, group: 5 in group):
        parts.train()
    finished = parts.waiting
    assert finished >= {1: 4, 2: 2}[workers]  # of the worker whose episode was interrupted
    assert parts.episode == 0
    begin, numbers = SelfPlay.begin, list[int]()

    def noted(self: SelfPlay, group: Sequence[int]) -> object:
        numbers.extend(group)
        return begin(self, group)

    monkeypatch.setattr(SelfPlay, "begin", noted)
    parts = make_run.resumed("parts", *words)
    assert len(numbers) == 6 - finished
    assert parts.waiting == 0
    assert_same_run(whole, parts)


FOUR = "rl.episodes_per_update=4"
MIXED = ("rl.scheme=expert_iteration", "anet.critic=true", "rl.sigma=0.5")
GATED = (*ALPHAZERO, "rl.gating_games=2")
SCHEMES = {
    "on policy": (FOUR,),
    "on policy, two workers": (FOUR, "rl.workers=2"),
    "expert iteration": ("rl.scheme=expert_iteration", FOUR),
    "alphazero": (*GATED, FOUR),
    "expert iteration in batches": (*BATCHED, *MIXED, FOUR),
    "alphazero in batches": (*BATCHED, *GATED, FOUR),
}


@pytest.mark.parametrize("words", SCHEMES.values(), ids=SCHEMES)
def test_an_extended_run_equals_the_longer_run(make_run: RunMaker, words: Words) -> None:
    whole, longer = (make_run.trained(f"of {n}", *words, f"rl.episodes={n}") for n in (10, 5))
    for episodes in (5, 6, 10):  # the first changes nothing
        longer = make_run.resumed("of 5", *words, f"rl.episodes={episodes}")
        assert longer.episode == episodes
    assert nets_of(whole).items() <= nets_of(longer).items()
    assert nets_of(longer).keys() == {f"anet_{n:05d}.pt" for n in (0, 4, 8, 10)}
    assert logs_of(longer) == logs_of(whole)


@pytest.mark.parametrize("words", SCHEMES.values(), ids=SCHEMES)
def test_a_run_that_is_killed_at_any_moment_continues_unchanged(
    make_run: RunMaker, tmp_path: Path, monkeypatch: Patch, words: Words
) -> None:
    """A killed process leaves the files of the moment: here they are copied at each checkpoint."""
    monkeypatch.setattr("rl.rl_system.CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr("agents.match.series.TICK_SECONDS", 0.001)
    save = RunDirectory.save_checkpoint
    copies: list[Path] = []

    def save_and_copy(self: RunDirectory, meta: Mapping[str, Any], tensors: Any) -> None:
        save(self, meta, tensors)
        if self.path.name == "whole":
            copies.append(tmp_path / f"{len(copies)}")
            shutil.copytree(self.path, copies[-1])

    monkeypatch.setattr(RunDirectory, "save_checkpoint", save_and_copy)
    whole = make_run.trained("whole", *words, "rl.episodes=6")
    waiting = [
        len(load_checkpoint(copy / "checkpoint.pt", "training").meta["finished"]) for copy in copies
    ]
    assert 4 in waiting  # before the net learns from a round
    if words == SCHEMES["alphazero in batches"]:
        assert 0 < waiting[waiting.index(4) - 1] < 4  # and in the middle of it
    for moment in {n: number for number, n in enumerate(waiting)}.values():
        resumed = make_run(str(moment), *words, "rl.episodes=6")
        resumed.resume()
        assert resumed.waiting == waiting[moment]
        resumed.train()
        assert_same_run(resumed, whole)


def test_lines_after_the_checkpoint_go(
    make_run: RunMaker, make_shared_run: RunMaker, tmp_path: Path
) -> None:
    interrupted(make_run, "parts", (4, 1))
    # As after a crash: lines later than the checkpoint, the last one incomplete.
    for name in ("metrics.jsonl", "games.jsonl"):
        with (tmp_path / "parts" / name).open("a") as log:
            log.write(json.dumps({"episode": 4}) + '\n{"episode": 5, "lo')
    assert_same_run(make_shared_run.whole(), make_run.resumed("parts"))


def test_resuming_refuses_other_changes_by_name() -> None:
    saved, run = make_system().params.model_dump(mode="json"), Path("run")
    del saved["rl"]["epochs"]  # a key that an older run lacks has its default
    check_resumable(saved, 0, make_system().params, run)
    for word, message in {
        "game.size=4": "game.size from 3 to 4",
        "seed=2": "seed from 1 to 2",
        "anet.hidden_layers=[9]": "anet.hidden_layers from [8] to [9]",
        "rl.scheme=alphazero": "rl.scheme from 'on_policy' to 'alphazero'",
        "rl.epochs=2": "rl.epochs from None to 2",
        "topp.games=2": "topp.games from 60 to 2",
    }.items():
        with pytest.raises(RunError) as caught:
            check_resumable(saved, 0, make_system(word).params, run)
        assert str(caught.value) == f"run: --resume cannot change {message}"


def test_a_time_limit_is_kept_by_every_search(make_run: RunMaker) -> None:
    run = make_run.trained(
        "run", "mcts.time_limit=0.001", "mcts.simulations=10000000", "rl.episodes=2"
    )
    assert make_system().params.mcts.time_limit is None
    assert len(read_jsonl(run.run.metrics_path)) == 2
