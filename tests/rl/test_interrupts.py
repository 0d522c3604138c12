"""Ctrl-C in the middle of everything."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from storage import load_checkpoint, read_jsonl
from tests.project import PATIENCE, ROOT
from tests.rl.conftest import TINY, RunMaker, nets_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no POSIX signals")


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
        output, errors = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert errors == ""
    assert process.returncode == 130
    played = int(load_checkpoint(run / "checkpoint.pt", "training").meta["episode"])
    assert re.search(
        rf"Stopped after episode {played}( and \d more, not learnt from yet)?; go on with: ", output
    )
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
