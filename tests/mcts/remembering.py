"""A game that applies its rules once to each state, since a naive twin asks again and again."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, cast

from state_manager import State, StateManager

_RULES = ("winner", "is_final", "to_play", "legal_actions", "child_state", "children")


class _Remembering:
    def __init__(self, game: StateManager) -> None:
        self._game = game
        for name in _RULES:
            setattr(self, name, _by_state(getattr(game, name)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)


def _by_state(function: Callable[..., Any]) -> Callable[..., Any]:
    known: dict[Any, Any] = {}

    def remembered(state: State, *arguments: int) -> Any:
        key = (state.tobytes(), *arguments)
        if key not in known:
            known[key] = function(state, *arguments)
        return known[key]

    return remembered


@lru_cache(maxsize=2)
def remembering(game: StateManager) -> StateManager:
    """Return a game with the same rules, whose arrays are shared: they may not be changed."""
    return game if isinstance(game, _Remembering) else cast(StateManager, _Remembering(game))
