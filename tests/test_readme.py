"""The README's session runs, and what it names is there."""

from __future__ import annotations

import doctest
import re

import pytest

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
