"""Few combinations of many settings, in which every two settings meet with all their values."""

import random
from collections.abc import Mapping, Sequence
from itertools import combinations, product

Row = dict[str, str]


def pairwise_rows(values: Mapping[str, Sequence[str]], candidates: int = 200) -> list[Row]:
    """Return combinations that hold every pair of settings at least once.

    Each is the best of some random ones that hold a pair which is still missing. The same values
    always give the same rows.
    """
    rng, rows = random.Random(0), list[Row]()
    missing = {
        ((one, of_one), (other, of_other))
        for one, other in combinations(values, 2)
        for of_one, of_other in product(values[one], values[other])
    }
    while missing:
        wanted = dict(min(missing))
        offered = [
            {key: rng.choice(each) for key, each in values.items()} | wanted
            for _ in range(candidates)
        ]
        best = max(offered, key=lambda row: len(missing.intersection(combinations(row.items(), 2))))
        missing.difference_update(combinations(best.items(), 2))
        rows.append(best)
    return rows
