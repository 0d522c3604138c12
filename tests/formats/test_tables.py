"""Texts are read and refused, and commands of the Hex Text Protocol answered, as in the tables."""

import pytest

from tests.formats.tables import ANSWERS, READINGS, SESSIONS
from tests.golden.tables import answered, parts

PARTS = parts(READINGS) | parts(SESSIONS)


@pytest.mark.parametrize("title", PARTS)
def test_a_case_has_the_answer_in_the_table(title: str) -> None:
    """After an intended change: ``python -m tests.formats.tables``; read the difference."""
    assert answered(title, PARTS[title], ANSWERS) == PARTS[title]
