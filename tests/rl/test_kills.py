"""Processes that are killed while a run starts, before each file that they make."""

import multiprocessing
import os
import signal
import sys
from itertools import count
from pathlib import Path

import pytest
from matplotlib.figure import Figure

import main
from rl import holds_run
from tests.rl.conftest import TINY, RunMaker, assert_same_run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked")

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
