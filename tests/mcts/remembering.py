"""A game that applies its rules once to each state, since a naive twin repeats its calls."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

from state_manager import State, StateManager

_RULES = ("winner", "is_final", "to_play", "legal_actions", "child_state", "children")


class _Remembering:
    def __init__(self, game: StateManager) -> None:
        self._game, self._known = game, dict[Any, Any]()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._game, name)
        if name not in _RULES:
            return found

        def remembered(state: State, *arguments: int) -> Any:
            key = (name, state.tobytes(), *arguments)
            if key not in self._known:
                self._known[key] = found(state, *arguments)
            return self._known[key]

        setattr(self, name, remembered)  # it is found without this method from now on
        return remembered


@lru_cache(maxsize=2)
def remembering(game: StateManager) -> StateManager:
    """Return a game with the same rules, whose arrays are shared: they may not be changed."""
    return game if isinstance(game, _Remembering) else cast(StateManager, _Remembering(game))
