"""The benchmark that makes the maps of first stones, and compares them with published ones."""

from __future__ import annotations

from benchmarks.first_stones import compare, exact, searched
from state_manager import make_game


def test_a_search_gives_symmetric_percentages_near_the_truth() -> None:
    game = make_game("hex", size=5)
    states = [game.child_state(game.initial_state(), cell) for cell in range(25)]
    found, true = searched(game, states, 20), exact(game, states)
    assert (found == found[::-1]).all()
    assert ((found >= 1) & (found <= 99)).all()
    assert ((found >= 50) == (true == 100)).mean() > 0.9
    assert (searched(game, states, 20) == found).all()


def test_published_maps_are_compared_cell_by_cell() -> None:
    rows = [[each.strip() for each in line.split("|")[1:-1]] for line in compare()]
    assert ["7x7", "hexwiki", "27", "49 of 49", ""] in rows
    assert ["7x7", "benzene, mirrored", "26", "48 of 49", "b5 100"] in rows
    assert sum(row[0] == "8x8" for row in rows) == 1
