"""``show``: step through saved games."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from commands.errors import UsageError
from commands.saved_games import SavedGame, game_of_file, read_game
from commands.system import System

if TYPE_CHECKING:
    from display import Display
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
    from display import make_display

    if len(arguments.files) != 1:
        raise UsageError(f"expected a FILE with games, got {len(arguments.files) or 'none'}")
    file = Path(arguments.files[0])
    file = file / "games.jsonl" if file.is_dir() else file
    records = read_jsonl(file)
    if not records:
        raise UsageError(f"{file}: expected games, there are none")
    number = arguments.game or len(records)
    if number > len(records):
        raise UsageError(f"--game: expected a number from 1 to {len(records)}, got {number}")
    overridden = any(word.startswith("game.") for word in system.overrides)
    game = system.game if overridden else game_of_file(file, records[0])

    def read(index: int) -> SavedGame:
        return read_game(game, records[index], f"{file}:{index + 1}")

    params = system.params.display
    params = params.model_copy(update={"mode": "terminal"}) if params.mode == "off" else params
    chosen = read(number - 1)
    with ExitStack() as leaving, make_display(params, game, file.parent / "games") as display:
        if params.mode != "file" and display.controls.listener.listening:
            stepper = _Stepper(display, read, len(records), number - 1, chosen)
            leaving.callback(stepper.leave)
            stepper.run()
        else:
            _print(display, chosen, _title(chosen, number, len(records)))
    return 0


def _title(game: SavedGame, number: int, games: int) -> str:
    """Return which game is shown."""
    which = f"game {number} of {games}"
    return f"{game.title}, {which}" if game.title else which


def _print(display: Display, game: SavedGame, title: str) -> None:
    """Print the moves, and let the display show the game."""
    names = [display.game.action_name(action) for action in game.actions]
    display.message(" ".join(f"{ply}. {name}" for ply, name in enumerate(names, start=1)))
    display.show_first(1)
    display.delay = 0.0 if display.in_terminal else display.delay
    display.on_game_start(title, game.players, game.states[0])
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
        from display import GameView

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
        title = _title(game, self._index + 1, self._games)
        return title, game.players, ply, game.states[ply], action
