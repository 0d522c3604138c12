"""Parameters are read and refused as in the tables."""

from __future__ import annotations

import pytest

from tests.base.params.tables import ANSWERS, MISTAKES, VALUES
from tests.golden.tables import answered, parts

PARTS = parts(MISTAKES) | parts(VALUES)


@pytest.mark.parametrize("title", PARTS)
def test_a_case_has_the_answer_in_the_table(title: str) -> None:
    """After an intended change: ``python -m tests.base.params.tables``; read the difference."""
    assert answered(title, PARTS[title], ANSWERS) == PARTS[title]
