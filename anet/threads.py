"""Threads that share work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

Map = Callable[..., Iterable[Any]]
"""What ``map`` does, with all the calls made at any time, and their results in order."""


@contextmanager
def side_by_side(threads: int) -> Iterator[Map]:
    """Yield a ``map`` that makes its calls on several threads; what ends the block ends them all.

    An exception in a call comes out where its result would; calls not begun by then are not made.
    Each call of torch keeps to its thread (``anet.networks``).
    """
    if threads == 1:
        yield map
        return
    with ThreadPoolExecutor(threads) as pool:
        try:
            yield pool.map
        finally:
            pool.shutdown(cancel_futures=True)
