"""Openings that keep deterministic agents from repeating one game.

Each two games of a series have their own opening, played from both sides: the first stone on each
cell in turn, then each first stone with one reply, then with another, and so on.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, islice, zip_longest

import numpy as np

from state_manager import State, StateManager

Opening = tuple[int, ...]

_MAX_LENGTH = 4
"""Longest opening, in moves. On the smallest Hex board, 3 x 3, 1,089 up to this length lead to
different positions; longer openings would decide more and more of the games."""


def varied_openings(
    game: StateManager,
    starting_players: Sequence[int],
    seed: int | np.random.SeedSequence = 0,
) -> tuple[Opening, ...]:
    """Return one legal opening for each game of a series, given its starting players.

    Each two games share one opening if the game has the same first moves for both players (as Hex,
    NIM and Ledge). Openings do not repeat until all are used, shorter ones first; the seed fixes
    the order. They are empty if every first move ends the game.
    """
    wanted = -(-len(starting_players) // 2)
    by_starter = {
        starter: list(islice(iterate_openings(game, starter, seed), wanted)) or [()]
        for starter in sorted(set(starting_players))
    }
    return tuple(
        by_starter[starter][(number // 2) % len(by_starter[starter])]
        for number, starter in enumerate(starting_players)
    )


def iterate_openings(
    game: StateManager, starting_player: int = 1, seed: int | np.random.SeedSequence = 0
) -> Iterator[Opening]:
    """Yield openings to different positions, shorter ones first, first moves equally frequent."""
    rng = np.random.default_rng(seed)
    shorter: list[tuple[Opening, State]] = [((), game.initial_state(starting_player))]
    positions: set[bytes] = set()
    for _ in range(_MAX_LENGTH):
        longer: list[tuple[Opening, State]] = []
        # Drawn, not spawned: spawning would change the caller's seed sequence.
        rngs = map(np.random.default_rng, rng.integers(2**63, size=len(shorter)).tolist())
        extensions = [_extensions(game, *old, own) for old, own in zip(shorter, rngs, strict=True)]
        one_of_each_in_turn = chain.from_iterable(zip_longest(*extensions))
        for opening, state in filter(None, one_of_each_in_turn):
            if state.tobytes() not in positions:
                positions.add(state.tobytes())
                longer.append((opening, state))
                yield opening
        shorter = longer


def _extensions(
    game: StateManager, opening: Opening, state: State, rng: np.random.Generator
) -> Iterator[tuple[Opening, State]]:
    for action in rng.permutation(game.legal_actions(state)).tolist():
        child = game.child_state(state, action)
        if not game.is_final(child):
            yield (*opening, action), child
