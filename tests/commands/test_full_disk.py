"""A disk that is full loses no table, and the message names the file."""

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from unittest.mock import Mock

import pytest

from tests.commands.conftest import TINY_RUN, Call, tree
from tests.project import ROOT, Patch, Words

FULL = "No space left on device"
DEVICE = Path("/dev/full")
NET = ("--net", "run/anet_00004.pt", "--games", "2", "--simulations", "5", "--positions", "1")
AGENTS = ("random", "mcts", "--simulations", "5", "--games", "2", "game.size=3")
TOPP = ("topp", "--run", "run", "topp.games=2")
COMPARE = ("compare", *AGENTS, "--out", "new")
ANALYSE = ("analyse", *NET, "--out", "new")
TRAIN = ("train", "--run", "new", *TINY_RUN)
PLAY = ("play", "--first", "random", "--second", "random", "game.size=3", "display.mode=file")

needs_full_output = pytest.mark.skipif(not DEVICE.exists(), reason="there is no such device")


full = Mock(side_effect=OSError(errno.ENOSPC, FULL))


@pytest.fixture
def full_disk(monkeypatch: Patch) -> None:
    monkeypatch.setattr(os, "fsync", full)


@contextmanager
def full_output() -> Iterator[None]:
    with DEVICE.open("w") as output, redirect_stdout(output):
        yield


CASES: dict[str, tuple[tuple[str, ...], str, str, tuple[str, ...]]] = {
    "topp": (TOPP, "run", "Order of training", ("standings.json", "standings.png")),
    "compare": (COMPARE, "new", "2 of 2 games", ("compare.json", "compare.png", "games.jsonl")),
    "analyse": (ANALYSE, "new", "beside search, 5", ("statistics.json", "positions.png")),
    "train": (TRAIN, "new", "", ("metrics.jsonl", "anet_00004.pt", "training.png")),
    "play": (PLAY, "runs/games", "", ()),
}
"""Words, the folder that is written, what is shown in the end, and files in the folder."""


@pytest.mark.usefixtures("full_disk")
@pytest.mark.parametrize(("words", "folder", "shown", "files"), CASES.values(), ids=CASES)
def test_results_are_shown_before_a_file_that_cannot_be_written_is_named(
    call: Call, run: Path, words: Words, folder: str, shown: str, files: Words
) -> None:
    before = tree(run)
    result = call(*words)
    assert result.status == 1
    assert result.errors.startswith(f"main.py {words[0]}: {Path(folder)}")
    assert result.errors.endswith(f": {FULL}\n")
    assert shown in result.output
    assert "Saved in" not in result.output
    assert tree(run) == before


@needs_full_output
@pytest.mark.parametrize("case", [case for case in CASES if case != "play"])
def test_results_that_cannot_be_shown_are_kept(call: Call, run: Path, case: str) -> None:
    words, folder, _, files = CASES[case]
    with full_output():
        result = call(*words)
    assert result.status == 1
    assert result.errors == f"main.py {words[0]}: standard output: {FULL}\n"
    assert all(Path(folder, file).stat().st_size for file in files)


def test_an_unwritable_picture_is_named_and_a_reader_may_leave(call: Call, run: Path) -> None:
    call.patch.setattr("matplotlib.figure.Figure.savefig", full)
    for words, picture, shown in (
        (TRAIN, Path("new/training.png"), "Next: "),
        (TOPP, run / "standings.png", "Standings"),
    ):
        result = call(*words, "display.mode=off")
        assert (result.status, result.errors) == (1, f"main.py {words[0]}: {picture}: {FULL}\n")
        assert shown in result.output
    assert (run / "standings.json").exists()
    (run / "standings.json").unlink()
    leave = Mock(side_effect=BrokenPipeError(errno.EPIPE, "Broken pipe"))
    call.patch.setattr("commands.topp._show", leave)
    assert call(*TOPP, "display.mode=off").status == 1
    assert (run / "standings.json").exists()


@needs_full_output
@pytest.mark.usefixtures("full_disk")
def test_a_table_neither_shown_nor_kept_gives_two_errors_in_one_line(call: Call, run: Path) -> None:
    with full_output():
        result = call(*TOPP)
    assert result.status == 1
    file = run / "standings.json"
    assert result.errors == f"main.py topp: {file}: {FULL}; standard output: {FULL}\n"


@needs_full_output
@pytest.mark.parametrize(("words", "unbuffered"), [("", ""), ("topp --help", "1")])
def test_python_prints_no_error_of_its_own_about_a_full_disk(words: str, unbuffered: str) -> None:
    with DEVICE.open("w") as output:
        done = subprocess.run(
            [sys.executable, "main.py", *words.split()],
            cwd=ROOT,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 1
    assert done.stderr.endswith(f": standard output: {FULL}\n")
    assert done.stderr.count("\n") == 1
