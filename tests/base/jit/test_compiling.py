"""Kernels are compiled when they are needed, by several processes if there are many kernels."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from base.jit import direct, make_ready
from tests.base.jit.conftest import IN_ORDER, run
from tests.project import ROOT

pytestmark = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="the kernels run as plain Python, so none is compiled"
)


def test_other_processes_compile_what_this_one_loads(folder: Path) -> None:
    few = run(folder, "base.jit.make_ready(few_kernels.step_3); few_kernels.step_7 = abs")
    assert few["seen"][0] == [4, 2], "an uncalled kernel is not compiled"
    names = {path.name.rsplit(".", 2)[0] for path in (folder / "cache").rglob("*.kernel")}
    assert names == {f"few_kernels.step_{number}" for number in range(4)}
    shutil.rmtree(folder / "cache")
    first = run(folder, "base.jit.make_ready(few_kernels.step_7)")
    both = {"result": 18, "compiled here": [], "workers left": 0}
    assert first == {**both, "seen": [[8, 2], *[1] * 8]}
    second = run(folder, "base.jit.make_ready(few_kernels.step_7)")
    assert second == {**first, "seen": []}, "nothing is reported of kernels that are only loaded"


def test_this_process_and_others_share_kernels_that_do_not_call_each_other(folder: Path) -> None:
    leaves = [f"leaf_{number}" for number in range(6)]
    text = "from numba import types\nfrom base.jit import kernel\n"
    for name in leaves:
        text += f"@kernel(types.int64(types.int64))\ndef {name}(x): return x + 1\n"
    text += f"@kernel(types.int64(types.int64))\ndef tree(x): return {'(x) + '.join(leaves)}(x)\n"
    (folder / "wide_kernels.py").write_text(text)
    report = run(folder, "import wide_kernels; assert wide_kernels.tree(1) == 12")
    assert report["seen"][:8] == [[7, 2], *[1] * 7]
    assert 0 < len(report["compiled here"]) < 6


@pytest.mark.parametrize(
    "fault",
    [
        "with open(few_kernels.__file__, 'w') as file: file.write('import os; os._exit(3)')",
        "with open(few_kernels.__file__, 'w') as file: file.write('1 / 0')",
        """
def refused(count): raise BlockingIOError("no more processes")
import base.cluster; base.cluster.process_pool = refused""",
        "",
    ],
    ids=["they die", "they fail", "they cannot be started", "there are none"],
)
def test_kernels_that_other_processes_leave_out_are_compiled_here(folder: Path, fault: str) -> None:
    program = f"{fault}\nbase.jit.make_ready(few_kernels.step_7)"
    report = run(folder, program if fault else "base.jit.compiling.processes_for = lambda _: 1")
    assert (report["result"], report["compiled here"]) == (18, IN_ORDER)
    if not fault:
        assert report["seen"] == [[8, 1], *[1] * 8]


def test_ctrl_c_ends_compiling_at_once_and_leaves_a_valid_cache(folder: Path) -> None:
    pressed = """
signal.signal(signal.SIGINT, signal.default_int_handler)

@contextlib.contextmanager
def press_ctrl_c(kernels, processes):
    yield lambda: signal.raise_signal(signal.SIGINT)

base.jit.watch_compiling(press_ctrl_c)
try:
    base.jit.make_ready(few_kernels.step_7)
except KeyboardInterrupt:
    seen.append("interrupted")
seen.append(workers())
seen.append(len(base.jit.PENDING))
base.jit.watch_compiling(watch)
"""
    report = run(folder, pressed)
    assert report["seen"][:3] == ["interrupted", 0, 8]
    assert report["result"] == 18
    left = report["seen"][3][0]
    assert left < 8, "what was compiled before Ctrl-C is not compiled again"
    assert report["seen"][3:] == [[left, 2], *[1] * left]


def test_the_plain_run_compiles_nothing(folder: Path) -> None:
    report = run(folder, "base.jit.make_ready(few_kernels.step_7)", NUMBA_DISABLE_JIT="1")
    assert (report["result"], report["seen"], report["compiled here"]) == (18, [], [])


SEARCHES = """
import json, sys
from dataclasses import replace
from agents import make_agent
from anet import ANET
from base.jit import PENDING
from base.jit.kernel import Kernel
from base.params import ANETParams
from mcts import MCTS, NRPA, Variant, search_variant
from mcts.priors import RootNoise
from base.methods import ROLLOUTS, TREE_POLICIES
from mcts.priors import GumbelNoise
from state_manager import make_game

loaded, load = [], Kernel.load

def noting(kernel):
    loaded.extend([kernel.__name__] * (kernel in PENDING))
    load(kernel)

Kernel.load = noting
game = make_game("hex", size=3)
net = ANET(game, ANETParams(hidden_layers=(4,), critic=True), seed=1)
policy = net.exact.rollout_policy(epsilon=0.5)
root = game.initial_state()

def search(policy=policy, variant=None, **how):
    return MCTS(game, 9, variant=variant, rollout_policy=policy, **how)

half, puct = Variant().with_settings(rollout_probability=0.5), search_variant("puct")
gumbel = replace(search_variant("gumbel"), root_noise=GumbelNoise(1.0))
makers = {
    "uct": lambda: search(None),
    "with a net": lambda: search(variant=half),
    "in batches": lambda: search(None, puct, evaluate=net.exact.evaluate_batch),
    "noise": lambda: search(variant=replace(puct, root_noise=RootNoise(0.25, 0.3))),
    "Gumbel noise": lambda: search(variant=gumbel),
    "games": lambda: search(None, games=2),
    "NRPA": lambda: NRPA(game, 1, 4),
    **{name: lambda name=name: search(variant=search_variant("uct", name)) for name in ROLLOUTS},
    **{
        name: lambda name=name: search(variant=replace(search_variant(name), solver=True))
        for name in TREE_POLICIES
    },
    **{
        word: lambda word=word: make_agent(word, game)
        for word in ("mcts:judge=true,time_limit=9", "nrpa", "exact")
    },
}
surprises = {}
for name, maker in makers.items():
    made = maker()
    before, modules = len(loaded), {*sys.modules}
    if hasattr(made, "choose_action"):
        made.choose_action(game.child_state(root, 0))
    else:
        result = made.search(root)
    if isinstance(made, MCTS):
        made.search(game.child_state(root, result.best_action))
    surprises[name] = loaded[before:] + sorted({*sys.modules} - modules)
left = [kernel.__name__ for kernel in PENDING]
print(json.dumps([loaded, surprises, left]))
"""


def test_a_new_search_has_loaded_all_kernels_before_its_clock_runs() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SEARCHES], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    loaded, surprises, left = json.loads(done.stdout)
    assert not {name: found for name, found in surprises.items() if found}
    searching = "make_root find_leaves retain_subtree uct rollout_that_adds roll_out"
    assert {*searching.split()} <= set(loaded) - set(left)
    assert "climb" not in left


def test_a_kernel_that_only_kernels_call_refuses_python() -> None:
    from state_manager.hex_rules import rim_place

    refused = r"rim_place is an inner kernel: expected a call from another kernel, got one from Py"
    for ready in (), (rim_place,):
        make_ready(*ready)
        for call in (rim_place, direct(rim_place)) if ready else (rim_place,):
            with pytest.raises(TypeError, match=refused):
                call(np.zeros(3, np.int8), 1)


def test_threads_that_use_a_kernel_while_it_is_compiled_wait_for_it(folder: Path) -> None:
    program = """
import threading
results = []
barrier = threading.Barrier(8)

def use():
    barrier.wait()
    results.append(few_kernels.step_7(10))

sys.setswitchinterval(1e-5)
threads = [threading.Thread(target=use) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert results == [18] * 8, results
"""
    for _ in range(2):  # compiled, then loaded
        run(folder, program)
