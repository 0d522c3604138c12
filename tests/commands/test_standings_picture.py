"""The heading in the picture of a tournament."""

from __future__ import annotations

import pytest

from commands.topp import _how_played
from topp import Setup


@pytest.mark.parametrize(
    ("choice", "epsilon", "words"),
    [
        ("greedy", 0.0, "greedy choice"),
        ("probabilistic", 0.0, "probabilistic choice"),
        ("epsilon_greedy", 0.05, "epsilon-greedy choice (the TOPP's epsilon 0.05)"),
    ],
)
def test_the_line_below_the_heading_names_game_choice_and_games(
    choice: str, epsilon: float, words: str
) -> None:
    setup = Setup("hex", {"size": 5}, 1, 20, choice, epsilon, 0)
    assert _how_played(setup).split("   ·   ") == ["hex(size=5)", words, "G = 20 games a pair"]
