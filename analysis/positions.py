"""Positions as they come up when a net plays against itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from agents import choose

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from analysis.comparison import Comparison
    from anet import ANET
    from state_manager import State


@dataclass(frozen=True)
class Position:
    """A position in which there was a choice, at least two legal actions.

    Attributes:
        game_number: The game that it comes from, from 0.
        ply: How many moves had been made.
        plies: How many moves the game had in the end.
        state: `[S]` int8.
        last_action: The move that led here; ``None`` at the start.
        legal_actions: Ascending.
        policy: `[A]`, what the net thinks of it.
        outcome: How the game ended: 1 or 2 won, or 3, a draw.
    """

    game_number: int
    ply: int
    plies: int
    state: State
    last_action: int | None
    legal_actions: NDArray[np.int64]
    policy: NDArray[np.float64]
    outcome: int

    @property
    def points(self) -> float:
        """What the game brought player 1: 1 for a win, 0.5 for a draw, 0 for a loss."""
        return {1: 1.0, 2: 0.0}.get(self.outcome, 0.5)


def self_play(
    net: ANET, game_number: int, starting_player: int, seed: np.random.SeedSequence
) -> list[Position]:
    """Play one game, each move drawn from the net's policy; return where there was a choice."""
    game, rng = net.game, np.random.default_rng(seed)
    state, last_action, ply = game.initial_state(starting_player), None, 0
    seen: list[Position] = []
    while not game.is_final(state):
        legal_actions, policy = game.legal_actions(state), net.policy(state)
        if len(legal_actions) > 1:  # how the game ends is told below
            position = Position(game_number, ply, 0, state, last_action, legal_actions, policy, 0)
            seen.append(position)
        last_action = choose(policy, legal_actions, "probabilistic", 0.0, rng)
        state, ply = game.child_state(state, last_action), ply + 1
    return [replace(each, plies=ply, outcome=game.winner(state)) for each in seen]


def sample_positions(
    comparisons: Sequence[Comparison], count: int, seed: np.random.SeedSequence | int = 0
) -> list[Comparison]:
    """Draw different positions, spread evenly over the plies that most games reach, by ply.

    Args:
        comparisons: What to draw from.
        count: How many to draw; fewer are returned if there are no more different positions.
        seed: Decides between positions of the same ply.
    """
    rng = np.random.default_rng(seed)
    shuffled = [comparisons[index] for index in rng.permutation(len(comparisons))]
    waiting = list({each.position.state.tobytes(): each for each in shuffled}.values())
    rising = sorted(comparisons, key=_ply)
    last_plies = {each.position.game_number: _ply(each) for each in rising}
    drawn: list[Comparison] = []
    for wanted in np.linspace(0, np.median(list(last_plies.values()) or [0]), count):
        if waiting:
            nearest = min(waiting, key=lambda each: abs(_ply(each) - wanted))
            waiting.remove(nearest)
            drawn.append(nearest)
    return sorted(drawn, key=_ply)


def _ply(comparison: Comparison) -> int:
    return comparison.position.ply
