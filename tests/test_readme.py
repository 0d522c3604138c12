"""The README's session runs, and what it names is there."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from base.params import load_params
from mcts.variants import ROLLOUTS, TREE_POLICIES
from rl.schemes import SCHEMES
from state_manager import game_names, game_schema
from tests.project import ROOT

README = ROOT / "README.md"
ROOMS = ("params", "state_manager", "mcts", "anet", "agents", "rl", "topp")


def test_the_session_of_the_readme_prints_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    results = doctest.testfile(str(README), module_relative=False)
    assert results.attempted > 5
    assert results.failed == 0


def test_every_file_and_function_of_the_pseudocode_table_exists() -> None:
    table = README.read_text().partition("## Where is the pseudocode?")[2].partition("\n## ")[0]
    rows = [line.split("|")[2] for line in table.splitlines() if line.startswith("| ")][2:]
    assert len(rows) > 15
    everywhere = "".join(path.read_text() for room in ROOMS for path in (ROOT / room).glob("*.py"))
    for row in rows:
        names = re.findall(r"`([^`]+)`", row)
        assert names, row
        for name in names:
            if name.endswith(".py"):
                assert (ROOT / name).is_file(), row
            else:
                assert re.search(rf"\b{name.rpartition('.')[2]}\b", everywhere), row


@pytest.mark.parametrize(
    "page", [README, *sorted((ROOT / "docs").rglob("*.md"))], ids=lambda page: page.name
)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?:)([^)#]+)|src=\"([^\"]+)\"", text)
    for link in filter(None, (one or other for one, other in links)):
        assert (page.parent / link).exists(), link


def test_every_tree_policy_and_kind_of_rollouts_has_a_page_that_names_it() -> None:
    pages = "".join(page.read_text() for page in (ROOT / "docs" / "methods").glob("*.md"))
    for name in (*TREE_POLICIES, *ROLLOUTS, *SCHEMES):
        assert name == "default" or re.search(rf"\b{name}\b", pages), name


@pytest.mark.parametrize(
    "example", sorted((ROOT / "examples").glob("*.yaml")), ids=lambda path: path.name
)
def test_every_example_is_a_file_of_parameters(example: Path) -> None:
    load_params(example, game_schemas=SimpleNamespace(names=game_names, schema=game_schema))
