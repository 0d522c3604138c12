"""The same seed gives the same nets, to the byte, whatever the workers and the interruptions."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from anet import ANET
from base.storage import CheckpointError, read_jsonl
from rl import RunError
from rl.resume import check_resumable
from rl.self_play import SelfPlay
from tests.rl.conftest import (
    ALPHAZERO,
    Recorder,
    RunMaker,
    assert_same_run,
    logs_of,
    make_system,
    nets_of,
)

CRITIC = ("anet.critic=true", "rl.sigma=0.7", "rl.sigma_decay=0.9", "rl.discount=0.95")
VARIANTS = {
    "defaults": (),
    "critic": CRITIC,
    "small buffer": ("rl.replay_buffer_size=20", "anet.optimizer=rmsprop", "anet.view=mover"),
    "batches": ("rl.episodes=10", "rl.episodes_per_update=4", "rl.workers=2"),
    "no symmetry": ("rl.symmetry=false", "anet.optimizer=adagrad", "rl.action_choice=greedy"),
    "expert iteration": ("rl.scheme=expert_iteration", "rl.episodes_per_update=2", "rl.epochs=2"),
    "alphazero": (*ALPHAZERO, "rl.temperature_moves=2"),
    "int8": (*ALPHAZERO, "anet.precision=int8", "anet.hidden_layers=[64,64]"),
    "bfloat16": (
        *(*ALPHAZERO, "anet.learning_precision=bfloat16"),
        *("anet.network=pooled", "anet.channels=4", "anet.blocks=2", "mcts.simulations=5"),
    ),
    "nim": ("game.name=nim", "anet.optimizer=sgd", "rl.action_choice=epsilon_greedy"),
}


@pytest.mark.parametrize("words", VARIANTS.values(), ids=VARIANTS)
def test_the_same_seed_gives_the_same_nets(make_run: RunMaker, words: tuple[str, ...]) -> None:
    one, other, another = (
        make_run("one", *words),
        make_run("other", *words),
        make_run("another", *words, "seed=2"),
    )
    for rl_system in (one, other, another):
        rl_system.train()
    assert_same_run(one, other)
    assert set(nets_of(one).values()).isdisjoint(nets_of(another).values())
    assert logs_of(one) != logs_of(another)


@pytest.mark.parametrize("scheme", ["on_policy", "expert_iteration", "alphazero"])
def test_the_number_of_workers_changes_nothing(make_run: RunMaker, scheme: str) -> None:
    runs = []
    for workers in (1, 2, 3, 8):
        words = ("rl.episodes=11", "rl.episodes_per_update=4", f"rl.workers={workers}")
        runs.append(make_run(f"{workers}", *words, f"rl.scheme={scheme}", "rl.gating_games=6"))
        runs[-1].train([Recorder()])
    for other in runs[1:]:
        assert_same_run(runs[0], other)


def test_watching_changes_nothing(make_run: RunMaker) -> None:
    one, other = make_run("one"), make_run("other", "display.mode=file", "display.every=1")
    one.train()
    other.train([Recorder(), Recorder()])
    assert_same_run(one, other)


def interrupted(make_run: RunMaker, name: str, at: tuple[int, int], *words: str) -> int:
    """Train until Ctrl-C in the middle of an episode; return the last finished one."""
    rl_system = make_run(name, *words)
    with pytest.raises(KeyboardInterrupt):
        rl_system.train([Recorder(interrupt_at=at)])
    return rl_system.episode


@pytest.mark.parametrize("words", VARIANTS.values(), ids=VARIANTS)
def test_a_resumed_run_equals_the_uninterrupted_one(
    make_run: RunMaker, words: tuple[str, ...]
) -> None:
    whole = make_run.trained("whole", *words)
    after = interrupted(make_run, "parts", (4, 2), *words)
    batch = whole.params.rl.episodes_per_update
    assert after == 3 // batch * batch
    parts = make_run("parts", *words)
    parts.resume()
    assert parts.episode == after
    parts.train()
    assert_same_run(whole, parts)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_finished_episode_is_not_played_again_when_its_batch_is_interrupted(
    make_run: RunMaker, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    words = ("rl.episodes_per_update=6", "rl.cached_nets=2", f"rl.workers={workers}")
    whole = make_run.trained("whole", *words)

    numbers: list[int] = []

    begin = SelfPlay.begin

    def noted(self: SelfPlay, group: Sequence[int]) -> object:
        numbers.extend(group)
        if stop_at in group:
            raise KeyboardInterrupt
        return begin(self, group)

    monkeypatch.setattr(SelfPlay, "begin", noted)
    stop_at = 5
    parts = make_run("parts", *words)
    with pytest.raises(KeyboardInterrupt):
        parts.train()
    finished = parts.waiting
    assert finished >= {1: 4, 2: 2}[workers]  # of the worker whose episode was interrupted
    assert parts.episode == 0

    stop_at = 0
    numbers.clear()
    parts = make_run.resumed("parts", *words)
    assert len(numbers) == 6 - finished
    assert parts.waiting == 0
    assert_same_run(whole, parts)


def test_a_run_may_be_interrupted_again_and_again(make_run: RunMaker) -> None:
    whole = make_run.trained("whole")
    interrupted(make_run, "parts", (1, 1))
    for _ in range(5):
        parts = make_run("parts")
        parts.resume()
        with pytest.raises(KeyboardInterrupt):
            parts.train([Recorder(interrupt_at=(2, 1))])
    assert parts.episode == 5
    last = make_run.resumed("parts")
    assert_same_run(whole, last)


def test_ctrl_c_keeps_everything_up_to_the_last_finished_episode(
    make_run: RunMaker, tmp_path: Path
) -> None:
    assert interrupted(make_run, "run", (5, 3)) == 4
    lines = [read_jsonl(tmp_path / "run" / name) for name in ("metrics.jsonl", "games.jsonl")]
    assert [[line["episode"] for line in log] for log in lines] == [[1, 2, 3, 4]] * 2
    nets = [ANET.load(tmp_path / "run" / f"anet_{n:05d}.pt").episode for n in (0, 3)]
    assert nets == [0, 3]


def test_resuming_a_finished_run_changes_nothing(make_run: RunMaker) -> None:
    run = make_run.trained("run")
    before = nets_of(run), logs_of(run)
    again = make_run.resumed("run")
    assert (nets_of(again), logs_of(again)) == before


def test_lines_logged_after_the_checkpoint_are_removed(make_run: RunMaker) -> None:
    whole = make_run.trained("whole")
    interrupted(make_run, "parts", (4, 1))
    # As after a crash: lines later than the checkpoint, the last one incomplete.
    folder = whole.run.path.with_name("parts")
    for name in ("metrics.jsonl", "games.jsonl"):
        with (folder / name).open("a") as log:
            log.write(json.dumps({"episode": 4}) + '\n{"episode": 5, "lo')
    parts = make_run.resumed("parts")
    assert_same_run(whole, parts)


@pytest.fixture(scope="module")
def stopped_early(make_shared_run: RunMaker) -> Path:
    """Return a run that was interrupted after two episodes, to be copied."""
    assert interrupted(make_shared_run, "run", (3, 1)) == 2
    return make_shared_run("run").run.path


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("mcts.simulations=16", "mcts.simulations from 15 to 16"),
        ("game.size=4", "game.size from 3 to 4"),
        ("seed=2", "seed from 1 to 2"),
        ("anet.activation=tanh", "anet.activation from 'relu' to 'tanh'"),
        ("anet.hidden_layers=[9]", "anet.hidden_layers from [8] to [9]"),
        ("rl.cached_nets=4", "rl.cached_nets from 3 to 4"),
        ("rl.episodes_per_update=2", "rl.episodes_per_update from 1 to 2"),
        ("rl.scheme=alphazero", "rl.scheme from 'on_policy' to 'alphazero'"),
        ("rl.symmetry=false", "rl.symmetry from True to False"),
        ("topp.games=2", "topp.games from 60 to 2"),
    ],
)
def test_resuming_refuses_other_changes_by_name(
    make_run: RunMaker, stopped_early: Path, tmp_path: Path, word: str, message: str
) -> None:
    shutil.copytree(stopped_early, tmp_path / "run")
    before = (tmp_path / "run" / "params.yaml").read_text()
    with pytest.raises(RunError) as caught:
        make_run("run", word).resume()
    assert str(caught.value) == f"{tmp_path / 'run'}: --resume cannot change {message}"
    assert (tmp_path / "run" / "params.yaml").read_text() == before


def test_a_key_that_an_older_run_lacks_has_its_default(tmp_path: Path) -> None:
    saved = make_system().params.model_dump(mode="json")
    del saved["rl"]["epochs"]
    check_resumable(saved, 0, make_system().params, tmp_path)
    with pytest.raises(RunError, match=r"rl\.epochs from None to 2"):
        check_resumable(saved, 0, make_system("rl.epochs=2").params, tmp_path)


def test_a_run_cannot_be_shortened(make_run: RunMaker) -> None:
    interrupted(make_run, "run", (5, 1))
    with pytest.raises(RunError, match=r"expected rl\.episodes of at least 4.*got 3"):
        make_run("run", "rl.episodes=3").resume()


def test_resuming_allows_other_workers_and_another_display(make_run: RunMaker) -> None:
    whole = make_run.trained("whole")
    interrupted(make_run, "parts", (4, 1))
    parts = make_run.resumed("parts", "rl.workers=3", "display.mode=file", "display.delay=1")
    assert nets_of(parts) == nets_of(whole)


def test_resuming_a_missing_or_damaged_run_is_refused(make_run: RunMaker, tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"expected a run to resume, there is no checkpoint\.pt"):
        make_run("nothing").resume()
    interrupted(make_run, "run", (3, 1))
    checkpoint = tmp_path / "run" / "checkpoint.pt"
    checkpoint.write_bytes(checkpoint.read_bytes()[:-50])
    (tmp_path / "run" / "checkpoint_previous.pt").unlink()
    with pytest.raises(CheckpointError, match=r"checkpoint\.pt: truncated or corrupted"):
        make_run("run").resume()


def test_a_time_limit_is_kept_by_every_search(make_run: RunMaker) -> None:
    run = make_run.trained(
        "run", "mcts.time_limit=0.001", "mcts.simulations=10000000", "rl.episodes=2"
    )
    assert make_system().params.mcts.time_limit is None
    assert len(read_jsonl(run.run.metrics_path)) == 2
