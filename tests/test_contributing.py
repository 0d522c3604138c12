"""Each game, tree policy and learning scheme is registered in every place that CONTRIBUTING lists.

A test that fails quotes the step that is missing.
"""

import ast
import re
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


@pytest.mark.parametrize("name", GAMES)
class TestGames:
    def test_the_search_may_not_import_it(self, name: str) -> None:
        contracts = pyproject()["tool"]["importlinter"]["contracts"]
        forbidden = {module for each in contracts for module in each.get("forbidden_modules", ())}
        module = GAMES[name].partition(":")[0]
        assert module in forbidden, f"{module}: {step(GAME, 'pyproject.toml')}"

    def test_it_is_in_params_yaml(self, name: str) -> None:
        missing = f"{name}: {step(GAME, 'params.yaml')}"
        assert names(name, line_of_key("name")), missing
        example = rf"^# game: \{{name: {name}\b"
        is_there = name == "hex" or re.search(example, text("params.yaml"), re.MULTILINE)
        assert is_there, missing

    def test_it_keeps_the_contract(self, name: str) -> None:
        made = [value for game in CONTRACT_GAMES for value in game.values]
        tried = {each.args[0] for each in made if isinstance(each, partial)}
        assert name in tried, f"{name}: {step(GAME, 'tests/contract/test_games.py')}"

    def test_its_kernels_are_compared_with_plain_python(self, name: str) -> None:
        is_there = f'make_game("{name}"' in text("tests/contract/transcript.py")
        assert is_there, f"{name}: {step(GAME, 'tests/contract/transcript.py')}"

    def test_it_has_a_golden_game(self, name: str) -> None:
        missing = f"{name}: {step(GAME, 'tests/golden/transcripts.py')}"
        assert f"{name}_game.txt" in GOLDEN, missing
        assert (FOLDER / f"{name}_game.txt").exists(), missing

    def test_it_has_tests_of_its_own(self, name: str) -> None:
        is_there = (ROOT / "tests" / "state_manager" / f"test_{name}.py").exists()
        assert is_there, f"{name}: {step(GAME, 'tests/state_manager/')}"

    def test_the_readme_names_it(self, name: str) -> None:
        readme = re.sub(r"[\s-]+", " ", text("README.md").lower())
        assert names(name.replace("_", " "), readme), f"{name}: {step(GAME, 'README.md')}"


@pytest.mark.parametrize("name", TREE_POLICIES)
class TestTreePolicies:
    def test_it_has_a_twin(self, name: str) -> None:
        twins = text("tests/mcts/test_variants.py").partition("TWINS")[2]
        is_there = name == "uct" or f'"{name}": (' in twins
        assert is_there, f"{name}: {step(POLICY, 'TWINS')}"

    def test_it_has_a_page(self, name: str) -> None:
        assert has_page(name), f"{name}: {step(POLICY, 'docs/methods/')}"


@pytest.mark.parametrize("name", SCHEMES)
class TestSchemes:
    def test_it_is_a_parameter(self, name: str) -> None:
        missing = f"{name}: {step(SCHEME, 'SchemeName')}"
        assert name in get_args(SchemeName), missing
        assert TREE_POLICY_OF.get(name) in TREE_POLICIES, missing
        assert names(name, line_of_key("scheme")), f"{name}: {step(SCHEME, 'params.yaml')}"

    def test_it_is_tested(self, name: str) -> None:
        is_there = names(name, text("tests/rl/test_schemes.py")) or name == "on_policy"
        assert is_there, f"{name}: {step(SCHEME, 'tests/rl/test_schemes.py')}"

    def test_it_has_a_page(self, name: str) -> None:
        assert has_page(name), f"{name}: {step(SCHEME, 'docs/methods/')}"


def has_page(name: str) -> bool:
    """Return whether a page in the list of methods names a method."""
    folder = ROOT / "docs" / "methods"
    listed = (folder / "README.md").read_text(encoding="utf-8")
    pages: list[Path] = [folder / link for link in re.findall(r"\((\w+\.md)", listed)]
    return names(name, listed) or any(
        names(name, page.read_text(encoding="utf-8")) for page in pages
    )


def test_the_parameters_name_nothing_that_is_not_registered() -> None:
    assert list(get_args(SchemeName)) == list(SCHEMES)
