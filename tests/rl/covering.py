"""Few combinations of many settings, in which every two settings meet with all their values."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import combinations, product

Row = dict[str, str]
Pair = frozenset[tuple[str, str]]


def pairs_of(row: Mapping[str, str]) -> set[Pair]:
    """Return every pair of settings of a combination."""
    return {frozenset(pair) for pair in combinations(row.items(), 2)}


def all_pairs(values: Mapping[str, Sequence[str]]) -> set[Pair]:
    """Return every pair of settings."""
    return {
        frozenset(((one, of_one), (other, of_other)))
        for one, other in combinations(values, 2)
        for of_one, of_other in product(values[one], values[other])
    }


def pairwise_rows(values: Mapping[str, Sequence[str]], candidates: int = 30) -> list[Row]:
    """Return combinations that hold every pair of settings at least once.

    Each is the best of some candidates, which begin with a pair that is still missing and then
    take, key by key in random order, the value that adds most missing pairs (AETG, Cohen et al.
    1997). The same values always give the same rows.
    """
    rng = random.Random(0)
    missing = all_pairs(values)
    rows: list[Row] = []
    while missing:
        wanted = min(missing, key=sorted)
        offered = [_candidate(values, missing, dict(wanted), rng) for _ in range(candidates)]
        best = max(offered, key=lambda row: len(pairs_of(row) & missing))
        missing -= pairs_of(best)
        rows.append({key: best[key] for key in values})
    return rows


def _candidate(
    values: Mapping[str, Sequence[str]], missing: set[Pair], row: Row, rng: random.Random
) -> Row:
    """Fill up a row greedily."""
    others = [key for key in values if key not in row]
    for key in rng.sample(others, len(others)):
        shuffled = rng.sample(values[key], len(values[key]))
        row[key] = max(
            shuffled,
            key=lambda value: sum(
                frozenset(((key, value), setting)) in missing for setting in row.items()
            ),
        )
    return row
