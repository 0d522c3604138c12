"""A disk that is full loses no table, and the message names the file."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

import pytest

from tests.commands.conftest import TINY_RUN, Call, tree
from tests.project import ROOT

FULL = "No space left on device"


@pytest.fixture
def run(trained: Path, tmp_path: Path) -> Path:
    """Return a copy of a finished run."""
    return Path(shutil.copytree(trained, tmp_path / "run"))


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every atomic write of a file fail with a full disk."""

    def fsync(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, FULL)

    monkeypatch.setattr(os, "fsync", fsync)


DEVICE = Path("/dev/full")
ANALYSIS = ["--net", "run/anet_00004.pt", "--games", "2", "--simulations", "5", "--positions", "1"]
COMPARISON = ["random", "mcts", "--simulations", "5", "--games", "2", "game.size=3"]
RANDOM = ["--first", "random", "--second", "random", "game.size=3"]


@pytest.mark.usefixtures("full")
@pytest.mark.parametrize(
    ("words", "file", "shown"),
    [
        (("topp", "--run", "run", "topp.games=2"), "run/standings.json", "Order of training"),
        (("compare", *COMPARISON, "--out", "new"), "new/compare.json", "2 of 2 games were dist"),
        (("analyse", *ANALYSIS, "--out", "new"), "new/", "beside search, 5 simulations"),
        (("train", "--run", "new", *TINY_RUN), "new/metrics.jsonl", ""),
        (("play", *RANDOM, "display.mode=file"), "runs/games/", ""),
    ],
    ids=["topp", "compare", "analyse", "train", "play"],
)
def test_results_are_shown_before_a_file_that_cannot_be_written_is_named(
    call: Call, run: Path, words: tuple[str, ...], file: str, shown: str
) -> None:
    before = tree(run)
    result = call(*words)
    assert result.status == 1
    assert result.errors.startswith(f"main.py {words[0]}: ")
    assert file in result.errors
    assert result.errors.endswith(f": {FULL}\n")
    assert shown in result.output
    assert "Saved in" not in result.output
    assert tree(run) == before


def test_a_picture_that_cannot_be_written_is_named(
    call: Call, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_picture(*arguments: object, **options: object) -> None:
        raise OSError(errno.ENOSPC, FULL)

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", no_picture)
    for words, picture in (
        (("train", "--run", "new", *TINY_RUN), Path("new/training.png")),
        (("topp", "--run", run, "topp.games=2"), run / "standings.png"),
    ):
        result = call(*words, "display.mode=off")
        assert (result.status, result.errors) == (1, f"main.py {words[0]}: {picture}: {FULL}\n")
        assert ("Next: " if words[0] == "train" else "Standings") in result.output
    assert (run / "standings.json").exists()


needs_full_output = pytest.mark.skipif(not DEVICE.exists(), reason="there is such a device")


@contextmanager
def full_output() -> Iterator[None]:
    """Let every print fail with a full disk."""
    with DEVICE.open("w") as output, redirect_stdout(output):
        yield


@needs_full_output
@pytest.mark.parametrize(
    ("words", "files"),
    [
        (("topp", "--run", "run", "topp.games=2"), ("run/standings.json", "run/standings.png")),
        (
            ("compare", *COMPARISON, "--out", "results"),
            ("results/compare.json", "results/compare.png", "results/games.jsonl"),
        ),
        (
            ("analyse", *ANALYSIS, "--out", "results"),
            ("results/statistics.json", "results/positions.png"),
        ),
        (("train", "--run", "new", *TINY_RUN), ("new/anet_00004.pt", "new/training.png")),
    ],
    ids=["topp", "compare", "analyse", "train"],
)
def test_results_that_cannot_be_shown_are_kept(
    call: Call, run: Path, words: tuple[str, ...], files: tuple[str, ...]
) -> None:
    with full_output():
        result = call(*words)
    assert result.status == 1
    assert result.errors == f"main.py {words[0]}: standard output: {FULL}\n"
    for file in files:
        assert Path(file).stat().st_size, file


@needs_full_output
@pytest.mark.usefixtures("full")
def test_a_table_that_can_neither_be_shown_nor_kept_gives_two_errors_in_one_line(
    call: Call, run: Path
) -> None:
    with full_output():
        result = call("topp", "--run", run, "topp.games=2")
    assert result.status == 1
    file = run / "standings.json"
    assert result.errors == f"main.py topp: {file}: {FULL}; standard output: {FULL}\n"


@needs_full_output
@pytest.mark.parametrize(
    ("words", "unbuffered"),
    [("", ""), ("topp --help", "1"), ("play --first random --second random", "")],
)
def test_python_prints_no_error_of_its_own_about_a_full_disk(words: str, unbuffered: str) -> None:
    with DEVICE.open("w") as full:
        done = subprocess.run(
            [sys.executable, "main.py", *words.split()],
            cwd=ROOT,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 1
    assert done.stderr.endswith(f": standard output: {FULL}\n")
    assert done.stderr.count("\n") == 1


def test_results_are_kept_when_the_reader_leaves_in_mid_table(
    call: Call, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leave(*arguments: object) -> None:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr("commands.topp._show", leave)
    assert call("topp", "--run", run, "topp.games=2", "display.mode=off").status == 1
    assert (run / "standings.json").exists()
