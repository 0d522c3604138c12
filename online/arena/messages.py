"""The arena's messages, checked; ``hexgame-server`` 0.4.3 is their authority.

A player is -1, red, who joins the columns, or 1, blue, who joins the rows: our players 2 and 1.
``q`` is a column and ``r`` a row. Keys that are not named here are ignored.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, StrictInt, ValidationError

from base.storage import parse_json, printable
from online.messages import unexpected

PLAYERS = {-1: 2, 0: 0, 1: 1}  # our player for each of theirs, and 0 for an empty cell
COLOURS = {
    2: "red there and black here, who joins left and right",
    1: "blue there and red here, who joins top and bottom",
}
"""The colours of our players in the arena and here, and their sides on the arena's board."""

_Player = Annotated[Literal[1, 2], BeforeValidator(lambda theirs: PLAYERS.get(theirs, theirs))]
_Coordinate = Annotated[StrictInt, Field(ge=0, lt=19)]
_Size = Annotated[StrictInt, Field(ge=3, le=19)]
_Count = Annotated[StrictInt, Field(ge=0, le=1000)]
_Names = dict[str, str | None]
_Content = TypeVar("_Content", bound=BaseModel)


class Joined(BaseModel):
    """A seat in a slot; the ``reconnect_token`` is a secret that works once."""

    slot_id: StrictInt
    player: _Player
    board_size: _Size
    series_length: Annotated[_Count, Field(ge=1)]
    reconnect_token: str = Field("", repr=False)


class GameStart(BaseModel):
    """A game begins."""

    first_turn: _Player
    player_models: _Names = {}
    player_usernames: _Names = {}


class Move(BaseModel):
    """A stone of either player; ``next_turn`` is ``None`` after the last stone of a game."""

    player: _Player
    q: _Coordinate
    r: _Coordinate
    next_turn: _Player | None


class GameOver(BaseModel):
    """A game has ended, for instance by ``resignation``."""

    winner: _Player
    reason: str


class SeriesOver(BaseModel):
    """A series has ended; ``player_1`` is the arena's -1."""

    player_1_wins: _Count
    player_2_wins: _Count


class Slot(BaseModel):
    """One of the server's few places for a series; without a game, most of it is ``None``."""

    slot_id: StrictInt
    state: str
    board_size: _Size | None = None
    series_length: _Count | None = None
    player_models: _Names = {}
    player_usernames: _Names = {}
    current_turn: _Player | None = None
    winner: _Player | None = None
    board: list[list[Literal[-1, 0, 1]]] | None = None
    player_1_wins: _Count = 0
    player_2_wins: _Count = 0
    series_winner: _Player | None = None


class Reconnected(Joined):
    """A seat that was taken again, and all that is known of its series."""

    slot: Slot


def parse(text: str | bytes) -> tuple[str, Mapping[str, Any]]:
    """Return the type and the payload of a message."""
    try:
        message = parse_json(text)
    except ValueError:
        unexpected("JSON", text)
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        unexpected("a message with a type", message)
    payload = message.get("payload", {})
    if not isinstance(payload, dict):
        unexpected("a payload with keys", message)
    return message["type"], payload


def checked(content: type[_Content], payload: Mapping[str, Any]) -> _Content:
    """Return the content of a message."""
    try:
        return content.model_validate(payload)
    except ValidationError as error:
        first = error.errors()[0]  # and not the payload, which may hold a token
        where = ".".join(map(str, first["loc"]))
        unexpected(f"{content.__name__} with a valid {where}", first["input"])


def name_of(player: int, about: GameStart | Slot) -> str:
    """Return what a player of ours, 1 or 2, is called: its model and who sent it, if known."""
    key = "1" if player == 1 else "-1"
    model, user = about.player_models.get(key), about.player_usernames.get(key)
    words = f"{model} ({user})" if model and user else model or user or "a player without a name"
    return printable(words, 60)
