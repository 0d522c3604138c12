"""Boards and tables are shown as in the tables of cases."""

from __future__ import annotations

import pytest

from tests.display.tables import ANSWERS, BOARDS, TABLES
from tests.golden.tables import answered, parts

PARTS = parts(BOARDS) | parts(TABLES)


@pytest.mark.parametrize("title", PARTS)
def test_a_case_has_the_answer_in_the_table(title: str) -> None:
    """After an intended change: ``python -m tests.display.tables``; read the difference."""
    assert answered(title, PARTS[title], ANSWERS) == PARTS[title]
