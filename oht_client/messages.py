"""What a server may say, checked: both generations send the same things in different forms.

A server is not to be trusted with the types of what it sends; whoever gets the values from here
can be sure of them.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from base.storage import excerpt
from oht_client.errors import OHTError
from oht_client.flat import FlatError, size_of


class SeriesStart(NamedTuple):
    """The start of a series, in the order of the hook's arguments.

    Attributes:
        unique_id: Our number in the server's registry; it may be negative.
        series_id: Which player we are, 1 or 2. The server leaves it to us to look it up.
        player_map: (unique id, series id) of both players.
        num_games: Games in the series.
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
    """Return a checked start of a series.

    Raises:
        OHTError: It is not one, as for all functions below.
    """
    own_id = _integer(unique_id, "a unique id")
    pairs = _rows(player_map, 2, "a list of (unique id, series id)")
    series_ids = [series_id for other_id, series_id in pairs if other_id == own_id]
    if not series_ids:
        unexpected(f"a player map with our unique id {excerpt(own_id)}", player_map)
    sizes = _integers(game_params, "the game's parameters")
    if not sizes:
        unexpected("the board's size", game_params)
    return SeriesStart(
        own_id, _player(series_ids[0]), pairs, _integer(num_games, "a number of games"), sizes
    )


def hook_arguments(hook: str, content: Mapping[str, object]) -> dict[str, Any]:
    """Return the checked arguments of a hook, by name and in its order.

    Args:
        hook: Without ``handle_``, as in ``game_start``.
        content: What the server said, under the second generation's keys.
    """
    if hook == "series_start":
        keys = ("unique_player_id", "player_id_map", "num_games", "game_params")
        return series_start(*(field(content, key) for key in keys))._asdict()
    return {key: check(field(content, key)) for key, check in HOOK_CHECKS[hook].items()}


def field(message: Mapping[str, object], key: str) -> object:
    """Return what a message says under a key; it must have it."""
    if key not in message:
        unexpected(f"a message with {key!r}", message)
    return message[key]


def unexpected(what: str, value: object) -> NoReturn:
    """Say that the server sent something else."""
    raise OHTError(f"expected {what} from the server, got {excerpt(value)}")


def printable(text: str) -> str:
    """Return a text that is shown to a person in one line and without control characters."""
    return "".join(letter if letter.isprintable() else " " for letter in text).strip()


def literal_or_text(text: str) -> object:
    """Return what a text of the first generation stands for, or the text itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text


def _player(value: object) -> int:
    if type(value) is not int or value not in (1, 2):
        unexpected("a player, 1 or 2", value)
    return value


def _state(value: object) -> Sequence[int]:
    """Return a flat state of the right form; ``flat`` and the rules look closer at it."""
    numbers = _integers(value, "a state")
    try:
        size_of(numbers)
    except FlatError:
        unexpected("the state of a square board", value)
    return numbers


def _stats(value: object) -> Sequence[Sequence[int]]:
    return _rows(value, 4, "a list of (unique id, series id, wins, losses)")


def _score(value: object) -> float:
    # Not every integer of Python's fits a float, and NaN compares with nothing.
    in_range = isinstance(value, int | float) and abs(value) <= sys.float_info.max
    if isinstance(value, bool) or not isinstance(value, int | float) or not in_range:
        unexpected("a score", value)
    return float(value)


def _anything(value: object) -> object:
    return value


def _integer(value: object, what: str) -> int:
    if type(value) is not int:
        unexpected(what, value)
    return value


def _integers(value: object, what: str) -> Sequence[int]:
    if not isinstance(value, list | tuple) or any(type(item) is not int for item in value):
        unexpected(what, value)
    return value


def _rows(value: object, width: int, what: str) -> Sequence[Sequence[int]]:
    """Return a checked table of integers."""
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
    "illegal_action": {"state": _state, "action": _anything},
}
"""The hooks but ``series_start``, and what each argument must be."""
