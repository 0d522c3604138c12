"""Hints that can be copied into a shell."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from cli.exits import PACKAGES
from cli.shell import command_line
from tests.project import ROOT, Patch, pyproject

pytestmark = pytest.mark.skipif(os.name == "nt", reason="another shell")


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: Patch) -> Path:
    """Return the folder of the interpreter in use, in an environment below the working folder."""
    folder = tmp_path / ".venv" / "bin"
    folder.mkdir(parents=True)
    (folder / "python").symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    monkeypatch.chdir(tmp_path)
    return folder


def test_hints_call_python_by_name_if_path_finds_this_interpreter(
    environment: Path, tmp_path: Path, monkeypatch: Patch
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "python").symlink_to((environment / "python").readlink())
    monkeypatch.setattr("cli.shell._MAIN", tmp_path / "main.py")
    other = ".venv/bin/python"
    for path, program in ((environment, "python"), (tmp_path / "other", other), (tmp_path, other)):
        monkeypatch.setenv("PATH", str(path))
        line = f"{program} main.py topp --run runs/a"
        assert command_line("topp", "--run", Path("runs/a")) == line


def test_hints_hold_absolute_paths_outside_the_project(environment: Path, tmp_path: Path) -> None:
    (tmp_path / "else where").mkdir()
    os.chdir(tmp_path / "else where")
    word = "anet.hidden_layers=[8,8]"
    line = command_line("train", word)
    assert shlex.split(line) == [f"{environment / 'python'}", f"{ROOT / 'main.py'}", "train", word]
    assert f"'{word}'" in line


def test_every_missing_package_of_the_project_is_recognised() -> None:
    words = pyproject()["project"]["dependencies"]
    assert sorted(PACKAGES.values()) == sorted(re.split("[>=]", word)[0] for word in words)
    for module in PACKAGES:
        __import__(module)


@pytest.mark.parametrize(
    ("command", "hint"), [("train", ""), ("play", "is missing; run `make venv`"), ("serve", "")]
)
def test_a_python_without_packages_gives_a_hint(command: str, hint: str, tmp_path: Path) -> None:
    # -S leaves out site-packages, as does a Python whose environment is not activated.
    words = [str(ROOT / "main.py"), command, "--first", "x", "--second=y"]
    done = subprocess.run(
        [sys.executable, "-S", "-E", *words], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode in (1, 2)
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    assert hint in done.stderr
