"""``show``: step through saved games."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from base.storage import read_jsonl
from commands.errors import UsageError
from commands.system import System, read_params
from display.live import make_display
from display.live.display import Display
from state_manager import State, StateManager, make_game
from state_manager.errors import GameError

_HINT = "n p: move   home end   up down: game   q: quit"
_UNKNOWN = "No such key. "


def run(system: System, arguments: argparse.Namespace) -> int:
    """Read the games, and show one after the other as keys want, or just one."""
    if len(arguments.files) != 1:
        raise UsageError(f"expected a FILE with games, got {len(arguments.files) or 'none'}")
    file = Path(arguments.files[0])
    file = file / "games.jsonl" if file.is_dir() else file
    records = read_jsonl(file)
    if not records:
        raise UsageError(f"{file}: expected games, there are none")
    numbers = _numbers(records)
    number = arguments.game or numbers[-1]
    if number > numbers[-1]:
        raise UsageError(f"--game: expected a number from 1 to {numbers[-1]}, got {number}")
    if number not in numbers:
        raise UsageError(f"--game: expected a game that is in {file}, {number} is missing")
    game = system.given_game or _game_of_file(file, records[0])

    def read(index: int) -> _SavedGame:
        saved = _read_game(game, records[index], f"{file}:{index + 1}")
        titles = [saved.title] if saved.title else []
        titles.append(f"game {numbers[index]} of {numbers[-1]}")
        return saved._replace(title=", ".join(titles))

    params = system.params.display
    params = params.model_copy(update={"mode": "terminal"}) if params.mode == "off" else params
    index = numbers.index(number)
    chosen = read(index)
    with ExitStack() as leaving, make_display(params, game, file.parent / "games") as display:
        if missing := numbers[-1] - len(numbers):
            display.message(f"{missing} of {numbers[-1]} games are missing in {file}.")
        if params.mode != "file" and display.controls.listening:
            leaving.callback(display.keep_moment)
            _step_through(display, read, len(records), index, chosen)
        else:
            _print(display, chosen)
    return 0


def _numbers(records: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the games' numbers: of episodes, some of which a mended log may lack, or of lines."""
    numbers = [record.get("episode") for record in records]
    known = [number for number in numbers if type(number) is int]
    if len(known) == len(records) and all(a < b for a, b in pairwise([0, *known])):
        return known
    return list(range(1, len(records) + 1))


def _print(display: Display, game: _SavedGame) -> None:
    """Print the moves, and let the display show the game."""
    names = [display.game.action_name(action) for action in game.actions]
    display.message(" ".join(f"{ply}. {name}" for ply, name in enumerate(names, start=1)))
    display.show_first(1)
    display.delay = 0.0 if display.in_terminal else display.delay
    display.on_game_start(game.title, game.players, game.states[0])
    for state, action in zip(game.states[1:], game.actions, strict=False):
        display.on_move(state, action)
    display.on_game_over(game.states[-1], display.game.winner(game.states[-1]))


class _SavedGame(NamedTuple):
    """A game that can be stepped through; of its moves, the last ones may be unknown."""

    title: str
    players: tuple[str, str]
    states: list[State]
    actions: list[int]


def _game_of_file(file: Path, first: Mapping[str, Any]) -> StateManager:
    """Return what was played: as the first record says, or what else lies in the folder."""
    if not {"moves", "actions"} & set(first):
        games = file.with_name("games.jsonl")
        where = f"; those of this folder are in {games}" if games.exists() else ""
        what = "results of tournaments" if "score" in first else "lines that are none"
        raise UsageError(f"{file}: expected games, got {what}{where}")
    if "board_size" in first:
        return make_game("hex", size=first["board_size"])
    comparison, params = file.with_name("compare.json"), file.with_name("params.yaml")
    if comparison.exists():
        setup = json.loads(comparison.read_text(encoding="utf-8"))["setup"]
        return make_game(setup["game"], **setup["game_params"])
    if params.exists():
        section = read_params(params).game
        return make_game(section.name, **section.options.model_dump())
    raise UsageError(
        f"{file}: expected params.yaml or compare.json beside it, which say what was played; "
        "or say it, as in game.name=hex game.size=5"
    )


def _read_game(game: StateManager, record: Mapping[str, Any], where: str) -> _SavedGame:
    """Play a saved game, a line of a log, again."""
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
        known = isinstance(error, GameError)
        reason = str(error).partition("\n")[0] if known else "a line that is none"
        raise UsageError(f"{where}: expected a game of {game!r}, got {reason}") from error
    return _SavedGame(*_words(record), states, actions)


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


def _step_through(
    display: Display, read: Callable[[int], _SavedGame], games: int, index: int, game: _SavedGame
) -> None:
    """Show games as keys want it, until ``q``; begin with the start of this one."""
    from display.boards.view import GameView

    display.controls.take(_HINT)
    ply = 0
    while True:
        action = game.actions[ply - 1] if 0 < ply <= len(game.actions) else None
        view = GameView(display.game, game.states[ply], game.title, game.players, ply, action)
        display.show_moment(view)
        if (key := display.next_key().lower()) == "q":
            return
        last = len(game.states) - 1
        plies = {
            "n": ply + 1, "right": ply + 1, " ": ply + 1,
            "p": ply - 1, "left": ply - 1, "home": 0, "end": last,
        }  # fmt: skip
        known = key in plies or key in ("up", "down")
        display.controls.taken_for = _HINT if known else _UNKNOWN + _HINT
        if key in ("up", "down"):
            other = index + (1 if key == "down" else -1)
            index, ply = min(max(other, 0), games - 1), 0
            game = read(index)
        else:
            ply = min(max(plies.get(key, ply), 0), last)
