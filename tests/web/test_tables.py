"""Requests of the page are answered and refused, and files read and written, as in the tables."""

import pytest

from tests.golden.tables import answered, parts
from tests.web.tables import ANSWERS, FILES

PARTS = {title: part for file in FILES for title, part in parts(file).items()}


@pytest.mark.parametrize("title", PARTS)
def test_a_case_has_the_answer_in_the_table(title: str) -> None:
    """After an intended change: ``python -m tests.web.tables``; read the difference."""
    assert answered(title, PARTS[title], ANSWERS) == PARTS[title]
