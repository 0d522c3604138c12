"""Threads that share work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from base.cluster import Workers

Map = Callable[..., Iterable[Any]]
"""A ``map`` that may make its calls at any time; results are in order."""


@contextmanager
def side_by_side(threads: int, cluster: Workers | None = None) -> Iterator[Map]:
    """Yield a ``map`` that makes its calls on several threads, or on a cluster.

    An exception in a call is raised in place of its result; calls not begun when the block ends are
    cancelled. Each torch call uses its own thread alone (``anet.networks``).
    """
    if cluster is not None or threads == 1:
        yield map if cluster is None else cluster.map
        return
    with ThreadPoolExecutor(threads) as pool:
        try:
            yield pool.map
        finally:
            pool.shutdown(cancel_futures=True)
