"""Whole games and whole search trees are, word for word, what they were."""

import pytest

from tests.golden.transcripts import FOLDER, GOLDEN


@pytest.mark.parametrize("file_name", GOLDEN)
def test_nothing_has_changed(file_name: str) -> None:
    """If it was meant to: ``python -m tests.golden.transcripts``, and read the difference."""
    assert GOLDEN[file_name]() == (FOLDER / file_name).read_text(encoding="utf-8")


def test_every_file_is_compared() -> None:
    assert {path.name for path in FOLDER.glob("*.txt")} == set(GOLDEN)
