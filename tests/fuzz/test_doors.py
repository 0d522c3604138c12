"""A hundred inputs for every door; ``make fuzz`` tries thousands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.door import Door, answer, fault_of
from tests.fuzz.doors import DOORS

INPUTS = 100


@pytest.mark.parametrize("name", DOORS)
def test_a_door_serves_or_refuses_in_one_line(name: str, tmp_path: Path) -> None:
    enter = DOORS[name].make(tmp_path)
    answers = [answer(DOORS[name], name, enter, number) for number in range(INPUTS)]
    assert any(each.served for each in answers)
    found = {number: each.fault for number, each in enumerate(answers) if each.fault}
    assert not found, f"python -m tests.long.fuzz {name!r} --first {min(found)} --inputs 1"


@pytest.mark.parametrize("message", ["", "two\nlines", "\x1b[31mred", "x" * 5000])
def test_a_fault_is_found(message: str) -> None:
    def enter(rng: object) -> None:
        raise ValueError(message)

    assert fault_of(message)
    assert answer(Door((ValueError,), lambda folder: enter), "it", enter, 0).fault
    assert "ValueError" in answer(Door((), lambda folder: enter), "it", enter, 0).fault
