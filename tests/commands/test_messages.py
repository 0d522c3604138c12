"""The answers of the program, as they are kept in two tables."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest

from tests.commands.messages import answered, parts

with_slashes = partial(re.sub, r"[\\/]+", "/")
"""On Windows, paths have others."""


@pytest.mark.parametrize("title", parts("messages"))
def test_each_mistake_gets_its_line_and_changes_nothing(
    title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    part = parts("messages")[title]
    assert re.fullmatch(r"((> .*\n)*\$ .*\n[12] main\.py.*\n)+\n?", part)
    assert with_slashes(answered(part)) == with_slashes(part)


@pytest.mark.parametrize("title", parts("sessions"))
def test_each_call_gets_its_answer(
    title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    part = parts("sessions")[title]
    assert with_slashes(answered(part)) == with_slashes(part)
