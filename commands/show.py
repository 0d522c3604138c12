"""``show``: step through saved games."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commands.errors import UsageError
from commands.saved_games import SavedGame, game_of_file, read_game
from commands.system import System

if TYPE_CHECKING:
    from display.live.display import Display
    from state_manager import State

_HINT = "n p: move   home end   up down: game   q: quit"
_UNKNOWN = "No such key. "


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command line may hold."""
    parser.add_argument(
        "--game", type=_number, metavar="N", help="which game, from 1; the last one if not given"
    )
    parser.set_defaults(files=[])
    parser.usage = f"{parser.prog} [-h] FILE [--game N] [--params FILE] [section.key=value ...]"
    parser.epilog = (
        "FILE is a games.jsonl of train, compare or oht, or the folder with it. Keys: n and p, or "
        "the arrows right and left, for a move, home, end, down and up for another game, q. "
        f"Without a terminal the game is printed. {parser.epilog}"
    )


def _number(text: str) -> int:
    """Read the number of a game."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected the number of a game from 1, got {text!r}")
    return int(text)


def params_file(arguments: argparse.Namespace) -> Path | None:
    """Only how boards are shown is read from the parameters."""
    return None


def run(system: System, arguments: argparse.Namespace) -> int:
    """Read the games, and show one after the other as keys want, or just one."""
    from base.storage import read_jsonl
    from display.live import make_display

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
    overridden = any(word.startswith("game.") for word in system.overrides)
    game = system.game if overridden else game_of_file(file, records[0])

    def read(index: int) -> SavedGame:
        saved = read_game(game, records[index], f"{file}:{index + 1}")
        which = f"game {numbers[index]} of {numbers[-1]}"
        return replace(saved, title=f"{saved.title}, {which}" if saved.title else which)

    params = system.params.display
    params = params.model_copy(update={"mode": "terminal"}) if params.mode == "off" else params
    index = numbers.index(number)
    chosen = read(index)
    with ExitStack() as leaving, make_display(params, game, file.parent / "games") as display:
        if missing := numbers[-1] - len(numbers):
            display.message(f"{missing} of {numbers[-1]} games are missing in {file}.")
        if params.mode != "file" and display.controls.listener.listening:
            stepper = _Stepper(display, read, len(records), index, chosen)
            leaving.callback(stepper.leave)
            stepper.run()
        else:
            _print(display, chosen)
    return 0


def _numbers(records: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the games' numbers: of episodes, some of which a mended log may lack, or of lines."""
    numbers = [record.get("episode") for record in records]
    known = [number for number in numbers if type(number) is int]
    ascending = all(a < b for a, b in itertools.pairwise([0, *known]))
    return known if len(known) == len(records) and ascending else list(range(1, len(records) + 1))


def _print(display: Display, game: SavedGame) -> None:
    """Print the moves, and let the display show the game."""
    names = [display.game.action_name(action) for action in game.actions]
    display.message(" ".join(f"{ply}. {name}" for ply, name in enumerate(names, start=1)))
    display.show_first(1)
    display.delay = 0.0 if display.in_terminal else display.delay
    display.on_game_start(game.title, game.players, game.states[0])
    for state, action in zip(game.states[1:], game.actions, strict=False):
        display.on_move(state, action)
    display.on_game_over(game.states[-1], display.game.winner(game.states[-1]))


class _Stepper:
    """Goes through games as keys want it."""

    def __init__(
        self,
        display: Display,
        read: Callable[[int], SavedGame],
        games: int,
        index: int,
        game: SavedGame,
    ) -> None:
        self._display, self._read, self._games = display, read, games
        self._index, self._ply, self._game = index, 0, game

    def run(self) -> None:
        """Obey keys until ``q``."""
        self._display.controls.take(_HINT)
        self._show()
        while (key := self._display.next_key().lower()) != "q":
            last = len(self._game.states) - 1
            plies = {
                "n": self._ply + 1, "right": self._ply + 1, " ": self._ply + 1,
                "p": self._ply - 1, "left": self._ply - 1, "home": 0, "end": last,
            }  # fmt: skip
            known = key in plies or key in ("up", "down")
            self._display.controls.taken_for = _HINT if known else _UNKNOWN + _HINT
            if key in ("up", "down"):
                other = self._index + (1 if key == "down" else -1)
                self._index, self._ply = min(max(other, 0), self._games - 1), 0
                self._game = self._read(self._index)
            else:
                self._ply = min(max(plies.get(key, self._ply), 0), last)
            self._show()

    def _show(self) -> None:
        title, players, ply, state, action = self._moment()
        self._display.show_moment(title, players, ply, state, action)

    def leave(self) -> None:
        """Leave the last board on the terminal, once its live area is closed."""
        from display.live.terminal import GameView

        if not self._display.in_terminal:
            return
        rules, letters = self._display.game, self._display.controls.letters
        title, players, ply, state, action = self._moment()
        about = (title, players, ply, action, rules.winner(state))
        self._display.write(GameView(rules, state, *about, letters=letters))

    def _moment(self) -> tuple[str, tuple[str, str], int, State, int | None]:
        """Return the title, the players, the moves made, the state, and the last move if known."""
        game, ply = self._game, self._ply
        action = game.actions[ply - 1] if 0 < ply <= len(game.actions) else None
        return game.title, game.players, ply, game.states[ply], action
