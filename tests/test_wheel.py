"""The wheel runs in an empty environment, from a folder outside the clone."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.project import ROOT, TIMEOUT, rooms

SCRIPTS = "Scripts" if os.name == "nt" else "bin"


class Installation:
    """An environment with the wheel alone; other packages are those of this one."""

    def __init__(self, folder: Path) -> None:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
        wheels, environment = folder / "wheels", folder / "env"
        build = ["wheel", "--no-deps", "--no-build-isolation", "-w", str(wheels), str(ROOT)]
        self.scripts = environment / SCRIPTS
        self.cwd = folder / "elsewhere"
        self.cwd.mkdir()
        self.env = {**os.environ, "PYTHONPATH": sysconfig.get_path("purelib")}
        subprocess.run([*pip, *build], check=True)
        (self.wheel,) = wheels.glob("*.whl")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
        into = ["--python", str(self.scripts / "python"), "install", "--no-deps", str(self.wheel)]
        subprocess.run([*pip, *into], check=True)

    @contextmanager
    def started(self, program: str, *words: str) -> Iterator[subprocess.Popen[str]]:
        """Run a program of the environment; it is killed in the end."""
        with subprocess.Popen(
            [self.scripts / program, *words],
            cwd=self.cwd, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True,
        ) as process:  # fmt: skip
            try:
                yield process
            finally:
                process.kill()

    def run(self, program: str, *words: str) -> str:
        """Return the output of a program, which must succeed."""
        with self.started(program, *words) as process:
            output, _ = process.communicate(timeout=TIMEOUT)
        assert process.returncode == 0, output
        return output


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    return Installation(tmp_path_factory.mktemp("wheel"))


def test_a_wheel_trains_and_plays_its_demo_in_any_folder(installation: Installation) -> None:
    output = installation.run("hex-mcts", "demo", "--seconds", "20", "game.size=3")
    assert "hex-mcts play" in output
    (run,) = (installation.cwd / "runs").iterdir()
    assert (run / "standings.json").exists()


def test_a_wheel_serves_its_page(installation: Installation) -> None:
    with installation.started("hex-mcts", "serve", "--port", "0") as process:
        assert process.stdout is not None
        line = next(line for line in process.stdout if "The page is at" in line)
        with urllib.request.urlopen(line.split()[4], timeout=TIMEOUT) as page:
            assert b"<title>" in page.read()


def test_a_wheel_installs_one_top_level_name(installation: Installation) -> None:
    site = next(installation.scripts.parent.glob("[Ll]ib*/**/site-packages"))
    names = {path.name for path in site.iterdir() if not path.name.endswith(".dist-info")}
    assert names == {"hex_mcts"}
    (installation.cwd / "mcts.py").write_text("raise ImportError('not this one')")
    code = "import hex_mcts; print(hex_mcts.MCTS(hex_mcts.make_game('nim')).game.name)"
    assert installation.run("python", "-c", code).strip() == "nim"


def test_a_wheel_has_every_room(installation: Installation) -> None:
    site = next(installation.scripts.parent.glob("[Ll]ib*/**/site-packages"))
    found = {init.parent.name for init in (site / "hex_mcts" / "rooms").glob("*/__init__.py")}
    assert found == set(rooms()) - {"hex_mcts"}


def test_a_wheel_brings_a_model_for_the_client_of_the_arena(installation: Installation) -> None:
    code = (
        "import os; os.environ['HEX_MCTS_AGENT'] = 'random'; "
        "from hexgame.model_client import load_model; "
        "print(load_model('hex_mcts.hexgame_model').agent([[0] * 9] * 9, ()))"
    )
    assert installation.run("python", "-c", code).strip() == "(4, 4)"
