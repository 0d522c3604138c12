"""Games as other commands have saved them: of training, of ``compare``, of a tournament."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commands.errors import UsageError
from commands.system import read_params

if TYPE_CHECKING:
    from state_manager import State, StateManager


@dataclass(frozen=True)
class SavedGame:
    """A game that can be stepped through.

    Attributes:
        title: Which game it is.
        players: The names of player 1 and player 2.
        states: All states, the first one before any move.
        actions: The moves; where some are not known, fewer than lead to the last state.
    """

    title: str
    players: tuple[str, str]
    states: tuple[State, ...]
    actions: tuple[int, ...]


def game_of_file(file: Path, first: Mapping[str, Any]) -> StateManager:
    """Return what was played: as the first record says, or what else lies in the folder.

    Raises:
        UsageError: Nothing says it, or these are no games.
    """
    from state_manager import make_game

    if not {"moves", "actions"} & set(first):
        games = file.with_name("games.jsonl")
        where = f"; those of this folder are in {games}" if games.exists() else ""
        what = "results of tournaments" if "score" in first else "lines that are none"
        raise UsageError(f"{file}: expected games, got {what}{where}")
    if "board_size" in first:
        return make_game("hex", size=first["board_size"])
    comparison, params = file.with_name("compare.json"), file.with_name("params.yaml")
    if comparison.exists():
        import json

        setup = json.loads(comparison.read_text(encoding="utf-8"))["setup"]
        return make_game(setup["game"], **setup["game_params"])
    if params.exists():
        section = read_params(params).game
        return make_game(section.name, **section.options.model_dump())
    raise UsageError(
        f"{file}: expected params.yaml or compare.json beside it, which say what was played; "
        "or say it, as in game.name=hex game.size=5"
    )


def read_game(game: StateManager, record: Mapping[str, Any], where: str) -> SavedGame:
    """Play a saved game again.

    Args:
        game: The rules.
        record: A line of a log.
        where: The file and the line, for errors.

    Raises:
        UsageError: This is no game, or not one of these rules.
    """
    from state_manager.errors import GameError

    columns = game.board_shape[1]
    try:
        actions = [
            each[0] * columns + each[1] if isinstance(each, list) else each
            for each in record["moves" if "moves" in record else "actions"]
        ]
        states = [game.initial_state(record["starting_player"])]
        for action in actions:
            states.append(game.child_state(states[-1], action))
        if record.get("end_state") not in (None, game.to_flat(states[-1])):
            states.append(game.from_flat(record["end_state"]))
    except (GameError, LookupError, TypeError) as error:
        reason = (
            str(error).partition("\n")[0] if isinstance(error, GameError) else "a line that is none"
        )
        raise UsageError(f"{where}: expected a game of {game!r}, got {reason}") from error
    return SavedGame(*_words(record), tuple(states), tuple(actions))


def _words(record: Mapping[str, Any]) -> tuple[str, tuple[str, str]]:
    """Return the title of a game, without its number, and its players."""
    if "episode" in record:
        return f"episode {record['episode']}", ("", "")
    if "opponent" in record:
        players = ["this client", f"player {record['opponent']}"]
        first, second = players if record.get("series_id") == 1 else players[::-1]
    else:
        first, second = record.get("players", ("", ""))
    return f"{first} against {second}" if first else "", (str(first), str(second))
