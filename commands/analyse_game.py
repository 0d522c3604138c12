"""``analyse --game``: where a game was lost."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from agents import AgentSpec, load_net, make_agent
from analysis import ReviewedMove, Reviewer
from base.storage import write_json
from commands.errors import UsageError
from commands.files import check_unused, game_stem, output_folder, versions
from commands.saved_games import SavedGames
from commands.system import System
from display.boards.cells import numbered_names, some_names
from display.boards.palette import player_name
from display.live.screen import Screen
from display.reports.review_pictures import plot_game, plot_mistake
from display.reports.tables import review_table
from state_manager import DRAW, StateManager

if TYPE_CHECKING:
    from agents.mcts import MCTSAgent

_SECONDS = 5.0


def run(system: System, arguments: argparse.Namespace) -> int:
    """Judge every position of the game; print the table, and draw the mistakes."""
    net_file, params = arguments.net, system.params
    games = SavedGames(arguments.game, system.given_game)
    index = games.index(arguments.number, "--number")
    game, saved = games.game, games.read(index)
    if not saved.actions:
        raise UsageError(f"{games.file}:{index + 1}: expected a game with moves, got none")
    seconds = arguments.seconds or _SECONDS
    options = {"simulations": str(arguments.simulations), "time_limit": "null"}
    spec = AgentSpec("mcts", net_file, options)
    search = cast(
        "MCTSAgent",
        make_agent(
            spec,
            game,
            seed=np.random.SeedSequence(params.seed),
            defaults=params,
        ),
    )
    net = None if net_file is None else load_net(net_file)
    with (
        output_folder(arguments.out, f"analyse-{game_stem(game)}", ".analysis.lock") as folder,
        Screen() as screen,
    ):
        check_unused(folder, ("game.json",), "--out")
        screen.message(f"{game!r}: {saved.title}, folder {folder}")
        states = saved.states[: len(saved.actions) + 1]
        screen.start_progress("positions judged", len(states))
        moves = Reviewer(game, search, seconds).review(states, saved.actions, net, screen.advance)
        screen.stop_progress()
        screen.write(review_table(game, moves))
        screen.message(_in_words(game, moves, game.winner(saved.states[-1])))
        mistakes = [move for move in moves if move.is_mistake]
        setup = {
            "file": games.file.as_posix(),
            "number": games.numbers[index],
            "game": game.name,
            "game_params": game.params,
            "players": saved.players,
            "winner": game.winner(saved.states[-1]),
            "seconds": seconds,
            "search": str(spec),
            "seed": params.seed,
            "versions": versions(),
        }
        for move in mistakes:
            stem = folder / f"move_{move.ply:0{max(2, len(str(len(moves))))}}"
            last = saved.actions[move.ply - 2] if move.ply > 1 else None
            plot_mistake(stem.with_suffix(".png"), game, move, saved.players, last)
            write_json(stem.with_suffix(".json"), {"setup": setup, **move.to_json(game)})
        plot_game(folder / "game.png", game, moves, saved.title)
        plies = [move.ply for move in mistakes]
        all_moves = [move.to_json(game) for move in moves]
        data: dict[str, Any] = {"setup": setup, "mistakes": plies, "moves": all_moves}
        write_json(folder / "game.json", data)
        pictures = f"a picture of each mistake ({len(plies)}), game.png"
        screen.message(f"Kept in {folder}: {pictures}, and JSON beside each.")
    return 0


def _in_words(game: StateManager, moves: list[ReviewedMove], winner: int) -> str:
    """Say which move threw the game away, and how it is answered; or that none did."""
    mistakes = [move for move in moves if move.is_mistake]
    if not mistakes:
        return _without_mistakes(game, moves, winner)
    last = mistakes[-1]
    name = game.action_name(last.action)
    what = f"Move {last.ply}, {player_name(game, last.player)} {name}, threw "
    what += "the win away" if last.before.for_player(last.player) > 0 else "the draw away"
    what += "." if last.exact else ", as a search says, which may be wrong."
    lines = [what]
    if last.better:
        lines.append(f"Better: {', '.join(some_names(game, last.better))}.")
    if last.line:
        lines.append(f"The answer: {' '.join(numbered_names(game, last.line, last.ply))}")
    if len(mistakes) > 1:
        lines.append(f"Mistakes before it: move {', '.join(str(m.ply) for m in mistakes[:-1])}.")
    return "\n".join(lines)


def _without_mistakes(game: StateManager, moves: list[ReviewedMove], winner: int) -> str:
    """Say since when the winner was winning."""
    if all(move.exact for move in moves):
        start = moves[0].before.winner
        if start == DRAW:
            return "No move threw anything away: the game was a draw from the start."
        return f"No move threw the game away: {player_name(game, start)} was winning all the time."
    known = next((move.ply for move in moves if move.exact), None)
    since = "no position was judged exactly" if known is None else f"exact from move {known} on"
    return f"No move is known to have thrown the game away ({since}); --seconds asks for more."
