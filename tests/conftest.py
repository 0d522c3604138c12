"""Shared by all tests: the settings of Hypothesis, and one compilation of all kernels."""

import gc
import itertools
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.project import ROOT, kernel_sources, module_name

# A first example may wait for a kernel to be loaded, so examples may be slow. CI tries the same
# ones every time; elsewhere they are new ones in every run.
SLOW = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("elsewhere", SLOW)
settings.register_profile("ci", SLOW, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "elsewhere")


def pytest_configure(config: pytest.Config) -> None:
    """Compile all kernels before workers start, which would each compile them on a cold cache.

    Also restore Ctrl-C, which a shell's background jobs and their children ignore, and the
    signals that ``nohup`` ignores.
    """
    gc.set_threshold(10_000)  # as in main.py
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    is_worker = hasattr(config, "workerinput")
    if config.getoption("numprocesses", default=None) and not is_worker:
        compile_all_kernels()


@pytest.fixture(scope="session")
def all_compiled(pytestconfig: pytest.Config) -> None:
    """Compile all kernels first, for tests of a command's output, which would show compilation."""
    if not hasattr(pytestconfig, "workerinput"):  # for workers, it is done
        compile_all_kernels()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the site of the docs; a warning would have ended the build."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    folder = tmp_path_factory.mktemp("site")
    config = load_config(str(ROOT / "mkdocs.yml"), site_dir=str(folder))
    assert config.strict
    build(config)
    return folder


@pytest.fixture
def each_look_takes_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the clock of runs: it shows one second more each time that a run reads it."""
    from rl.clock import RunClock

    clocks: dict[int, Any] = {}

    def seconds(self: RunClock) -> float:
        clock = clocks.setdefault(id(self), itertools.count(1))
        return self.before + float(next(clock))

    monkeypatch.setattr(RunClock, "seconds", property(seconds))


def compile_all_kernels() -> None:
    """Fill the cache; a kernel that does not compile fails in its own tests, with more detail."""
    imports = ", ".join(module_name(source) for source in kernel_sources())
    compile_all = f"import {imports}, base.jit; base.jit.make_ready(*base.jit.PENDING)"
    subprocess.run([sys.executable, "-c", compile_all], cwd=ROOT, capture_output=True)
