"""Checked messages of a server; the generations differ in form, not in content.

Functions return checked values, or raise ``TournamentError``. ``text_wire`` parses the messages of
the first generation, ``json_wire`` those of the second.
"""

import warnings
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NoReturn

from pydantic import AfterValidator, Field, StrictFloat, StrictInt, TypeAdapter, ValidationError

from base.storage import excerpt
from base.syntax import literal
from online.errors import TournamentError
from online.flat import size_of

MOST_GAMES = 100_000  # longest accepted series

_Player = Annotated[StrictInt, Field(ge=1, le=2)]
_Count = Annotated[StrictInt, Field(ge=0, le=MOST_GAMES)]
_Games = Annotated[_Count, Field(ge=1)]
_Ids = Sequence[tuple[StrictInt, _Player]]
_Sizes = Annotated[Sequence[StrictInt], Field(min_length=1)]
_Stats = Sequence[tuple[StrictInt, StrictInt, _Count, _Count]]
_State = Annotated[Sequence[StrictInt], AfterValidator(size_of)]
_Score = Annotated[StrictFloat, Field(ge=0, le=100)]
_PLAYER = "a player, 1 or 2", TypeAdapter(_Player)
_STATE = "the state of a square board", TypeAdapter(_State)
_STATS = f"a list of (unique id, series id, wins, losses), both from 0 to {MOST_GAMES},"

HOOKS: Mapping[str, Mapping[str, tuple[str, TypeAdapter[Any]]]] = {
    "series_start": {
        "unique_player_id": ("a unique id", TypeAdapter(StrictInt)),
        "player_id_map": ("a list of (unique id, series id)", TypeAdapter(_Ids)),
        "num_games": (f"a number of games, from 1 to {MOST_GAMES},", TypeAdapter(_Games)),
        "game_params": ("the board's size", TypeAdapter(_Sizes)),
    },
    "game_start": {"start_player": _PLAYER},
    "get_action": {"state": _STATE},
    "game_over": {"winner": _PLAYER, "end_state": _STATE},
    "series_over": {"stats": (_STATS, TypeAdapter(_Stats))},
    "tournament_over": {"score": ("a score from 0 to 100", TypeAdapter(_Score))},
    "illegal_action": {"state": _STATE, "action": ("an action", TypeAdapter(object))},
}
"""The values of each hook's message, by the second generation's keys, with their types."""


def hook_arguments(hook: str, content: Mapping[str, object]) -> dict[str, Any]:
    """Return a hook's checked arguments in order, from a message with the keys of ``HOOKS``."""
    arguments: dict[str, Any] = {}
    for key, (what, type_) in HOOKS[hook].items():
        arguments[key] = field(content, key)
        try:
            type_.validate_python(arguments[key])
        except ValidationError:
            unexpected(what, arguments[key])
    if hook != "series_start":
        return arguments
    unique_id, player_map, *others = arguments.values()
    if unique_id not in (series_ids := dict(reversed(player_map))):
        unexpected(f"a player map with our unique id {excerpt(unique_id)}", player_map)
    names = "unique_id", "series_id", "player_map", "num_games", "game_params"
    values = unique_id, series_ids[unique_id], player_map, *others
    return dict(zip(names, values, strict=True))


def field(message: Mapping[str, object], key: str) -> object:
    """Return the value of a required key."""
    if key not in message:
        unexpected(f"a message with {key!r}", message)
    return message[key]


def unexpected(what: str, value: object) -> NoReturn:
    """Raise an error for an unexpected value."""
    raise TournamentError(f"expected {what} from the server, got {excerpt(value)}")


def literal_or_text(text: str) -> object:
    """Return the literal in a text of the first generation, else the text itself."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the parser warns of some texts that are no literals
            return literal(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text
