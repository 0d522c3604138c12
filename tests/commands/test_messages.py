"""The answers of the program, as they are kept in two tables: messages.py writes them anew."""

import re
from functools import partial
from pathlib import Path

import pytest

from tests.commands.messages import TABLES, answered, parts
from tests.project import Patch

with_slashes = partial(re.sub, r"[\\/]+", "/")
"""On Windows, paths have others."""
PARTS = {f"{name}: {title}": part for name in TABLES for title, part in parts(name).items()}


@pytest.mark.parametrize("title", PARTS)
def test_each_call_gets_its_answer(title: str, tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.chdir(tmp_path)
    assert with_slashes(answered(PARTS[title])) == with_slashes(PARTS[title])


def test_each_mistake_gets_one_line_and_changes_nothing() -> None:
    for part in parts("messages").values():
        assert re.fullmatch(r"((> .*\n)*\$ .*\n[12] main\.py.*\n)+\n?", part)
