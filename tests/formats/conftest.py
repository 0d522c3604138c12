"""An engine that plays perfectly, and how it is asked."""

import pytest

from formats.htp import HTPEngine
from tests.formats.tables import answer, exact_engine


@pytest.fixture
def engine() -> HTPEngine:
    return exact_engine()


def replies(engine: HTPEngine, *lines: str) -> list[str]:
    """Return the replies to lines, each without its end."""
    texts = [answer(engine, line) for line in lines]
    assert all(each.endswith("\n\n") for each in texts)
    return [each[:-2] for each in texts]
