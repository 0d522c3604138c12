"""The wheel runs in an empty environment, from a folder outside the clone."""

import os
import subprocess
import sys
import sysconfig
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import hex_mcts
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
    def started(self, program: str, *words: str, **env: str) -> Iterator[subprocess.Popen[str]]:
        """Run a program of the environment; it is killed in the end."""
        with subprocess.Popen(
            [self.scripts / program, *words],
            cwd=self.cwd, env=self.env | env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True,
        ) as process:  # fmt: skip
            try:
                yield process
            finally:
                process.kill()

    def run(self, program: str, *words: str, **env: str) -> str:
        """Return the output of a program, which must succeed."""
        with self.started(program, *words, **env) as process:
            output, _ = process.communicate(timeout=3 * TIMEOUT)  # its kernels are compiled first
        assert process.returncode == 0, output
        return output


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    return Installation(tmp_path_factory.mktemp("wheel"))


def test_a_wheel_trains_and_compares_its_nets_in_any_folder(installation: Installation) -> None:
    words = "game.size=3", "rl.episodes=4", "mcts.simulations=9", "display.mode=off"
    installation.run("hex-mcts", "train", *words)
    (run,) = (installation.cwd / "runs").iterdir()
    installation.run("hex-mcts", "topp", "--run", str(run), "topp.games=2", "display.mode=off")
    assert (run / "standings.json").exists()


def test_a_wheel_serves_its_page(installation: Installation) -> None:
    with installation.started("hex-mcts", "serve", "--port", "0") as process:
        assert process.stdout is not None
        line = next(line for line in process.stdout if "The page is at" in line)
        with urllib.request.urlopen(line.split()[4], timeout=TIMEOUT) as page:
            assert b"<title>" in page.read()


def test_a_wheel_installs_one_top_level_name_and_every_room(installation: Installation) -> None:
    site = next(installation.scripts.parent.glob("[Ll]ib*/**/site-packages"))
    names = {path.name for path in site.iterdir() if not path.name.endswith(".dist-info")}
    assert names == {"hex_mcts"}
    found = {init.parent.name for init in (site / "hex_mcts" / "rooms").glob("*/__init__.py")}
    assert found == set(rooms()) - {"hex_mcts"}


USE_ALL = """
import importlib, pkgutil, sys
import hex_mcts

for module in pkgutil.walk_packages(hex_mcts.__path__, "hex_mcts."):
    if module.name != "hex_mcts.__main__":
        importlib.import_module(module.name)
net = hex_mcts.load_net("best", hex_mcts.make_game("hex", size=4))
hex_mcts.search(net.game, net=net, simulations=5)
hex_mcts.train(PARAMS, "run-of-library")
assert not {*NAMES} & {*sys.modules}
assert str(hex_mcts.rooms.base.project.IMPORTED_FROM) in sys.path
assert {importlib.import_module(name).OWNER for name in NAMES} == {"the user"}
hex_mcts.train({"rl.episodes": 3, "rl.engine": "threads"}, "run-of-library", resume=True)
"""


def test_a_wheel_and_files_with_the_names_of_rooms_do_not_meet(
    installation: Installation, tmp_path: Path
) -> None:
    params: dict[str, object] = {
        "game.size": 3,
        "mcts.simulations": 5,
        "rl.episodes": 2,
        "rl.cached_nets": 2,
        "rl.engine": "processes",
        "rl.workers": 1,
    }
    names = sorted({*rooms(), "main"} - {"hex_mcts"})
    for name in names:
        (installation.cwd / f"{name}.py").write_text("OWNER = 'the user'")
    code = f"PARAMS, NAMES = {params}, {names}\n{USE_ALL}"
    installation.run("python", "-c", code, NUMBA_DISABLE_JIT="1")  # the first test compiles
    hex_mcts.train(params, tmp_path)
    for net in "anet_00000.pt", "anet_00002.pt":
        same = installation.cwd / "run-of-library" / net
        assert same.read_bytes() == (tmp_path / net).read_bytes()
    assert "simulations" in installation.run("python", "-m", "hex_mcts", "params", "mcts")


def test_a_wheel_brings_a_model_for_the_client_of_the_arena(installation: Installation) -> None:
    code = (
        "import os; os.environ['HEX_MCTS_AGENT'] = 'random'; "
        "from hexgame.model_client import load_model; "
        "print(load_model('hex_mcts.hexgame_model').agent([[0] * 9] * 9, ()))"
    )
    assert installation.run("python", "-c", code).strip() == "(4, 4)"
