"""Requests of the browser, checked and limited before use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from state_manager import make_game

if TYPE_CHECKING:
    from state_manager import State, StateManager

_Name = Annotated[str, Field(min_length=1, max_length=40)]
_Whole = Annotated[int, Field(ge=-1000, le=1000)]
_Value = bool | _Whole | Annotated[list[_Whole], Field(max_length=200)]

AgentWord = Annotated[str, Field(min_length=1, max_length=500, pattern=r"^[^\x00-\x1f\x7f]*$")]
"""The word of an agent; ``House.agent`` says which ones the page may name."""


class AskError(ValueError):
    """A request that cannot be met; ``str(error)`` is one line."""


class Asked(BaseModel):
    """A request of the browser; unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class GameAsked(Asked):
    """A game and its parameters, as ``make_game`` takes them."""

    name: _Name = "hex"
    params: Annotated[dict[_Name, _Value], Field(max_length=8)] = Field(default_factory=dict)

    def made(self) -> StateManager:
        """Return the game.

        Raises:
            UnknownGameError: No game has this name.
        """
        return make_game(self.name, **self.params)


class Position(Asked):
    """A position, given by all moves before it."""

    game: GameAsked = GameAsked()
    start: Literal[1, 2] = 1
    actions: Annotated[tuple[int, ...], Field(max_length=500)] = ()

    def states(self) -> tuple[StateManager, list[State]]:
        """Return the game, and its states from the first one to this position.

        Raises:
            AskError: A move is not legal.
            UnknownGameError: No game has this name.
        """
        game = self.game.made()
        states = [game.initial_state(self.start)]
        for number, action in enumerate(self.actions, start=1):
            if action not in game.legal_actions(states[-1]):
                raise AskError(f"move {number}: expected a legal action, got {action}")
            states.append(game.child_state(states[-1], action))
        return game, states


class PositionAsked(Asked):
    """A request with a position only."""

    position: Position
