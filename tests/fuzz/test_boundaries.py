"""A hundred inputs for every input boundary; ``make fuzz`` tries thousands."""

from pathlib import Path

import pytest

from tests.fuzz.boundaries import BOUNDARIES
from tests.fuzz.boundary import Boundary, fault_of, try_input

INPUTS = 100


@pytest.mark.parametrize("name", BOUNDARIES)
def test_a_boundary_accepts_an_input_or_refuses_it_in_one_line(name: str, tmp_path: Path) -> None:
    enter = BOUNDARIES[name].make(tmp_path)
    outcomes = [try_input(BOUNDARIES[name], name, enter, number) for number in range(INPUTS)]
    assert any(each.served for each in outcomes)
    found = {number: each.fault for number, each in enumerate(outcomes) if each.fault}
    assert not found, f"python -m tests.long.fuzz {name!r} --first {min(found)} --inputs 1"


@pytest.mark.parametrize("message", ["", "two\nlines", "\x1b[31mred", "x" * 5000])
def test_the_check_finds_a_faulty_message_and_an_unexpected_error(message: str) -> None:
    def enter(rng: object) -> None:
        raise ValueError(message)

    assert fault_of(message)
    assert try_input(Boundary((ValueError,), lambda folder: enter), "it", enter, 0).fault
    assert "ValueError" in try_input(Boundary((), lambda folder: enter), "it", enter, 0).fault
