"""Imports and compilation at the start of the program: only the necessary ones."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from base.jit import code_digest, prepare_cache
from tests.project import ROOT, kernel_sources, module_name

HEAVY = {"PIL", "matplotlib", "numba", "numpy", "pydantic", "rich", "scipy", "torch", "yaml"}
NETS_AND_KERNELS = {"matplotlib", "numba", "scipy", "torch"}

LOAD_AND_SEARCH = """
import importlib, json, sys
from numba.core import event
from base.jit import PENDING, make_ready

with event.install_recorder("numba:compile") as recorder:
    for module in sys.argv[1:]:
        importlib.import_module(module)
    make_ready(*PENDING)

    from anet import ANET
    from mcts import MCTS, NRPA
    from base.params import ANETParams
    from state_manager import make_game

    game = make_game("hex", size=3)
    policy = ANET(game, ANETParams(hidden_layers=(4,)), seed=1).exact.rollout_policy(0.5)
    for rollout_policy in (None, policy):
        search = MCTS(game, simulations=20, rollout_policy=rollout_policy)
        search.search(game.initial_state())
        search.search(game.child_state(game.initial_state(), 0))
    for form in ("softmax", "additive"):
        NRPA(game, level=2, iterations=2, form=form).search(game.initial_state())

print(json.dumps([moment.data["dispatcher"].__name__ for _, moment in recorder.buffer]))
"""


def run_python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a fresh Python in the project's root, which must succeed, and return its output."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done


EVERY_HELP = """
import contextlib, main
for name in main.COMMANDS:
    with contextlib.suppress(SystemExit):
        main.main([name, "--help"])
"""


@pytest.mark.parametrize(
    ("program", "heavy"),
    [
        (["main.py"], HEAVY),
        (["main.py", "--help"], HEAVY),
        (["main.py", "completion", "bash"], NETS_AND_KERNELS),
        (["main.py", "params", "rl"], NETS_AND_KERNELS),
        (["-c", EVERY_HELP], NETS_AND_KERNELS),
    ],
    ids=["no command", "help", "completion", "params", "every help"],
)
def test_a_program_that_only_explains_itself_imports_nothing_heavy(
    program: list[str], heavy: set[str]
) -> None:
    report = run_python("-X", "importtime", *program).stderr
    rows = [line for line in report.splitlines() if line.startswith("import time:")]
    imported = {row.rpartition("|")[2].strip().partition(".")[0] for row in rows}
    assert "base" in imported
    assert not imported & heavy


@pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="the kernels run as plain Python, so none is compiled"
)
@pytest.mark.usefixtures("all_compiled")
def test_a_second_process_compiles_no_kernel(tmp_path: Path) -> None:
    # What other processes have compiled, but no other test adds to. Locks come and go meanwhile.
    unfinished = shutil.ignore_patterns(".*", "*.lock", "tmp*")
    shutil.copytree(prepare_cache(), tmp_path / prepare_cache().name, ignore=unfinished)
    modules = [module_name(source) for source in kernel_sources()]

    def compiled() -> list[str]:
        done = run_python("-c", LOAD_AND_SEARCH, *modules, NUMBA_CACHE_DIR=str(tmp_path))
        names: list[str] = json.loads(done.stdout)
        assert done.stderr == ""
        return names

    def cached() -> set[Path]:
        return {*tmp_path.rglob("*.kernel")}

    after_the_first = cached()
    some = {"find_leaves", "tree_search", "epsilon_greedy", "uniform_rollout", "roll_out"}
    assert some <= {path.name.split(".")[-3] for path in after_the_first}
    assert compiled() == []
    assert cached() == after_the_first


def test_kernels_are_compiled_anew_after_an_edit_of_code_alone(tmp_path: Path) -> None:
    def edit(source: Path, old: str, new: str) -> None:
        file = tmp_path / source.relative_to(ROOT)
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new, 1))

    rooms = "base/jit", "state_manager", "mcts", "anet"
    for room in rooms:
        shutil.copytree(ROOT / room, tmp_path / room)
    ours = code_digest(rooms)
    assert code_digest(rooms, tmp_path) == ours, "copies share them"
    for source in kernel_sources():
        if source.is_relative_to(ROOT / "mcts") or source.is_relative_to(ROOT / "anet"):
            edit(source, '"""', '"""Another word. ')
            edit(source, '"""\n\n', '"""\n\n# A comment.\n\n')
    assert code_digest(rooms, tmp_path) == ours
    edit(ROOT / "mcts/tree.py", "ROOT = 0", "ROOT = 1")
    assert code_digest(rooms, tmp_path) != ours
