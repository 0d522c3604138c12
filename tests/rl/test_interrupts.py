"""Ctrl-C at any moment, the other signals that stop a program, and processes that are killed."""

import multiprocessing
import os
import re
import signal
import sys
from itertools import count
from pathlib import Path
from typing import Any

import pexpect
import pytest
from matplotlib.figure import Figure

import main
from agents.match.game import GameInPlay
from anet import ANET, Minibatch, TrainingMetrics
from base.cluster import Map
from base.storage import load_checkpoint, read_jsonl
from mcts import MCTS
from rl import holds_run
from rl.self_play import ActualGame
from tests.project import ROOT, TIMEOUT, Patch, Words
from tests.rl.conftest import (
    ALPHAZERO,
    EXPERT,
    IN_SLOTS,
    TINY,
    RunMaker,
    assert_same_run,
    ctrl_c,
    nets_of,
    stopped_training,
)

has_signals = pytest.mark.skipif(sys.platform == "win32", reason="there are no POSIX signals")

GATED = (*ALPHAZERO, "rl.replay_buffer_size=20")
TWO_THREADS = (*GATED, "rl.workers=2")
SLOTS = (*IN_SLOTS, "rl.gating_games=0")
LEAVES = (*SLOTS, "mcts.tree_policy=gumbel", "mcts.solver=true")
TOGETHER = (*IN_SLOTS, "mcts.tree_policy=n_mcts_proportional")  # games kept together or not at all
MOMENTS: list[tuple[tuple[str, ...], type, str, Any, tuple[int, int] | None]] = [
    (GATED, GameInPlay, "end", 1, (0, 3)),
    (GATED, GameInPlay, "end", 4, (0, 3)),
    (GATED, GameInPlay, "end", 6, (3, 3)),
    (TWO_THREADS, GameInPlay, "end", 1, (0, 3)),
    (TWO_THREADS, GameInPlay, "end", 6, (3, 3)),
    ((), ANET, "train", 5, (1, 1)),
    (ALPHAZERO, ANET, "train", 5, (3, 3)),
    (("rl.regret_positions=30",), ANET, "train", 2, (0, 1)),
    (("rl.replay_buffer_size=16",), ANET, "train", 5, (1, 1)),
    (SLOTS, MCTS, "evaluate_batch", 60, None),
    (SLOTS, MCTS, "evaluate_batch", 120, None),
    (SLOTS, ActualGame, "finished", 3, (0, 2)),
    (TOGETHER, MCTS, "search_all", 8, (0, 0)),
    (EXPERT, MCTS, "search_all", 2, (3, 0)),
    (LEAVES, MCTS, "evaluate_batch", lambda search, _: search.slots.waits[:, 1:].sum() > 1, None),
]


@pytest.mark.parametrize(("words", "owner", "name", "when", "left"), MOMENTS)
def test_a_run_goes_on_unchanged_wherever_ctrl_c_came(
    make_run: RunMaker,
    make_shared_run: RunMaker,
    words: Words,
    owner: type,
    name: str,
    when: Any,
    left: tuple[int, int] | None,
) -> None:
    """An update is complete or has no effect, and finished episodes are kept: ``left``."""
    whole, parts = make_shared_run.whole(*words), make_run("parts", *words)
    with ctrl_c(owner, name, when):
        parts.train()
    assert left in (None, (parts.episode, parts.waiting))
    waiting, parts = parts.waiting, make_run("parts", *words)
    parts.resume()
    assert parts.waiting == waiting
    parts.train()
    assert_same_run(whole, parts)


def test_an_interrupted_run_can_go_on_at_once(make_run: RunMaker) -> None:
    whole, parts = make_run.trained("whole", *LEAVES), make_run("parts", *LEAVES)
    with ctrl_c(MCTS, "evaluate_batch", 20):
        parts.train()
    parts.train()
    assert nets_of(parts) == nets_of(whole)


def test_ctrl_c_does_not_wait_for_a_whole_update(make_run: RunMaker, monkeypatch: Patch) -> None:
    steps, train = 0, ANET.train

    def pressing(self: ANET, minibatch: Minibatch, sharing: Map) -> TrainingMetrics:
        nonlocal steps
        steps += 1
        if steps == 4:
            signal.raise_signal(signal.SIGINT)
        return train(self, minibatch, sharing)

    monkeypatch.setattr(ANET, "train", pressing)
    parts = make_run("parts", "rl.minibatches=3")
    with pytest.raises(KeyboardInterrupt):
        parts.train()
    assert (steps, parts.episode, parts.waiting) == (4, 1, 1)


@has_signals
@pytest.mark.parametrize(
    ("stop", "status", "words"),
    [(signal.SIGINT, 130, ()), (signal.SIGTERM, 143, ("rl.episodes_per_update=4", "rl.workers=2"))],
)
def test_a_real_ctrl_c_ends_training_after_saving_and_so_do_other_signals(
    tmp_path: Path, stop: signal.Signals, status: int, words: Words
) -> None:
    run = tmp_path / "run"
    settings = ("rl.episodes=1000000", "mcts.simulations=50", *words)
    ended, output = stopped_training(run, [*TINY, *settings], 3, stop)
    assert ended == status
    played = int(load_checkpoint(run / "checkpoint.pt", "training").meta["episode"])
    assert re.search(
        rf"Stopped after episode {played}\.( \d games? w(as|ere) finished after it and kept; "
        r"--resume continues from there\.)? Go on with: ",
        output,
    )
    assert f"python main.py train --run {run} --resume" in output
    assert f"main.py serve --watch {run}" in output
    assert len(read_jsonl(run / "games.jsonl")) == played >= 3
    assert read_jsonl(run / "metrics.jsonl")[-1]["episode"] == played
    assert (run / "training.png").exists()


@has_signals
def test_a_closed_terminal_ends_training_after_saving(tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = [*TINY, "rl.episodes=1000000", "mcts.simulations=200"]
    command = ["main.py", "train", "--run", str(run), *words]
    process = pexpect.spawn(sys.executable, command, cwd=str(ROOT), timeout=TIMEOUT)
    process.expect("loss")  # of the first update, which the progress bar shows
    # As with a closed window: the terminal is gone before the program receives the signal.
    os.close(process.child_fd)
    process.closed = True
    assert process.wait() == 129
    played = int(load_checkpoint(run / "checkpoint.pt", "training").meta["episode"])
    assert played >= 1
    assert len(read_jsonl(run / "games.jsonl")) == played
    assert (run / "training.png").exists()


WORDS = (*TINY, "rl.episodes=2")


def draw_nothing(figure: object, file: Path, **options: object) -> None:
    """Write an empty file instead of a picture, since drawing takes longer than all else."""
    file.touch()


def train(run: Path, most: int | None, *words: str) -> None:
    """Train, and be killed before more than ``most`` files of the run are made or named."""
    made = 0

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal made
        makes = event == "os.rename" or (event == "open" and int(str(arguments[2])) & os.O_CREAT)
        if makes and str(arguments[0]).startswith(f"{run}{os.sep}"):
            if made == most:
                os.kill(os.getpid(), signal.SIGKILL)
            made += 1

    pytest.MonkeyPatch().setattr(Figure, "savefig", draw_nothing)
    sys.addaudithook(watch)
    with run.with_suffix(".txt").open("w") as output:
        sys.stdout = sys.stderr = output
        status = main.main(["train", "--run", str(run), *words])
    os._exit(status)


def trained(run: Path, most: int | None, *words: str) -> tuple[int | None, str]:
    process = multiprocessing.get_context("fork").Process(target=train, args=(run, most, *words))
    process.start()
    process.join()
    return process.exitcode, run.with_suffix(".txt").read_text()


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked")
def test_a_run_killed_at_its_start_continues_or_begins(make_run: RunMaker, tmp_path: Path) -> None:
    whole = make_run.trained("whole", "rl.episodes=2")
    for most in count():
        run = tmp_path / f"run-{most}"
        assert trained(run, most, *WORDS)[0] == -signal.SIGKILL
        begun, is_enough = holds_run(run), (run / "anet_00000.pt").exists()
        status, output = trained(run, None, "--resume")
        if not begun:
            why = "expected a run to resume, there is no checkpoint.pt; begin it without --resume"
            assert (status, output) == (2, f"main.py train: {run}: {why}\n")
            status, output = trained(run, None, *WORDS)
        assert status == 0, output
        assert_same_run(whole, make_run(run.name, "rl.episodes=2"))
        assert {path.name for path in run.glob(".*")} <= {".lock"}
        if is_enough:
            break
    assert most > 5
