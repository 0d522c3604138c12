"""The games by name. A new game is one file, and one line here."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from state_manager.errors import UnknownGameError

if TYPE_CHECKING:
    from pydantic import ValidationError

    from base.params import Section
    from state_manager.state_manager import StateManager

GAMES = {
    "hex": "state_manager.hex:Hex",
    "nim": "state_manager.nim:Nim",
    "ledge": "state_manager.ledge:Ledge",
    "tic_tac_toe": "state_manager.tic_tac_toe:TicTacToe",
    "connect_four": "state_manager.connect_four:ConnectFour",
    "hexapawn": "state_manager.hexapawn:Hexapawn",
}


def game_names() -> Sequence[str]:
    """Return the names of all games."""
    return tuple(GAMES)


def game_class(name: str) -> type[StateManager]:
    """Return a game's class; only this game's rules are imported and compiled.

    Raises:
        UnknownGameError: If there is no game of that name.
    """
    if name not in GAMES:
        near = difflib.get_close_matches(name, GAMES, n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise UnknownGameError(f"expected a game ({', '.join(GAMES)}), got {name!r}{hint}")
    module, _, attribute = GAMES[name].partition(":")
    return cast("type[StateManager]", getattr(importlib.import_module(module), attribute))


def game_schema(name: str) -> type[Section]:
    """Return the schema of a game's parameters."""
    return game_class(name).Params


def make_game(name: str, **params: object) -> StateManager:
    """Return the state manager of a game.

    Args:
        name: One of ``game_names()``, such as ``hex``.
        **params: The game's parameters, such as ``size=5``; the rest take their defaults.

    Raises:
        UnknownGameError: If the name or a parameter is unknown, or a value is out of range.
    """
    from pydantic import ValidationError

    chosen = game_class(name)
    try:
        checked = chosen.Params(**{key: _frozen(value) for key, value in params.items()})
    except ValidationError as error:
        raise UnknownGameError(f"{name}: {_what_is_wrong(chosen.Params, params, error)}") from error
    return chosen(**checked.model_dump())


def _what_is_wrong(
    schema: type[Section], params: Mapping[str, object], error: ValidationError
) -> str:
    """Return the first mistake in a game's parameters in the words of this project."""
    from base.params import describe

    first = error.errors()[0]
    if first["type"] == "value_error":
        # A rule about several parameters; it names the one that it is about.
        return first["msg"].removeprefix("Value error, ")
    key = str(first["loc"][0])
    if key in schema.model_fields:
        return f"{key}: expected {describe(schema.model_fields[key])}, got {params[key]!r}"
    near = difflib.get_close_matches(key, schema.model_fields, n=1)
    known = " or ".join(schema.model_fields) or "none"
    hint = f"did you mean {near[0]}?" if near else f"expected {known}"
    return f"{key}: unknown parameter ({hint})"


def _frozen(value: object) -> object:
    """Return lists and arrays as tuples of Python values, others unchanged."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    return tuple(value) if isinstance(value, list) else value
