"""``analyse --game``: the mistakes of a game, and the cost of each move."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from agents import AgentSpec, best_note, load_net, make_agent, with_best_net
from analysis import ReviewedMove, Reviewer, accuracy_of, costliest
from base.storage import write_json
from commands.exits import UsageError
from commands.folders import check_unused, game_stem, output_folder, versions
from commands.saved_games import SavedGame, SavedGames
from display.boards.cells import numbered_names, some_names
from display.boards.palette import player_name
from display.live.screen import Screen
from display.reports.review_pictures import plot_game, plot_mistake
from display.reports.tables import review_table
from hex_mcts.system import System
from state_manager import DRAW, StateManager

_SECONDS = 5.0


def run(system: System, arguments: argparse.Namespace) -> int:
    """Judge every position of the game; print the table, and draw the mistakes."""
    games = SavedGames(arguments.game, system.given_game)
    index = games.index(arguments.number, "--number")
    game, saved = games.game, games.read(index)
    if not saved.actions:
        raise UsageError(f"{games.file}:{index + 1}: expected a game with moves, got none")
    seconds = arguments.seconds or _SECONDS
    options = {"simulations": str(arguments.simulations), "time_limit": "null"}
    said = AgentSpec("mcts", arguments.net, options)
    spec = with_best_net(said, game)
    net = None if spec.net is None else load_net(spec.net, game)
    search: Any = make_agent(spec, game, seed=system.params.seed, defaults=system.params)
    with (
        output_folder(arguments.out, f"analyse-{game_stem(game)}", ".analysis.lock") as folder,
        Screen() as screen,
    ):
        check_unused(folder, ("game.json",), "--out")
        if line := best_note(said, spec):
            screen.message(line)
        screen.message(f"{game!r}: {saved.title}, folder {folder}")
        states = saved.states[: len(saved.actions) + 1]
        screen.start_progress("positions judged", len(states))
        moves = Reviewer(game, search, seconds).review(states, saved.actions, net, screen.advance)
        screen.stop_progress()
        screen.write(review_table(game, moves))
        screen.message(_in_words(game, moves))
        setup = {
            "file": games.file.as_posix(),
            "number": games.numbers[index],
            "game": game.name,
            "game_params": game.params,
            "players": saved.players,
            "winner": game.winner(saved.states[-1]),
            "seconds": seconds,
            "search": str(spec),
            "seed": system.params.seed,
            "versions": versions(),
        }
        mistakes = _write(folder, game, saved, moves, setup)
        pictures = f"a picture of each mistake ({mistakes}), game.png"
        screen.message(f"Kept in {folder}: {pictures}, and JSON beside each.")
    return 0


def _write(
    folder: Path,
    game: StateManager,
    saved: SavedGame,
    moves: list[ReviewedMove],
    setup: Mapping[str, Any],
) -> int:
    """Write the pictures with their numbers; return the number of mistakes."""
    mistakes = [move for move in moves if move.is_mistake]
    digits = max(2, len(str(len(moves))))
    for move in mistakes:
        file = folder / f"move_{move.ply:0{digits}}.png"
        last = saved.actions[move.ply - 2] if move.ply > 1 else None
        plot_mistake(file, game, move, saved.players, last)
        write_json(file.with_suffix(".json"), {"setup": setup, **move.to_json(game)})
    plot_game(folder / "game.png", game, moves, saved.title)
    data = {
        "mistakes": [each.ply for each in mistakes],
        "costliest": [each.ply for each in costliest(moves)],
        "accuracy": [accuracy_of(moves, player) for player in (1, 2)],
        "moves": [each.to_json(game) for each in moves],
    }
    write_json(folder / "game.json", {"setup": setup, **data})
    return len(mistakes)


def _in_words(game: StateManager, moves: list[ReviewedMove]) -> str:
    """Describe the costliest moves, with replies, and the accuracy of both players."""
    lines = [line for move in costliest(moves) for line in _about(game, move)]
    if not lines:
        lines.append(_without_mistakes(game, moves))
    played = [(player_name(game, player), accuracy_of(moves, player)) for player in (1, 2)]
    found = [f"{name} {share:.0f} %" for name, share in played if share is not None]
    return "\n".join([*lines, f"Accuracy: {', '.join(found)}."])


def _about(game: StateManager, move: ReviewedMove) -> Iterator[str]:
    """Yield the cost of a move, better moves, and the best reply."""
    name = f"Move {move.ply}, {player_name(game, move.player)} {game.action_name(move.action)}"
    if move.exact:
        yield f"{name}, threw the {'win' if move.could_have.winner != DRAW else 'draw'} away."
    else:
        what = f"{move.grade}: " if move.grade else ""
        yield f"{name}: {what}cost {move.loss:.0f} % of the chances, as a search sees it."
    if move.better:
        yield f"  Better: {', '.join(some_names(game, move.better))}."
    if move.line:
        yield f"  The answer: {' '.join(numbered_names(game, move.line, move.ply))}"


def _without_mistakes(game: StateManager, moves: list[ReviewedMove]) -> str:
    """Name the player with a win throughout, or state what is proven."""
    if all(move.exact for move in moves):
        start = moves[0].before.winner
        if start == DRAW:
            return "No move threw anything away: the game was a draw from the start."
        return f"No move threw the game away: {player_name(game, start)} was winning all the time."
    first = next((move.ply for move in moves if move.exact), None)
    judged = "none of them" if first is None else f"them from move {first} on"
    return (
        f"No move is known to have cost anything: the judge decided {judged}, and where it did "
        "not, a search would have played the same."
    )
