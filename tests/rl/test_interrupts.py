"""Ctrl-C at any moment, and the other signals that stop a program."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pexpect
import pytest

import cli.exits
import rl.rl_system
from base.jit import deferred_interrupts
from base.storage import load_checkpoint, read_jsonl
from cli.exits import stop_signals
from tests.project import ROOT, TIMEOUT
from tests.rl.conftest import TINY, RunMaker, nets_of, stopped_training

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no POSIX signals")


@pytest.mark.parametrize(
    ("stop", "status", "words"),
    [
        (signal.SIGINT, 130, ()),
        (signal.SIGTERM, 143, ("rl.episodes_per_update=4", "rl.workers=2")),
    ],
)
def test_a_real_ctrl_c_ends_training_after_saving_and_so_do_other_signals(
    tmp_path: Path,
    make_run: RunMaker,
    stop: signal.Signals,
    status: int,
    words: tuple[str, ...],
) -> None:
    run = tmp_path / "run"
    settings = [*TINY, "rl.episodes=1000000", "mcts.simulations=50", *words]
    ended, output = stopped_training(run, settings, 3, stop)
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

    resumed = make_run.resumed("run", *settings[len(TINY) :], f"rl.episodes={played + 2}")
    if not words:
        whole = make_run.trained("whole", *settings[len(TINY) :], f"rl.episodes={played + 2}")
        last = f"anet_{played + 2:05d}.pt"
        assert nets_of(resumed)[last] == nets_of(whole)[last]


def test_later_signals_do_not_disturb_the_saving_after_the_first(
    make_run: RunMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, before = make_run("run", "rl.episodes=1000000"), signal.getsignal(signal.SIGTERM)

    @contextmanager
    def interrupted() -> Iterator[None]:
        if run.episode == 2:  # anywhere on the way to saving, Ctrl-C not yet held back
            signal.raise_signal(signal.SIGTERM)
        with deferred_interrupts():
            yield

    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    monkeypatch.setattr(rl.rl_system, "deferred_interrupts", interrupted)
    monkeypatch.setattr(cli.exits, "_AT_ONCE_SECONDS", TIMEOUT)  # however busy the machine is
    with stop_signals(), pytest.raises(KeyboardInterrupt):
        run.train()
    signal.signal(signal.SIGTERM, before)
    assert load_checkpoint(run.run.checkpoint_path, "training").meta["episode"] == run.episode == 2


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
