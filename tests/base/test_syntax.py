"""Tests of the parser for several threads."""

import gc
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from base.syntax import literal


class Garbage:
    """A cycle whose end runs Python's code, so that another thread may go on meanwhile."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        for _ in range(50):
            pass


@pytest.fixture
def many_switches() -> Iterator[None]:
    seconds, thresholds = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(50)
    yield
    gc.set_threshold(*thresholds)
    sys.setswitchinterval(seconds)


@pytest.mark.usefixtures("many_switches")
def test_several_threads_read_literals_at_the_same_time() -> None:
    states = [tuple(range(size)) for size in range(9, 14)]

    def read(depth: int) -> list[object]:
        if depth:
            return read(depth - 1)
        values = []
        for state in states * 100:
            Garbage()
            values.append(literal(str(state)))
        return values

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(read, range(0, 40, 5))) == [states * 100] * 8
