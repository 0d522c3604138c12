"""Requests of the browser, checked and limited before use; and responses for refused ones."""

from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, Field, ValidationError
from starlette.responses import JSONResponse, Response

from base.storage import printable
from state_manager import State, StateManager, make_game

_Name = Annotated[str, Field(min_length=1, max_length=40)]
_Whole = Annotated[int, Field(ge=-1000, le=1000)]
_Value = bool | _Whole | Annotated[list[_Whole], Field(max_length=200)]

AgentWord = Annotated[str, Field(min_length=1, max_length=500, pattern=r"^[^\x00-\x1f\x7f]*$")]
"""The word of an agent; ``AgentPool.agent`` checks that the page may name it."""


class RequestError(ValueError):
    """A request that cannot be met; ``str(error)`` is one line."""


def mistake_in(error: ValidationError) -> str:
    """Return the first mistake, and where it is."""
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"]))
    return f"{where}: {first['msg']}" if where else first["msg"]


def refusal(status: int, words: str) -> Response:
    """Return an error response with one line of text."""
    return JSONResponse({"error": printable(words, 300)}, status)


class PageRequest(BaseModel, extra="forbid", frozen=True, strict=True):
    """A request of the browser; unknown keys are errors. ``most_bytes`` limits its body."""

    most_bytes: ClassVar[int] = 1_000_000


class GameSpec(PageRequest):
    """A game and its parameters, as ``make_game`` takes them."""

    name: _Name = "hex"
    params: Annotated[dict[_Name, _Value], Field(max_length=8)] = Field(default_factory=dict)

    def made(self) -> StateManager:
        """Return the game; raises ``UnknownGameError``."""
        return make_game(self.name, **self.params)


class Beginning(PageRequest):
    """The first state of a game: the player to move, and the cells of a board that is set up."""

    game: GameSpec = GameSpec()
    start: Literal[1, 2] = 1
    setup: Annotated[tuple[Literal[0, 1, 2], ...], Field(max_length=19 * 19)] = ()

    def begun(self) -> tuple[StateManager, State]:
        """Return the game and its first state.

        Raises a ``RequestError`` if a game other than Hex, or not the whole board, is set up.
        """
        game = self.game.made()
        rows, columns = game.board_shape
        if self.setup and not game.has_hex_formats:
            raise RequestError(f"expected a game of hex to set up stones, got {game.name}")
        if len(self.setup) not in (0, rows * columns):
            cells = f"the {rows * columns} cells of {rows}x{columns}"
            raise RequestError(f"setup: expected {cells}, got {len(self.setup)}")
        return game, game.initial_state(self.start, self.setup)


class Position(Beginning):
    """A position, given by all moves since the first state."""

    actions: Annotated[tuple[int, ...], Field(max_length=500)] = ()

    def states(self, unfinished: bool = False) -> tuple[StateManager, list[State]]:
        """Return the game, and its states from the first one to this position.

        Raises a ``RequestError`` if a move is illegal, or the game is over despite ``unfinished``.
        """
        game, first = self.begun()
        states = [first]
        for number, action in enumerate(self.actions, start=1):
            if action not in game.legal_actions(states[-1]):
                raise RequestError(f"move {number}: expected a legal action, got {action}")
            states.append(game.child_state(states[-1], action))
        if unfinished and game.is_final(states[-1]):
            raise RequestError("expected an unfinished game")
        return game, states


class PositionRequest(PageRequest):
    """A request with a position only."""

    position: Position
