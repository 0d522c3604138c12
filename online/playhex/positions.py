"""Histories of PlayHex: cells, ``swap-pieces`` and ``pass``; black is player 1, and begins."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from base.storage import excerpt
from formats.sgf import action_of
from state_manager import IllegalActionError, State, StateManager, make_game

SIZES = range(3, 20)
"""The boards that are played, of 1 to 53 rows."""
PASS, RESIGN = "pass", "resign"
_MOST_WORDS = 1500


class RequestError(ValueError):
    """A request that cannot be met; ``str(error)`` is one line."""


class Stretch(NamedTuple):
    """Moves without a pass between them: the states before each and after the last one."""

    game: StateManager
    states: list[State]
    actions: list[int]


def stretches_of(size: int, words: Sequence[str], has_swap: bool) -> list[Stretch]:
    """Return the stretches of a history; all but the last end with a pass.

    ``has_swap`` says whether the second move may swap. A ``RequestError`` names an illegal move.
    """
    if size not in SIZES or len(words) > _MOST_WORDS:
        raise RequestError(f"expected a board of 3 to 19 rows and at most {_MOST_WORDS} moves")
    game = make_game("hex", size=size, swap=has_swap)
    found = [Stretch(game, [game.initial_state(1)], [])]
    for number, word in enumerate(words, start=1):
        game, states, actions = found[-1]
        if word == PASS:
            plain, cells = game.without_swap, states[-1][1 : 1 + size * size].tolist()
            state = plain.initial_state(3 - int(states[-1][0]), cells)
            found.append(Stretch(plain, [state], []))
            continue
        action = action_of(word, size)
        try:
            states.append(game.child_state(states[-1], -1 if action is None else action))
        except IllegalActionError:
            got = excerpt(word, 40)
            raise RequestError(f"move {number}: expected a legal move, got {got}") from None
        actions.append(int(action or 0))
    return found


@lru_cache(maxsize=256)
def position_after(size: int, words: tuple[str, ...], has_swap: bool) -> tuple[StateManager, State]:
    """Return the game, with the swap only where it matters, and the state, which is not final."""
    game, states, _ = stretches_of(size, words, has_swap)[-1]
    if game.is_final(states[-1]):
        raise RequestError("expected a game that is not over")
    if len(words) < 2:
        return game, states[-1]
    return game.without_swap, game.states_without_swap(states[-1])
