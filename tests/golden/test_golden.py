"""Whole games and whole search trees equal the golden files, word for word."""

import pytest

from tests.golden import combinations
from tests.golden.transcripts import FOLDER, GOLDEN


@pytest.mark.parametrize("file_name", GOLDEN)
def test_a_golden_file_is_reproduced(file_name: str) -> None:
    """After an intended change: ``python -m tests.golden.transcripts``; read the difference."""
    assert GOLDEN[file_name]() == (FOLDER / file_name).read_text(encoding="utf-8")


def test_every_file_is_compared() -> None:
    assert {path.name for path in FOLDER.glob("*.txt")} == {*GOLDEN, combinations.FILE.name}


def test_parameters_words_and_searches_accept_the_same_methods() -> None:
    kept = combinations.FILE.read_text(encoding="utf-8").splitlines()
    assert list(combinations.table(searches=17)) == kept
    assert {len(line) for line in kept} == {66}
