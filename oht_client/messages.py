"""Checked messages of a server; the generations differ in form, not in content.

Functions return checked values, or raise ``OHTError``. ``text_reader`` parses the messages of the
first generation. Those of the second are parsed here: a length of four bytes, then JSON.
"""

from __future__ import annotations

import ast
import json
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from base.storage import excerpt
from oht_client.errors import OHTError
from oht_client.flat import FlatError, size_of

if TYPE_CHECKING:
    from oht_client.transport import Connection

MOST_BYTES = 64 * 1024
"""Largest accepted message."""

MOST_GAMES = 100_000
"""Longest accepted series."""

_GAMES = f"a number of games, from 1 to {MOST_GAMES},"
_STATS = "a list of (unique id, series id, wins, losses)"
LENGTH = struct.Struct("<i")


class SeriesStart(NamedTuple):
    """The start of a series, in the order of the hook's arguments.

    Attributes:
        unique_id: Our number in the server's registry; it may be negative.
        series_id: Our player, 1 or 2, looked up in ``player_map``.
        player_map: (unique id, series id) of both players.
        num_games: Games in the series, from 1 to ``MOST_GAMES``.
        game_params: The board's size K, perhaps more.
    """

    unique_id: int
    series_id: int
    player_map: Sequence[Sequence[int]]
    num_games: int
    game_params: Sequence[int]


def series_start(
    unique_id: object, player_map: object, num_games: object, game_params: object
) -> SeriesStart:
    """Return a checked start of a series."""
    own_id = _integer(unique_id, "a unique id")
    pairs = _rows(player_map, 2, "a list of (unique id, series id)")
    own_pair = next((pair for pair in pairs if pair[0] == own_id), None)
    if own_pair is None:
        unexpected(f"a player map with our unique id {excerpt(own_id)}", player_map)
    sizes = _integers(game_params, "the game's parameters")
    if not sizes:
        unexpected("the board's size", game_params)
    games = _integer(num_games, _GAMES)
    if not 1 <= games <= MOST_GAMES:
        unexpected(_GAMES, num_games)
    return SeriesStart(own_id, _player(own_pair[1]), pairs, games, sizes)


def hook_arguments(hook: str, content: Mapping[str, object]) -> dict[str, Any]:
    """Return the checked arguments of a hook such as ``game_start``, by name and in its order.

    The content is the server's message, under the second generation's keys.
    """
    if hook == "series_start":
        keys = ("unique_player_id", "player_id_map", "num_games", "game_params")
        return series_start(*(field(content, key) for key in keys))._asdict()
    return {key: check(field(content, key)) for key, check in HOOK_CHECKS[hook].items()}


def field(message: Mapping[str, object], key: str) -> object:
    """Return the value of a required key."""
    if key not in message:
        unexpected(f"a message with {key!r}", message)
    return message[key]


def unexpected(what: str, value: object) -> NoReturn:
    """Raise an error for an unexpected value."""
    raise OHTError(f"expected {what} from the server, got {excerpt(value)}")


def literal_or_text(text: str) -> object:
    """Return the literal in a text of the first generation, else the text itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text


def _player(value: object) -> int:
    if type(value) is not int or value not in (1, 2):
        unexpected("a player, 1 or 2", value)
    return value


def _state(value: object) -> Sequence[int]:
    """Return a flat state; ``flat`` and the rules check its content."""
    numbers = _integers(value, "a state")
    try:
        size_of(numbers)
    except FlatError:
        unexpected("the state of a square board", value)
    return numbers


def _score(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
        unexpected("a score from 0 to 100", value)  # NaN is in no range
    return float(value)


def _stats(value: object) -> Sequence[Sequence[int]]:
    rows = _rows(value, 4, _STATS)
    if any(not 0 <= count <= MOST_GAMES for row in rows for count in row[2:]):
        unexpected(f"wins and losses from 0 to {MOST_GAMES}", value)
    return rows


def _integer(value: object, what: str) -> int:
    if type(value) is not int:
        unexpected(what, value)
    return value


def _integers(value: object, what: str) -> Sequence[int]:
    if not isinstance(value, list | tuple) or any(type(item) is not int for item in value):
        unexpected(what, value)
    return value


def _rows(value: object, width: int, what: str) -> Sequence[Sequence[int]]:
    if not isinstance(value, list | tuple):
        unexpected(what, value)
    rows = [_integers(row, what) for row in value]
    if any(len(row) != width for row in rows):
        unexpected(what, value)
    return rows


HOOK_CHECKS: Mapping[str, Mapping[str, Callable[[object], object]]] = {
    "game_start": {"start_player": _player},
    "get_action": {"state": _state},
    "game_over": {"winner": _player, "end_state": _state},
    "series_over": {"stats": _stats},
    "tournament_over": {"score": _score},
    "illegal_action": {"state": _state, "action": lambda value: value},
}
"""The hooks except ``series_start``, with a check for each argument."""


def framed(message: object) -> bytes:
    """Return a JSON value as a frame: its length, then the text."""
    body = json.dumps(message).encode()
    return LENGTH.pack(len(body)) + body


def receive_message(connection: Connection) -> Mapping[str, object]:
    """Return the server's next message."""
    (length,) = LENGTH.unpack(_receive_exactly(connection, LENGTH.size))
    if not 0 < length <= MOST_BYTES:
        raise OHTError(
            f"expected a message of 1 to {MOST_BYTES} bytes, got one of {length};"
            " does the server speak protocol 1?"
        )
    body = _receive_exactly(connection, length)
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise OHTError(f"expected JSON from the server, got {length} other bytes") from error
    if not isinstance(message, dict):
        unexpected("a JSON object", message)
    return message


def _receive_exactly(connection: Connection, length: int) -> bytes:
    received = bytearray()
    while len(received) < length:
        received += connection.receive(length - len(received))
    return bytes(received)
