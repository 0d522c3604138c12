"""What is imported when the program starts, and what is compiled then: nothing that need not be."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numba
import pytest

from jit import kernel_sources_digest, prepare_cache
from tests.project import ROOT, kernel_sources, module_name, rooms

HEAVY = {"PIL", "matplotlib", "numba", "numpy", "pydantic", "rich", "scipy", "torch", "yaml"}

LOAD_AND_SEARCH = """
import importlib, json, sys
from numba.core import event
from jit import declared_kernels, make_ready

with event.install_recorder("numba:compile") as recorder:
    for module in sys.argv[1:]:
        importlib.import_module(module)
    make_ready(*declared_kernels())

    from anet import ANET
    from mcts import MCTS, NRPA
    from params import ANETParams
    from state_manager import make_game

    game = make_game("hex", size=3)
    policy = ANET(game, ANETParams(hidden_layers=(4,)), seed=1).rollout_policy(epsilon=0.5)
    for rollout_policy in (None, policy):
        search = MCTS(game, simulations=20, rollout_policy=rollout_policy)
        search.search(game.initial_state())
        search.advance(0)
    for form in ("softmax", "additive"):
        NRPA(game, level=2, iterations=2, form=form).search(game.initial_state())

print(json.dumps([moment.data["dispatcher"].__name__ for _, moment in recorder.buffer]))
"""


def run_python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a fresh Python in the project's root, which must succeed, and return what it said."""
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


def packages_imported_by(*command: str) -> set[str]:
    """Return the top-level packages that a command of the program imports."""
    report = run_python("-X", "importtime", "main.py", *command).stderr
    rows = [line for line in report.splitlines() if line.startswith("import time:")]
    return {row.rpartition("|")[2].strip().partition(".")[0] for row in rows}


@pytest.mark.parametrize("command", [(), ("--help",)], ids=["no command", "help"])
def test_listing_the_commands_imports_nothing_heavy(command: tuple[str, ...]) -> None:
    imported = packages_imported_by(*command)
    assert "argparse" in imported
    assert not imported & HEAVY


@pytest.mark.parametrize("command", ["demo", "train", "topp", "play", "compare", "show", "analyse"])
def test_the_help_of_a_command_needs_neither_nets_nor_kernels(command: str) -> None:
    assert not packages_imported_by(command, "--help") & {"matplotlib", "numba", "scipy", "torch"}


@pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="the kernels run as plain Python, so none is compiled"
)
def test_a_second_process_compiles_no_kernel(tmp_path: Path) -> None:
    modules = [module_name(source) for source in kernel_sources()]

    def compiled() -> list[str]:
        done = run_python("-c", LOAD_AND_SEARCH, *modules, NUMBA_CACHE_DIR=str(tmp_path))
        names: list[str] = json.loads(done.stdout)
        assert done.stderr == ""
        return names

    def cached() -> set[Path]:
        return {path for path in tmp_path.rglob("*") if path.is_file()}

    compiled()  # here, or by processes that it starts
    after_the_first = cached()
    some = {"simulate", "tree_search", "epsilon_greedy", "uniform_rollout", "run_rollouts"}
    assert some <= {path.name.partition("-")[0].rpartition(".")[2] for path in after_the_first}
    assert compiled() == []
    assert cached() == after_the_first


@pytest.fixture
def copy_of_the_sources(tmp_path: Path) -> Path:
    """Return a folder with a copy of every room."""
    for room in rooms():
        shutil.copytree(ROOT / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_the_same_sources_share_one_cache_folder_wherever_they_lie(
    copy_of_the_sources: Path,
) -> None:
    assert kernel_sources_digest(copy_of_the_sources) == kernel_sources_digest()


@pytest.mark.parametrize("source", kernel_sources(), ids=module_name)
def test_an_edit_of_any_file_with_kernels_starts_a_new_cache_folder(
    copy_of_the_sources: Path, source: Path
) -> None:
    with (copy_of_the_sources / source.relative_to(ROOT)).open("a") as file:
        file.write("# edited\n")
    assert kernel_sources_digest(copy_of_the_sources) != kernel_sources_digest()


def test_renaming_a_file_with_kernels_starts_a_new_cache_folder(copy_of_the_sources: Path) -> None:
    source = copy_of_the_sources / kernel_sources()[0].relative_to(ROOT)
    source.rename(source.with_stem("renamed"))
    assert kernel_sources_digest(copy_of_the_sources) != kernel_sources_digest()


def test_an_edit_elsewhere_keeps_the_cache_folder(copy_of_the_sources: Path) -> None:
    with (copy_of_the_sources / "display" / "__init__.py").open("a") as file:
        file.write("# edited\n")
    assert kernel_sources_digest(copy_of_the_sources) == kernel_sources_digest()


@pytest.fixture
def cache_parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that the user chose for Numba's cache, which this process goes on without."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(numba.config, "CACHE_DIR", numba.config.CACHE_DIR)
    return tmp_path


def test_only_the_cache_folders_used_last_are_kept(cache_parent: Path) -> None:
    for age in range(1, 7):
        folder = cache_parent / f"kernels-{age}"
        folder.mkdir()
        (folder / "kernel.nbi").touch()
        os.utime(folder, (1_000_000_000 - age, 1_000_000_000 - age))
    (cache_parent / "of_somebody_else").mkdir()
    in_use = prepare_cache.__wrapped__()
    assert in_use.name == f"kernels-{kernel_sources_digest()}"
    kept = {in_use.name, "kernels-1", "kernels-2", "kernels-3", "of_somebody_else"}
    assert {path.name for path in cache_parent.iterdir()} == kept
    assert str(in_use) == numba.config.CACHE_DIR


def test_an_old_cache_folder_that_is_used_again_is_kept(cache_parent: Path) -> None:
    in_use = prepare_cache.__wrapped__()
    os.utime(in_use, (0, 0))
    for number in range(6):
        (cache_parent / f"kernels-{number}").mkdir()
    assert prepare_cache.__wrapped__() == in_use
    assert in_use.stat().st_mtime > 0
    assert len(list(cache_parent.iterdir())) == 4


def test_a_folder_that_cannot_be_written_to_is_replaced_by_a_temporary_one(
    cache_parent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = cache_parent / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    # Below a file no folder can be made, not even by the administrator.
    (cache_parent / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(cache_parent / "file" / "cache"))
    in_use = prepare_cache.__wrapped__()
    assert in_use.parent.parent == temporary
    assert in_use.is_dir()
    assert str(in_use) == numba.config.CACHE_DIR
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(in_use.parent))
    assert prepare_cache.__wrapped__() == in_use, "processes that are told of it share it"
