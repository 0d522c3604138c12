"""The games by name. A new game is one file, and one line here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from base.registry import Registry, loaded
from state_manager.errors import UnknownGameError

if TYPE_CHECKING:
    from base.params import Section
    from state_manager.state_manager import StateManager

GAMES = Registry(
    "a game",
    {
        "hex": "state_manager.hex:Hex",
        "nim": "state_manager.nim:Nim",
        "ledge": "state_manager.ledge:Ledge",
        "tic_tac_toe": "state_manager.tic_tac_toe:TicTacToe",
        "connect_four": "state_manager.connect_four:ConnectFour",
        "hexapawn": "state_manager.hexapawn:Hexapawn",
    },
    UnknownGameError,
)
_WITH_SWAP = {"hex": "state_manager.hex_swap:SwapHex"}


def game_names() -> Sequence[str]:
    """Return the names of all games."""
    return tuple(GAMES)


def game_class(name: str) -> type[StateManager]:
    """Return a game's class, importing only its rules; an ``UnknownGameError`` if there is none."""
    return cast("type[StateManager]", GAMES.find(name))


def game_schema(name: str) -> type[Section]:
    """Return the schema of a game's parameters."""
    return game_class(name).Params


def make_game(name: str, /, **params: object) -> StateManager:
    """Return a game by its name; an ``UnknownGameError`` if that or a parameter is wrong."""
    from base.params import ParamsError
    from base.params.check import check_section
    from base.params.yaml12 import Given

    chosen = game_class(name)
    given = {
        key: Given(value.tolist() if hasattr(value, "tolist") else value, name)  # of NumPy
        for key, value in params.items()
    }
    try:
        values = check_section(chosen.Params, "", given, name).model_dump()
        found = loaded(_WITH_SWAP.get(name, chosen) if values.get("swap") else chosen)
        return cast("type[StateManager]", found)(**values)
    except ParamsError as error:
        raise UnknownGameError(str(error)) from None


def resized(game: StateManager, size: object) -> StateManager:
    """Return the same game on a board of another size; ``None`` keeps it."""
    return game if size is None else make_game(game.name, **{**game.params, "size": size})
