"""CONTRIBUTING's steps for a game and for a tree policy, followed in a copy of the project.

The game is misère NIM: the player of the last stone loses. The tree policy is UCB1-Tuned without
its upper bound of the variance.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.project import ROOT
from tests.test_contributing import GAME, POLICY, text

NAME = "misere"
_LEFT_OUT = (".*", "__pycache__", "build", "dist", "nets", "runs", "*.png", "*.gif", "*.egg-info")
_TESTS = (
    "tests/test_contributing.py",
    "tests/contract/test_games.py",
    "tests/golden/test_golden.py",
    "tests/state_manager/test_misere.py",
)
_POLICY_TESTS = ("tests/test_contributing.py", "tests/mcts/test_variants.py")


class Project:
    """A copy of the project."""

    def __init__(self, root: Path) -> None:
        self.root = root
        shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(*_LEFT_OUT))

    def edit(self, file: str, old: str, new: str) -> None:
        """Replace the only, or the first, ``old`` of a file."""
        path = self.root / file
        content = path.read_text("utf-8")
        assert old in content, (file, old)
        path.write_text(content.replace(old, new, 1), "utf-8")

    def python(self, *words: str) -> str:
        """Run Python there, with kernels as plain Python, and return its output."""
        done = subprocess.run(
            [sys.executable, *words],
            cwd=self.root,
            env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(self.root)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def copy_the_game_that_is_most_alike(project: Project) -> None:
    folder = project.root / "state_manager"
    shutil.copy(folder / "nim.py", folder / f"{NAME}.py")


def write_its_rules(project: Project) -> None:
    taken = "return player if action + 1 == stones else GOES_ON"
    project.edit(f"state_manager/{NAME}.py", taken, taken.replace("player", "3 - player"))


def write_its_class(project: Project) -> None:
    file = f"state_manager/{NAME}.py"
    project.edit(file, "the last stone wins", "the last stone loses")
    project.edit(file, "class Nim(StateManager)", "class Misere(StateManager)")
    project.edit(file, 'name: ClassVar[str] = "nim"', f'name: ClassVar[str] = "{NAME}"')
    project.edit(file, "Return the player that took", "Return the opponent of the player that took")
    project.edit(file, "else 3 - int(state[0])", "else int(state[0])")


def register_it(project: Project) -> None:
    nim = '        "nim": "state_manager.nim:Nim",\n'
    new = f'        "{NAME}": "state_manager.{NAME}:Misere",\n'
    project.edit("state_manager/games.py", nim, nim + new)


def forbid_the_search_to_import_it(project: Project) -> None:
    nim = '    "state_manager.nim",\n'
    project.edit("pyproject.toml", nim, f'    "state_manager.{NAME}",\n{nim}')


def add_it_to_the_parameters(project: Project) -> None:
    project.edit("params.yaml", "# hex, nim, ledge", f"# hex, nim, {NAME}, ledge")
    line = f"# game: {{name: {NAME}, stones: 10, max_take: 3, starting_player: alternate}}\n"
    project.edit("params.yaml", "# game: {name: ledge", f"{line}# game: {{name: ledge")


def let_it_keep_the_contract(project: Project) -> None:
    new = f'    game("{NAME}", stones=9, max_take=3),\n    game("ledge", board=[2]),\n'
    project.edit("tests/contract/test_games.py", '    game("ledge", board=[2]),\n', new)
    ledge = '        make_game("ledge"),\n'
    new = f'        make_game("{NAME}", stones=6, max_take=2),\n{ledge}'
    project.edit("tests/contract/transcript.py", ledge, new)


def write_a_golden_game(project: Project) -> None:
    nim = '    "nim_game.txt"'
    new = f'    "{NAME}_game.txt": partial(playthrough, "{NAME}", 1, stones=6, max_take=2),\n{nim}'
    project.edit("tests/golden/transcripts.py", nim, new)
    project.python("-m", "tests.golden.transcripts", f"{NAME}_game.txt")
    assert "outcome: player" in (project.root / f"tests/golden/{NAME}_game.txt").read_text("utf-8")


def show_its_rules_by_example(project: Project) -> None:
    (project.root / f"tests/state_manager/test_{NAME}.py").write_text(
        "from state_manager import make_game\n\n\n"
        "def test_who_takes_the_last_stone_loses() -> None:\n"
        f'    game = make_game("{NAME}", stones=2, max_take=2)\n'
        "    assert game.winner(game.child_state(game.initial_state(1), 1)) == 2\n"
    )


def name_it_and_play_it(project: Project) -> None:
    project.edit("README.md", "NIM,", "NIM, misere,")
    words = ("--first", "random", "--second", "mcts:simulations=20", f"game.name={NAME}")
    assert "wins" in project.python("main.py", "play", *words, "display.mode=off")


def write_its_kernel(project: Project) -> None:
    folder = project.root / "mcts/variants"
    shutil.copy(folder / "ucb1_tuned.py", folder / "unbounded.py")
    for old, new in (
        ("min(0.25, max(0.0, variance))", "max(0.0, variance)"),
        ("def ucb1_tuned", "def unbounded"),
        ("UCB1_TUNED = Variant(", "UNBOUNDED = Variant("),
        ('TREE_POLICIES["ucb1_tuned"]', 'TREE_POLICIES["unbounded"]'),
        ("tree_policy=ucb1_tuned", "tree_policy=unbounded"),
    ):
        project.edit("mcts/variants/unbounded.py", old, new)


def write_its_line(project: Project) -> None:
    uct = '    Method("uct", "mcts.variant:UCT"),\n'
    new = '    Method("unbounded", "mcts.variants.unbounded:UNBOUNDED"),\n'
    project.edit("base/methods.py", uct, uct + new)


def write_its_twin(project: Project) -> None:
    with (project.root / "tests/mcts/naive_variants.py").open("a") as file:
        file.write(
            "\n\nclass NaiveUnbounded(NaiveUCB1Tuned):\n"
            "    def bounded(self, variance: float) -> float:\n        return variance\n"
        )
    for old, new in (
        ("    NaiveUCB1Tuned,\n", "    NaiveUCB1Tuned,\n    NaiveUnbounded,\n"),
        ('    "ucb1_tuned": (', '    "unbounded": (NaiveUnbounded, {}, 0.0),\n    "ucb1_tuned": ('),
    ):
        project.edit("tests/mcts/test_variants.py", old, new)


def write_its_page(project: Project) -> None:
    (project.root / "docs/methods/unbounded.md").write_text(
        "# Unbounded\n\nUCB1-Tuned without 1/4.\n"
    )
    project.edit(
        "docs/methods/README.md",
        "[UCT](variants.md#uct),",
        "[UCT](variants.md#uct), [unbounded](unbounded.md),",
    )


def measure_it(project: Project) -> None:
    words = ("--first", "random", "--second", "mcts:simulations=20,tree_policy=unbounded")
    assert "wins" in project.python("main.py", "play", *words, "game.size=3", "display.mode=off")


GAME_STEPS: list[Callable[[Project], None]] = [
    copy_the_game_that_is_most_alike,
    write_its_rules,
    write_its_class,
    register_it,
    forbid_the_search_to_import_it,
    add_it_to_the_parameters,
    let_it_keep_the_contract,
    write_a_golden_game,
    show_its_rules_by_example,
    name_it_and_play_it,
]
POLICY_STEPS = [write_its_kernel, write_its_line, write_its_twin, write_its_page, measure_it]


@pytest.mark.parametrize(
    ("heading", "steps", "name", "tests"),
    [(GAME, GAME_STEPS, NAME, _TESTS), (POLICY, POLICY_STEPS, "unbounded", _POLICY_TESTS)],
)
def test_the_steps_of_the_guide_add_it(
    tmp_path: Path,
    heading: str,
    steps: Sequence[Callable[[Project], None]],
    name: str,
    tests: Sequence[str],
) -> None:
    section = text("CONTRIBUTING.md").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    numbers = [int(number) for number in re.findall(r"^(\d+)\. ", section, re.MULTILINE)]
    assert numbers == list(range(1, len(steps) + 1)), "a step has no function here"
    project = Project(tmp_path / "copy")
    for step in steps:
        step(project)
    words = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", name, *tests)
    assert re.search(r"^\d+ passed", project.python(*words), re.MULTILINE)
