"""The command line, called in this process, in a folder of its own."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pexpect
import pytest
from PIL import Image

import main
from anet import ANET
from base.params import ANETParams
from state_manager import make_game
from tests.project import ROOT, TIMEOUT, Patch
from tests.rl.conftest import TINY

TINY_RUN = (*TINY, "rl.episodes=4")
TOPP = ("topp", "--run", "run", "topp.games=2", "display.mode=off")


@dataclass(frozen=True)
class Result:
    status: int
    output: str
    errors: str


class Call:
    """Runs commands as ``python main.py WORDS`` does, in the folder of the test.

    ``patch`` replaces parts of the program until the test ends.
    """

    def __init__(self, patch: Patch, capsys: pytest.CaptureFixture[str]) -> None:
        self.patch, self._capsys = patch, capsys

    def __call__(self, *words: object, typed: str | None = None) -> Result:
        """Run a command, with this standard input."""
        if typed is not None:
            self.patch.setattr("sys.stdin", io.StringIO(typed))
        self._capsys.readouterr()
        try:
            status = main.main([str(word) for word in words])
        except SystemExit as end:
            status = int(end.code or 0)
        output, errors = self._capsys.readouterr()
        return Result(status, output, errors)

    def output(self, *words: object, typed: str | None = None) -> str:
        """Run a command that succeeds; return what it prints."""
        result = self(*words, typed=typed)
        assert (result.status, result.errors) == (0, ""), result
        return result.output

    def error(self, *words: object, status: int = 2) -> str:
        """Run a command that fails; return the one line of its error."""
        result = self(*words)
        assert result.status == status, result
        assert result.errors.startswith("main.py"), result
        assert (result.errors.count("\n"), result.errors[-1]) == (1, "\n"), result
        return result.errors


@pytest.fixture(scope="session", autouse=True)
def _all_compiled(all_compiled: None) -> None:
    """Compile all kernels first, so that no command here prints progress of compilation."""


@pytest.fixture
def draw_real_pictures() -> None:
    """Request real pictures."""


def save_a_dot(figure: object, path: Path, **options: object) -> None:
    Image.new("L", (1, 1), "white").save(path, "png")


@pytest.fixture(autouse=True)
def _quick(request: pytest.FixtureRequest, monkeypatch: Patch) -> None:
    """Save one white dot for each picture, and measure the regret of nets in few positions."""
    monkeypatch.setattr("proofs.regret._TOPP_POSITIONS", 10)
    if "draw_real_pictures" not in request.fixturenames:
        monkeypatch.setattr("matplotlib.figure.Figure.savefig", save_a_dot)


@pytest.fixture
def call(tmp_path: Path, monkeypatch: Patch, capsys: pytest.CaptureFixture[str]) -> Call:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return Call(monkeypatch, capsys)


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("trained") / "run"
    assert main.main(["train", "--run", str(run), *TINY_RUN]) == 0
    return run


@pytest.fixture
def run(trained: Path, tmp_path: Path, monkeypatch: Patch) -> Path:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(trained, "run")
    return Path("run")


def untrained(name: str = "weak.pt", game: str = "hex", **options: int) -> Path:
    params = ANETParams(hidden_layers=(8,), symmetric=True)
    ANET(make_game(game, **options), params, seed=2).save(name)
    return Path(name)


def spawn(folder: Path, *words: str, terminal: str = "dumb") -> pexpect.spawn[str]:
    return pexpect.spawn(
        sys.executable,
        [str(ROOT / "main.py"), *words],
        cwd=str(folder),
        dimensions=(40, 120),
        encoding="utf-8",
        timeout=TIMEOUT,
        env={**os.environ, "TERM": terminal},
    )


def finished(child: pexpect.spawn[str], status: int = 0) -> str:
    """Wait for the end of a command; return its output since what was last expected."""
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == status, child.before
    return str(child.before)


def log(folder: Path, *records: dict[str, Any]) -> Path:
    file = folder / "games.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return file


def tree(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
