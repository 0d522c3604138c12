"""Each game, tree policy and learning scheme is registered in every place that CONTRIBUTING lists.

A test that fails quotes the step that is missing.
"""

import ast
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, get_args

import pytest

from base.methods import ROLLOUTS, TREE_POLICIES, TREE_POLICY_OF
from base.params.rl_section import SchemeName
from rl.schemes import SCHEMES
from state_manager.games import GAMES
from tests.project import ROOT


def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def step(section: str, named: str) -> str:
    """Return the step of CONTRIBUTING that names something, to be quoted when it is missing."""
    steps = text("CONTRIBUTING.md").partition(f"## {section}\n")[2].partition("\n## ")[0]
    for found in re.findall(r"^\d+\. .*(?:\n +.*)*", steps, re.MULTILINE):
        if named in found:
            return f"CONTRIBUTING, {section}, step {' '.join(found.split())}"
    raise ValueError(f"expected a step of {section!r} that names {named!r}")


def names(word: str, where: str) -> bool:
    """Return whether a text has a word, which is not a part of another one."""
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", where) is not None


def written(folder: str, what: str) -> set[str]:
    """Return the modules of a folder that make a ``what``, by themselves or in a class."""
    found = set()
    for path in (ROOT / folder).glob("*.py"):
        module = ast.parse(path.read_text(encoding="utf-8"))
        bodies = [
            module.body,
            *(each.body for each in module.body if isinstance(each, ast.ClassDef)),
        ]
        made = [node.value for body in bodies for node in body if isinstance(node, ast.Assign)]
        if any(isinstance(call, ast.Call) and ast.unparse(call.func) == what for call in made):
            found.add(".".join(path.relative_to(ROOT).with_suffix("").parts))
    return found


def modules(registry: dict[str, Any]) -> set[str]:
    words = [getattr(entry, "entry", entry) for entry in registry.values()]
    return {word.partition(":")[0] for word in words}


GAME, POLICY, SCHEME = "Adding a game", "Adding a tree policy", "Adding a learning scheme"


@pytest.mark.parametrize(
    ("section", "registry", "folder", "made"),
    [
        (GAME, GAMES, "state_manager", "Rules"),
        (POLICY, TREE_POLICIES, "mcts/variants", "Variant"),
        (SCHEME, SCHEMES, "rl/schemes", "Scheme"),
    ],
)
def test_every_written_module_is_registered(
    section: str, registry: dict[str, Any], folder: str, made: str
) -> None:
    found = written(folder, made)
    assert found
    missing = found - modules(registry)
    assert not missing, f"{missing}: {step(section, 'Register it')}"


def has_page(name: str) -> bool:
    """Return whether a page in the list of methods names a method."""
    folder = ROOT / "docs" / "methods"
    listed = (folder / "README.md").read_text(encoding="utf-8")
    pages: list[Path] = [folder / link for link in re.findall(r"\((\w+\.md)", listed)]
    return names(name, listed) or any(
        names(name, page.read_text(encoding="utf-8")) for page in pages
    )


def is_in_readme(name: str) -> bool:
    return names(name.replace("_", " "), re.sub(r"[\s-]+", " ", text("README.md").lower()))


def is_parameter(name: str) -> bool:
    return name in get_args(SchemeName) and TREE_POLICY_OF.get(name) in TREE_POLICIES


def has_tests(name: str) -> bool:
    return (ROOT / "tests" / "state_manager" / f"test_{name}.py").exists()


def in_file(path: str, pattern: str) -> Callable[[str], bool]:
    """Return whether a pattern, with a name in place of NAME, is found in a file."""
    return lambda name: bool(re.search(pattern.replace("NAME", name), text(path), re.MULTILINE))


TWINS, SCHEME_TESTS = "tests/mcts/test_variants.py", "tests/rl/test_schemes.py"
WORD = r"(?<!\w)NAME(?!\w)"
PLACES: list[tuple[str, Iterable[str], str, Callable[[str], bool]]] = [
    (GAME, GAMES, "pyproject.toml", in_file("pyproject.toml", r'^    "state_manager\.NAME",$')),
    (GAME, GAMES, "params.yaml", in_file("params.yaml", rf"^  name: .*{WORD}")),
    (GAME, {*GAMES} - {"hex"}, "params.yaml", in_file("params.yaml", rf"^# game: .name: {WORD}")),
    *(
        (GAME, GAMES, file, in_file(file, pattern))
        for file, pattern in (
            ("tests/contract/test_games.py", r'^    game\("NAME"'),
            ("tests/contract/transcript.py", r'make_game\("NAME"'),
            ("tests/golden/transcripts.py", r'"NAME_game\.txt"'),
        )
    ),
    (GAME, GAMES, "tests/state_manager/", has_tests),
    (GAME, GAMES, "README.md", is_in_readme),
    (POLICY, {*TREE_POLICIES} - {"uct"}, "TWINS", in_file(TWINS, r'^    "NAME": \(')),
    (POLICY, {*TREE_POLICIES, *ROLLOUTS} - {"default"}, "docs/methods/", has_page),
    (SCHEME, SCHEMES, "SchemeName", is_parameter),
    (SCHEME, SCHEMES, "params.yaml", in_file("params.yaml", rf"^  scheme: .*{WORD}")),
    (SCHEME, {*SCHEMES} - {"on_policy"}, SCHEME_TESTS, in_file(SCHEME_TESTS, WORD)),
    (SCHEME, SCHEMES, "docs/methods/", has_page),
]
"""The places of a section's step, and whether a registered name is in one."""


@pytest.mark.parametrize(
    ("name", "section", "place", "is_in"),
    [(name, section, *rest) for section, every, *rest in PLACES for name in sorted(every)],
)
def test_what_is_registered_is_in_each_place_that_a_step_names(
    name: str, section: str, place: str, is_in: Callable[[str], bool]
) -> None:
    assert is_in(name), f"{name}: {step(section, place)}"


def test_the_parameters_name_nothing_that_is_not_registered() -> None:
    assert list(get_args(SchemeName)) == list(SCHEMES)
