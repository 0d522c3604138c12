"""Compiled kernels are kept in a private folder, and checked before they are run."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import loky
import numba
import pytest

import base.jit.cache
from base.cluster import LocalProcesses
from base.jit import prepare_cache
from tests.base.jit.conftest import IN_ORDER, run, start
from tests.project import ROOT, rooms

compiled = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="the kernels run as plain Python, so none is compiled"
)
posix = pytest.mark.skipif(os.name != "posix", reason="folders have no modes here")

HERE = "base.jit.compiling.processes_for = lambda kernels: 1\n"
LOAD = HERE + "base.jit.make_ready(few_kernels.step_7)"
FULL = """
import base.jit.cache, errno
def full(*arguments, **named):
    raise OSError(errno.ENOSPC, "No space left on device", "disk")
"""
DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "emptied": lambda content: b"",
    "halved": lambda content: content[: len(content) // 2],
    "shorter than a checksum": lambda content: content[:20],
    "garbage": lambda content: bytes(len(content)),
    "one bit": lambda content: content[:-1] + bytes([content[-1] ^ 1]),
    "more": lambda content: content + b"more",
}


def kept(folder: Path) -> list[Path]:
    return sorted((folder / "cache").rglob("*.kernel"))


@compiled
def test_damaged_files_are_compiled_again_and_reported_in_one_line(folder: Path) -> None:
    run(folder, LOAD)
    files = kept(folder)
    assert len(files) == len(DAMAGES) + 2 == 8
    shutil.copy(files[0], files[7])
    for file, damage in zip(files[1:7], DAMAGES.values(), strict=True):
        content = file.read_bytes()
        file.write_bytes(damage(content))
        assert file.read_bytes() != content
    report, errors = start(folder, LOAD)
    assert (report["result"], report["compiled here"]) == (18, IN_ORDER[1:])
    assert errors.count("\n") == 1
    assert errors.startswith(f"kernel cache: {folder / 'cache'}")
    assert errors.endswith(": damaged; such kernels are compiled again\n")
    assert kept(folder) == files
    assert run(folder, LOAD)["compiled here"] == [], "they are whole again"


@compiled
@pytest.mark.parametrize(
    ("foreign", "environment"),
    [
        ("base.jit.cache._VERSIONS = ('another',)\n", {}),
        ("", {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}),
    ],
    ids=["version", "processor"],
)
def test_kernels_of_another_version_or_processor_are_kept_apart(
    folder: Path, foreign: str, environment: dict[str, str]
) -> None:
    run(folder, LOAD)
    report = run(folder, f"import base.jit.cache\n{foreign}{LOAD}", **environment)
    assert (report["result"], report["compiled here"]) == (18, IN_ORDER)
    assert (len(kept(folder)), run(folder, LOAD)["compiled here"]) == (16, [])


@compiled
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (f"{FULL}base.jit.cache.write_bytes = full\n{LOAD}", "disk: No space left on device; "),
        pytest.param(
            f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n{LOAD}",
            ": File too large; ",
            marks=posix,
        ),
        (
            f"{FULL}base.jit.cache.tempfile.TemporaryFile = full\n"
            "base.jit.make_ready(few_kernels.step_7)",
            ": No space left on device; ",
        ),
    ],
    ids=["full disk", "limit of a file", "no temporary files for other processes"],
)
def test_a_cache_that_cannot_be_written_stops_nothing(folder: Path, fault: str, words: str) -> None:
    report, errors = start(folder, fault)
    assert (report["result"], report["compiled here"]) == (18, IN_ORDER)
    assert words in errors
    assert errors.count("\n") == 1
    assert kept(folder) == []


@compiled
def test_copies_of_the_project_share_the_kernels_of_equal_code(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    for room in rooms():
        shutil.copytree(ROOT / room, copy / room, ignore=shutil.ignore_patterns("__pycache__"))
    program = (
        "from base.jit import compiling, make_ready; from state_manager import nim, rules;"
        "from numba.core import event\n"
        "with event.install_recorder('numba:compile') as recorder: make_ready(nim.play)\n"
        "print(sum(moment.is_start for _, moment in recorder.buffer))"
    )

    def compiled_in(project: Path) -> int:
        environment = {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(project)}
        command = [sys.executable, "-c", program]
        return int(subprocess.check_output(command, cwd=project, env={**os.environ, **environment}))

    assert compiled_in(ROOT) > 0
    assert compiled_in(copy) == 0
    rules = copy / "state_manager" / "nim.py"
    rules.write_text(rules.read_text().replace("GOES_ON\n", "GOES_ON + 0\n"))
    assert compiled_in(copy) > 0
    assert compiled_in(ROOT) == 0


@pytest.fixture
def parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that the user set for Numba's cache; this process does not use it."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(base.jit.cache, "_warnings", [])
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    return tmp_path


@compiled
def test_code_that_was_unused_for_long_is_removed_unless_it_is_loaded(folder: Path) -> None:
    run(folder, LOAD)
    (place,) = {file.parent for file in kept(folder)}
    for path, days in ((place, 20), (place.parent / "new", 1), (place.parent / "old", 60)):
        path.mkdir(exist_ok=True)
        (path / "some.kernel").touch()
        os.utime(path, (time.time() - days * 86_400,) * 2)
    (place.parent.parent / "of_another_program").mkdir()
    run(folder, LOAD)
    assert sorted(path.name for path in place.parent.iterdir()) == sorted([place.name, "new"])
    assert (place.parent.parent / "of_another_program").exists()
    assert time.time() - place.stat().st_mtime < 86_400, "loading marks it as used"


def test_a_folder_that_cannot_be_written_to_is_replaced_by_a_temporary_one(
    parent: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # Below a file no folder can be made, not even by the administrator.
    (parent / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(parent / "file" / "cache"))
    in_use = prepare_cache.__wrapped__()
    assert in_use.parent.parent == parent / "temporary"
    assert in_use.is_dir()
    assert len(caplog.messages) == 1
    assert "kernels are compiled again at each start" in caplog.messages[0]
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(in_use.parent))
    assert prepare_cache.__wrapped__() == in_use, "processes share it by the environment"


def test_processes_that_play_share_the_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[dict[str, str]] = []
    monkeypatch.setattr(loky, "ProcessPoolExecutor", lambda *_, env, **__: started.append(env))
    LocalProcesses(2)
    assert [env["NUMBA_CACHE_DIR"] for env in started] == [str(prepare_cache().parent)]


@posix
def test_the_folder_is_private_and_those_of_others_are_refused(
    parent: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    previous = os.umask(0)
    folder, user = prepare_cache.__wrapped__(), os.geteuid()
    os.umask(previous)
    assert (folder.parent, folder.stat().st_mode & 0o777) == (parent, 0o700)
    for mode, me in ((0o770, user), (0o702, user), (0o777, user), (0o700, user + 1)):
        folder.chmod(mode)
        monkeypatch.setattr(os, "geteuid", lambda me=me: me)
        monkeypatch.setattr(base.jit.cache, "_warnings", [])
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(parent))
        assert prepare_cache.__wrapped__() != folder
        assert f"expected a folder of user {me} that no other" in caplog.messages[-1]
        assert f"got one of user {user} with mode {mode:o}" in caplog.messages[-1]


@pytest.mark.parametrize(
    ("platform", "caches", "own", "place"),
    [
        ("linux", None, None, "home/.cache/hex-mcts"),
        ("linux", "{tmp}/caches", None, "caches/hex-mcts"),
        ("linux", "not/absolute", None, "home/.cache/hex-mcts"),
        ("linux", "", None, "home/.cache/hex-mcts"),
        ("darwin", None, None, "home/Library/Caches/hex-mcts"),
        ("win32", None, None, "home/AppData/Local/hex-mcts"),
        ("linux", "{tmp}/caches", "{tmp}/own", "own"),
    ],
)
def test_kernels_are_kept_among_the_users_caches(
    parent: Path, monkeypatch: pytest.MonkeyPatch, platform: str, caches: Any, own: Any, place: str
) -> None:
    home = str(parent / "home")
    given = {"HOME": home, "USERPROFILE": home, "XDG_CACHE_HOME": caches, "NUMBA_CACHE_DIR": own}
    for name, value in given.items():
        monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(name, value.format(tmp=parent))
    monkeypatch.setattr(sys, "platform", platform)
    assert base.jit.cache._users_folder() == parent / place
    if own is None and not caches:
        monkeypatch.setattr(Path, "expanduser", Mock(side_effect=RuntimeError("no home")))
        assert prepare_cache.__wrapped__().parent.parent == parent / "temporary"
