"""The command line, called in this process, in a folder of its own."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import main
from tests.rl.conftest import TINY

TINY_RUN = (*TINY, "rl.episodes=4")


@dataclass(frozen=True)
class Result:
    """What a command did.

    Attributes:
        status: The exit status.
        output: What it wrote to the standard output.
        errors: What it wrote to the standard error.
    """

    status: int
    output: str
    errors: str


Call = Callable[..., Result]


@pytest.fixture(scope="session", autouse=True)
def _all_compiled(all_compiled: None) -> None:
    """Compile all kernels first, so that no command here prints progress of compilation."""


@pytest.fixture
def draw_real_pictures() -> None:
    """Request real pictures."""


def save_a_dot(figure: object, path: Path, **options: object) -> None:
    """Save one white dot instead of a picture."""
    Image.new("L", (1, 1), "white").save(path, "png")


@pytest.fixture(autouse=True)
def _blank_pictures(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Save one white dot for each picture, since drawing takes longer than most commands."""
    if "draw_real_pictures" not in request.fixturenames:
        monkeypatch.setattr("matplotlib.figure.Figure.savefig", save_a_dot)


@pytest.fixture(autouse=True)
def _few_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure the regret of nets in few positions: with 200, it takes longer than a tournament."""
    monkeypatch.setattr("proofs.regret._TOPP_POSITIONS", 10)


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Call:
    """Return a function that runs ``python main.py WORDS`` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def run(*words: object) -> Result:
        capsys.readouterr()
        try:
            status = main.main([str(word) for word in words])
        except SystemExit as end:
            status = int(end.code or 0)
        output, errors = capsys.readouterr()
        return Result(status, output, errors)

    return run


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of a finished tiny run, for tests that only read it."""
    run = tmp_path_factory.mktemp("trained") / "run"
    assert main.main(["train", "--run", str(run), *TINY_RUN]) == 0
    return run


def mistakes(table: str) -> list[Any]:
    """Return cases of the words of a command and the parts of its error, with bars between them."""
    rows = (line.split(" | ") for line in table.splitlines())
    return [pytest.param(shlex.split(words), parts, id=words) for words, *parts in rows]


def tree(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder with its content."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
