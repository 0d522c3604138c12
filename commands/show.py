"""``show``: step through saved games."""

import argparse
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from agents.match import show_game
from base.storage import printable, write_text
from cli.exits import UsageError
from cli.outputs import check_new_file
from cli.saved_games import SavedGame, SavedGames, links_of, write_sgf
from display.boards.moment import GameView
from display.live import make_display
from display.live.display import Display
from display.live.screen import Screen
from hex_mcts.system import System

_KEYS = "n p: move   home end   up down: game   q: quit"
_LONGEST_COMMENT = 500
_UNKNOWN = "No such key. "


def run(system: System, arguments: argparse.Namespace) -> None:
    """Read the games, and step through them by keys, or show just one."""
    if len(arguments.words) != 1:
        raise UsageError(f"expected a FILE with games, got {len(arguments.words) or 'none'}")
    games = SavedGames(arguments.words[0], system.given_game, arguments.game, system.game)
    index = games.index(arguments.game, "--game")
    if arguments.sgf is not None:
        return _write(games, arguments.sgf, None if arguments.game is None else index)
    params = system.params.display
    params = params.model_copy(update={"mode": "terminal"}) if params.mode == "off" else params
    chosen, folder = games.read(index), games.file.parent
    with ExitStack() as leaving, make_display(params, games.game, folder / "games") as display:
        if games.gaps:
            display.message(games.gaps)
        display.message(*(printable(note, _LONGEST_COMMENT) for note in chosen.notes))
        if params.mode != "file" and display.controls.listening:
            leaving.callback(display.keep_moment)
            _step_through(display, games.read, len(games.numbers), index, chosen)
        else:
            _print(display, chosen)


def _write(games: SavedGames, to: Path, index: int | None) -> None:
    check_new_file(to, "--sgf")
    chosen: list[SavedGame] = []
    refused: list[str] = []
    for each in range(len(games.numbers)) if index is None else [index]:
        try:
            chosen.append(games.read(each))
        except UsageError as error:
            if index is not None:
                raise
            refused.append(str(error))
    if not chosen:
        raise UsageError(refused[0])
    write_text(to, write_sgf(games.game, chosen))
    with Screen() as screen:
        screen.message(f"Saved in {to}: {len(chosen)} of {len(games.numbers)} games.")
        screen.message(*(f"Left out: {line}" for line in refused))
        screen.message(*(f"{game.title}: {note}" for game in chosen for note in game.notes))
        if games.gaps and index is None:
            screen.message(games.gaps)
        if len(chosen) == 1:
            screen.message(*links_of(games.game, chosen[0].record))


def _print(display: Display, game: SavedGame) -> None:
    record = game.record
    display.message(" ".join(display.names.numbered(record.actions)))
    for ply, comment in enumerate(record.comments):
        if comment:
            line = printable(" ".join(comment.split()), _LONGEST_COMMENT)
            display.message(f"After move {ply}: {line}")
    display.show_first(1)
    display.delay = 0.0 if display.in_terminal else display.delay
    display.ending = record.ending
    show_game(display.game, record, [display], game.title)
    if display.game.has_hex_formats:
        display.message(*links_of(display.game, record))


def _step_through(
    display: Display, read: Callable[[int], SavedGame], games: int, index: int, game: SavedGame
) -> None:
    display.controls.take(_KEYS)
    ply = 0
    while True:
        players, actions = game.record.players, game.record.actions
        action = actions[ply - 1] if 0 < ply <= len(actions) else None
        view = GameView(display.game, game.states[ply], game.title, players, ply, action)
        last = len(game.states) - 1
        if ply == last:
            view = replace(view, winner=game.record.winner, ending=game.record.ending)
        display.show_moment(view)
        if (key := display.next_key().lower()) == "q":
            return
        plies = {
            "n": ply + 1, "right": ply + 1, " ": ply + 1,
            "p": ply - 1, "left": ply - 1, "home": 0, "end": last,
        }  # fmt: skip
        known = key in plies or key in ("up", "down")
        display.controls.taken_for = _KEYS if known else _UNKNOWN + _KEYS
        if key in ("up", "down"):
            other = min(max(index + (1 if key == "down" else -1), 0), games - 1)
            try:
                game = read(other)
                display.controls.taken_for = " ".join([*game.notes, _KEYS])
            except UsageError as error:
                display.controls.taken_for = f"{error}. {_KEYS}"
            index, ply = other, 0
        else:
            ply = min(max(plies.get(key, ply), 0), last)
