"""Ctrl-C in the middle of everything."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from rl.interrupts import deferred_interrupts
from storage import load_checkpoint, read_jsonl
from tests.project import ROOT
from tests.rl.conftest import TINY, RunMaker, nets_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no POSIX signals")


def test_ctrl_c_is_held_back_until_the_block_has_ended() -> None:
    done: list[str] = []

    def work() -> None:
        with deferred_interrupts():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            done.append("all of it")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["all of it"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_without_ctrl_c_nothing_is_raised_and_the_handler_comes_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    with deferred_interrupts():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


def test_blocks_may_lie_in_each_other() -> None:
    done: list[str] = []

    def work() -> None:
        with deferred_interrupts():
            with deferred_interrupts():
                signal.raise_signal(signal.SIGINT)
                done.append("inner")
            done.append("outer")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["inner", "outer"]


def test_an_error_in_the_block_gives_the_handler_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ValueError, match="from within"), deferred_interrupts():
        raise ValueError("from within")
    assert signal.getsignal(signal.SIGINT) is before


def test_in_other_threads_nothing_is_done() -> None:
    seen = []

    def work() -> None:
        with deferred_interrupts():
            seen.append(signal.getsignal(signal.SIGINT))

    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]


@pytest.mark.parametrize("words", [(), ("rl.episodes_per_update=4", "rl.workers=2")])
def test_a_real_ctrl_c_ends_training_after_saving(
    tmp_path: Path, make_run: RunMaker, words: tuple[str, ...]
) -> None:
    run = tmp_path / "run"
    settings = [*TINY, "rl.episodes=1000000", "mcts.simulations=200", *words]
    process = subprocess.Popen(
        [sys.executable, "main.py", "train", "--run", str(run), *settings],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        metrics = run / "metrics.jsonl"
        while not metrics.exists() or metrics.read_bytes().count(b"\n") < 3:
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert errors == ""
    played = int(load_checkpoint(run / "checkpoint.pt", "training").meta["episode"])
    assert f"Stopped after episode {played}; go on with: " in output
    assert f"python main.py train --run {run} --resume" in output
    assert len(read_jsonl(run / "games.jsonl")) == played >= 3
    assert read_jsonl(run / "metrics.jsonl")[-1]["episode"] == played
    assert (run / "training.png").exists()

    resumed = make_run("run", *settings[len(TINY) :], f"rl.episodes={played + 2}")
    resumed.resume()
    resumed.train()
    if not words:
        whole = make_run("whole", *settings[len(TINY) :], f"rl.episodes={played + 2}")
        whole.train()
        last = f"anet_{played + 2:05d}.pt"
        assert nets_of(resumed)[last] == nets_of(whole)[last]
