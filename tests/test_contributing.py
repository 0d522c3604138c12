"""Each game, tree policy and learning scheme is registered in every place that CONTRIBUTING lists.

A test that fails quotes the step that is missing.
"""

import ast
import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, get_args

import pytest

from base.methods import TREE_POLICIES, TREE_POLICY_OF
from base.params.rl_section import SchemeName
from rl.schemes import SCHEMES
from state_manager.games import GAMES
from tests.contract.test_games import GAMES as CONTRACT_GAMES
from tests.golden.transcripts import FOLDER, GOLDEN
from tests.project import ROOT, pyproject


def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def step(section: str, named: str) -> str:
    """Return the step of CONTRIBUTING that names something, to be quoted when it is missing."""
    steps = text("CONTRIBUTING.md").partition(f"## {section}\n")[2].partition("\n## ")[0]
    for found in re.findall(r"^\d+\. .*(?:\n +.*)*", steps, re.MULTILINE):
        if named in found:
            return f"CONTRIBUTING, {section}, step {' '.join(found.split())}"
    raise ValueError(f"expected a step of {section!r} that names {named!r}")


def line_of_key(key: str) -> str:
    found = re.search(rf"^  {key}: .*", text("params.yaml"), re.MULTILINE)
    assert found is not None
    return found[0]


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


def in_params(name: str) -> bool:
    example = rf"^# game: \{{name: {name}\b"
    is_there = name == "hex" or re.search(example, text("params.yaml"), re.MULTILINE)
    return names(name, line_of_key("name")) and bool(is_there)


def may_not_be_imported(name: str) -> bool:
    contracts = pyproject()["tool"]["importlinter"]["contracts"]
    forbidden = {module for each in contracts for module in each.get("forbidden_modules", ())}
    return GAMES[name].partition(":")[0] in forbidden


def keeps_the_contract(name: str) -> bool:
    made = [value for game in CONTRACT_GAMES for value in game.values]
    return name in {each.args[0] for each in made if isinstance(each, partial)}


def has_golden_game(name: str) -> bool:
    return f"{name}_game.txt" in GOLDEN and (FOLDER / f"{name}_game.txt").exists()


def is_in_readme(name: str) -> bool:
    return names(name.replace("_", " "), re.sub(r"[\s-]+", " ", text("README.md").lower()))


def has_twin(name: str) -> bool:
    twins = text("tests/mcts/test_variants.py").partition("TWINS")[2]
    return name == "uct" or f'"{name}": (' in twins


def is_parameter(name: str) -> bool:
    return name in get_args(SchemeName) and TREE_POLICY_OF.get(name) in TREE_POLICIES


PLACES: list[tuple[str, Iterable[str], str, Callable[[str], bool]]] = [
    (GAME, GAMES, "pyproject.toml", may_not_be_imported),
    (GAME, GAMES, "params.yaml", in_params),
    (GAME, GAMES, "tests/contract/test_games.py", keeps_the_contract),
    (
        *(GAME, GAMES, "tests/contract/transcript.py"),
        lambda name: f'make_game("{name}"' in text("tests/contract/transcript.py"),
    ),
    (GAME, GAMES, "tests/golden/transcripts.py", has_golden_game),
    (
        *(GAME, GAMES, "tests/state_manager/"),
        lambda name: (ROOT / "tests" / "state_manager" / f"test_{name}.py").exists(),
    ),
    (GAME, GAMES, "README.md", is_in_readme),
    (POLICY, TREE_POLICIES, "TWINS", has_twin),
    (POLICY, TREE_POLICIES, "docs/methods/", has_page),
    (SCHEME, SCHEMES, "SchemeName", is_parameter),
    (SCHEME, SCHEMES, "params.yaml", lambda name: names(name, line_of_key("scheme"))),
    (
        *(SCHEME, SCHEMES, "tests/rl/test_schemes.py"),
        lambda name: name == "on_policy" or names(name, text("tests/rl/test_schemes.py")),
    ),
    (SCHEME, SCHEMES, "docs/methods/", has_page),
]
"""The places of a section's step, and whether a registered name is in one."""


@pytest.mark.parametrize(
    ("name", "section", "place", "is_in"),
    [(name, section, place, is_in) for section, every, place, is_in in PLACES for name in every],
)
def test_what_is_registered_is_in_each_place_that_a_step_names(
    name: str, section: str, place: str, is_in: Callable[[str], bool]
) -> None:
    assert is_in(name), f"{name}: {step(section, place)}"


def test_the_parameters_name_nothing_that_is_not_registered() -> None:
    assert list(get_args(SchemeName)) == list(SCHEMES)
