"""CONTRIBUTING's steps for a game and for a tree policy, followed in a copy of the project.

The game is misère NIM: the player of the last stone loses. The tree policy is UCB1-Tuned without
its upper bound of the variance.
"""

import itertools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
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

    def before(self, file: str, old: str, new: str) -> None:
        self.edit(file, old, new + old)

    def copy(self, source: str, target: str) -> None:
        shutil.copy(self.root / source, self.root / target)

    def write(self, file: str, text: str) -> None:
        """Add a text to a file, which may be a new one."""
        with (self.root / file).open("a", encoding="utf-8") as added:
            added.write(text)

    def run(self, said: str, *words: str) -> None:
        """Run Python there, with kernels as plain Python; its output has a regular expression."""
        done = subprocess.run(
            [sys.executable, *words],
            cwd=self.root,
            env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(self.root)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert re.search(said, done.stdout, re.MULTILINE), done.stdout


RULES, GAMES = f"state_manager/{NAME}.py", "state_manager/games.py"
TAKEN = "return player if action + 1 == stones else GOES_ON"
NIM, UCT = '"nim": "state_manager.nim:Nim",\n', '    Method("uct", "mcts.variant:UCT"),\n'
LEDGE, LEDGE_2 = '        make_game("ledge"),\n', '    game("ledge", board=[2]),\n'
OPTIONS = f"{{name: {NAME}, stones: 10, max_take: 3, starting_player: alternate}}"
GOLDEN = f'"{NAME}_game.txt": partial(playthrough, "{NAME}", 1, stones=6, max_take=2),'
TEST = f"""from state_manager import make_game


def test_who_takes_the_last_stone_loses() -> None:
    game = make_game("{NAME}", stones=2, max_take=2)
    assert game.winner(game.child_state(game.initial_state(1), 1)) == 2
"""
PLAY = ("main.py", "play", "display.mode=off", "--first", "random", "--second")
GAME_STEPS: dict[str, list[tuple[str, ...]]] = {
    "copy the game that is most alike": [("copy", "state_manager/nim.py", RULES)],
    "write its rules": [("edit", RULES, TAKEN, TAKEN.replace("player", "3 - player"))],
    "write its class": [
        ("edit", RULES, "the last stone wins", "the last stone loses"),
        ("edit", RULES, "class Nim(StateManager)", "class Misere(StateManager)"),
        ("edit", RULES, 'name: ClassVar[str] = "nim"', f'name: ClassVar[str] = "{NAME}"'),
        ("edit", RULES, "Return the player that", "Return the opponent of the player that"),
        ("edit", RULES, "else 3 - int(state[0])", "else int(state[0])"),
    ],
    "register it": [("before", GAMES, NIM, f'"{NAME}": "state_manager.{NAME}:Misere",\n        ')],
    "forbid the search to import it": [
        ("before", "pyproject.toml", '"state_manager.nim",\n', f'"state_manager.{NAME}",\n    ')
    ],
    "add it to the parameters": [
        ("edit", "params.yaml", "# hex, nim,", f"# hex, nim, {NAME},"),
        ("before", "params.yaml", "# game: {name: ledge", f"# game: {OPTIONS}\n"),
    ],
    "let it keep the contract": [
        (
            *("before", "tests/contract/test_games.py", LEDGE_2),
            f'    game("{NAME}", stones=9, max_take=3),\n',
        ),
        (
            *("before", "tests/contract/transcript.py", LEDGE),
            f'        make_game("{NAME}", stones=6, max_take=2),\n',
        ),
    ],
    "write a golden game": [
        ("before", "tests/golden/transcripts.py", '"nim_game.txt"', f"{GOLDEN}\n    "),
        ("run", "", "-m", "tests.golden.transcripts", f"{NAME}_game.txt"),
    ],
    "show its rules by example": [("write", f"tests/state_manager/test_{NAME}.py", TEST)],
    "name it and play it": [
        ("edit", "README.md", "NIM,", "NIM, misere,"),
        ("run", "wins", *PLAY, "mcts:simulations=20", f"game.name={NAME}"),
    ],
}
VARIANT, VARIANTS = "mcts/variants/unbounded.py", "tests/mcts/test_variants.py"
TWIN = """

class NaiveUnbounded(NaiveUCB1Tuned):
    def bounded(self, variance: float) -> float:
        return variance
"""
POLICY_STEPS: dict[str, list[tuple[str, ...]]] = {
    "write its kernel": [
        ("copy", "mcts/variants/ucb1_tuned.py", VARIANT),
        ("edit", VARIANT, "min(0.25, max(0.0, variance))", "max(0.0, variance)"),
        ("edit", VARIANT, "def ucb1_tuned", "def unbounded"),
        ("edit", VARIANT, "UCB1_TUNED = Variant(", "UNBOUNDED = Variant("),
        ("edit", VARIANT, 'TREE_POLICIES["ucb1_tuned"]', 'TREE_POLICIES["unbounded"]'),
        ("edit", VARIANT, "tree_policy=ucb1_tuned", "tree_policy=unbounded"),
    ],
    "write its line": [
        (
            *("before", "base/methods.py", UCT),
            '    Method("unbounded", "mcts.variants.unbounded:UNBOUNDED"),\n',
        )
    ],
    "write its twin": [
        ("write", "tests/mcts/naive_variants.py", TWIN),
        ("before", VARIANTS, "    NaiveUCB1Tuned,\n", "    NaiveUnbounded,\n"),
        ("before", VARIANTS, '"ucb1_tuned": (', '"unbounded": (NaiveUnbounded, {}, 0.0),\n    '),
    ],
    "write its page": [
        ("write", "docs/methods/unbounded.md", "# Unbounded\n\nUCB1-Tuned without 1/4.\n"),
        ("before", "docs/methods/README.md", "[UCT](variants", "[unbounded](unbounded.md), "),
    ],
    "measure it": [("run", "wins", *PLAY, "mcts:simulations=9,tree_policy=unbounded")],
}
"""The steps of the guide: calls of the methods of ``Project``."""


@pytest.mark.parametrize(
    ("heading", "steps", "name", "tests"),
    [(GAME, GAME_STEPS, NAME, _TESTS), (POLICY, POLICY_STEPS, "unbounded", _POLICY_TESTS)],
)
def test_the_steps_of_the_guide_add_it(
    tmp_path: Path,
    heading: str,
    steps: dict[str, list[tuple[str, ...]]],
    name: str,
    tests: Sequence[str],
) -> None:
    section = text("CONTRIBUTING.md").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    numbers = [int(number) for number in re.findall(r"^(\d+)\. ", section, re.MULTILINE)]
    assert numbers == list(range(1, len(steps) + 1)), "a step is missing here"
    project = Project(tmp_path / "copy")
    for method, *words in itertools.chain(*steps.values()):
        getattr(project, method)(*words)
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", name, *tests]
    project.run(r"^\d+ passed", *words)
