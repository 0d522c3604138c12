"""``analyse``: a net's play in pictures and numbers; or the mistakes of a game."""

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import analysis
from agents import AgentSpec, agent_notes, load_net, make_agent, with_best_net, with_simulations
from agents.match import starting_players
from agents.position_searches import searches_of_positions
from anet.evaluator import Evaluator
from base.params import Params
from base.storage import printable, write_json, write_text
from cli.contestants import named_agents
from cli.exits import UsageError
from cli.outputs import check_new_file, check_unused, game_stem, output_folder, versions
from cli.saved_games import SavedGames
from display.boards.cells import Coordinates
from display.boards.palette import player_name
from display.live.screen import Screen
from display.reports.analysis_plots import plot_statistics, plot_temperatures
from display.reports.heat_map import HeatMap
from display.reports.policy_pictures import plot_position, plot_positions
from display.reports.review_pictures import plot_game, plot_mistake
from display.reports.tables import phases_table, review_so_far, review_table
from formats.annotations import MoveReview, annotate
from formats.sgf import MoveReader, read_game
from formats.sgf_text import SGFNode, write
from hex_mcts.system import System
from state_manager import DRAW, StateManager

_OF_NETS = {"positions": 10, "games": 20, "temperatures": (0.2, 0.5, 1.0, 2.0)}
"""The options that are not for games, with their defaults."""
_OF_GAMES = ("number", "seconds", "sgf")
_JUDGE_SECONDS = 10.0
_CURVE_POINTS, _LONGEST_GAME = 41, 44
_LEAVES = {
    "net_rollouts": "rollouts by the net",
    "critic": "PUCT with the critic",
    "uniform_rollouts": "uniform rollouts",
}


def run(system: System, arguments: argparse.Namespace) -> None:
    """Analyse a net, or a game."""
    where, others = ("with", _OF_GAMES) if arguments.game is None else ("without", _OF_NETS)
    for name in others:
        if getattr(arguments, name) is not None:
            raise UsageError(f"--{name}: expected it {where} --game FILE")
    if arguments.sgf is not None:
        check_new_file(arguments.sgf, "--sgf")
    no_net = arguments.net is None
    arguments.simulations = arguments.simulations or (20_000 if no_net else 2000)
    if arguments.game is not None:
        _analyse_game(system, arguments)
    elif no_net:
        raise UsageError("expected --net NET or --game FILE, got neither")
    else:
        _analyse_net(system, arguments)


def _analyse_net(system: System, arguments: argparse.Namespace) -> None:
    for name, default in _OF_NETS.items():
        if getattr(arguments, name) is None:
            setattr(arguments, name, default)
    params = system.params
    game, (spec,), notes = named_agents(system, AgentSpec("anet", arguments.net))
    assert spec.net is not None
    arguments.net, net = spec.net, load_net(spec.net, game)
    where = arguments.out, f"analyse-{game_stem(game)}", ".analysis.lock"
    with output_folder(*where) as folder, Screen() as screen:
        check_unused(folder, ("statistics.json", "positions.png"), "--out")
        screen.message(*notes, f"{game!r}: {arguments.net} beside a search, folder {folder}")
        comparisons = _examine(net, params, arguments, screen)
        statistics = analysis.game_statistics(comparisons)
        random = np.random.SeedSequence(params.seed, spawn_key=(2,))
        sampled = analysis.sample_positions(comparisons, arguments.positions, random)
        names = printable(arguments.net.stem), f"search, {arguments.simulations:,} simulations"
        report = _Report(net, params, arguments, folder, *names)
        report.print(statistics, screen)
        report.write_positions(sampled)
        report.write_statistics(statistics)
        report.write_temperatures(sampled, comparisons)
        places = f"{len(sampled)} positions, statistics.png, temperature.png, positions.png"
        screen.message(f"Saved in {folder}: {places}, and JSON beside each.")


def _examine(
    net: Evaluator, params: Params, given: argparse.Namespace, screen: Screen
) -> list[analysis.Comparison]:
    positions = []
    screen.start_progress("games of the net against itself", given.games)
    for number, player in enumerate(starting_players(given.games, params.game.starting_player)):
        random = np.random.SeedSequence(params.seed, spawn_key=(0, number))
        positions += analysis.self_play(net, number, player, random)
        screen.advance()
    screen.stop_progress()
    if not positions:
        raise UsageError(f"expected a game with a choice between two moves, got {net.game!r}")
    screen.start_progress("positions searched", len(positions))
    search = given.simulations, params.play.exploration, params.seed, params.play.workers
    comparisons = analysis.compare_with_search(
        net, positions, *search, on_result=lambda comparison: screen.advance()
    )
    screen.stop_progress()
    return comparisons


@dataclass(frozen=True)
class _Report:
    """The files and messages of an analysis; each picture has its numbers beside it."""

    net: Evaluator
    params: Params
    given: argparse.Namespace
    folder: Path
    name: str
    search_name: str

    def print(self, statistics: analysis.GameStatistics, screen: Screen) -> None:
        screen.write(phases_table(f"{self.name} beside {self.search_name}", statistics))
        for source, name in (("search", "The search's value"), ("net", "The critic's value")):
            if value := statistics.calibration.get(source):
                right = "" if value.right_side is None else f", right side {value.right_side:.1%}"
                brier = f"Brier score {value.brier:.3f}"
                screen.message(f"{name} against the outcome: {brier}{right}.")

    def _write_json(self, stem: str, data: Mapping[str, Any]) -> None:
        search, game = analysis.kind_of_search(self.net), self.net.game
        setup = {
            "net": self.given.net.as_posix(),
            "episode": self.net.episode,
            "game": game.name,
            "game_params": game.params,
            "seed": self.params.seed,
            "starting_player": self.params.game.starting_player,
            "games": self.given.games,
            "search": search,
            "simulations": self.given.simulations,
            "exploration": None if search == "critic" else self.params.play.exploration,
            "rollout_epsilon": analysis.ROLLOUT_EPSILON,
            "versions": versions(),
        }
        write_json(self.folder / f"{stem}.json", {"setup": setup, **data})

    def write_positions(self, sampled: list[analysis.Comparison]) -> None:
        game, digits = self.net.game, max(2, len(str(len(sampled))))
        rows = [each.to_json(game) for each in sampled]
        names = Coordinates(game, self.params.display.letters)
        for place, each in enumerate(sampled, start=1):
            stem = f"position_{place:0{digits}}"
            plot_position(self.folder / f"{stem}.png", names, place, each, self.search_name)
            self._write_json(stem, rows[place - 1])
        plot_positions(self.folder / "positions.png", game, sampled)
        self._write_json("positions", {"positions": rows})

    def write_statistics(self, statistics: analysis.GameStatistics) -> None:
        game, games = repr(self.net.game), self.given.games
        if len(game) > _LONGEST_GAME:
            game = f"{game[: _LONGEST_GAME - 1]}…"
        plot_statistics(
            self.folder / "statistics.png",
            statistics,
            f"{self.name} beside a search",
            f"{game}  ·  {games} game{'' if games == 1 else 's'} against itself  ·  "
            f"{self.search_name}, {_LEAVES[analysis.kind_of_search(self.net)]}  ·  "
            f"seed {self.params.seed}  ·  bands: 95 % intervals",
            player_name(self.net.game, 1),
        )
        self._write_json("statistics", statistics.to_json())

    def write_temperatures(
        self, sampled: list[analysis.Comparison], comparisons: list[analysis.Comparison]
    ) -> None:
        """Write the temperatures' effects on the sampled position of middling entropy."""
        numbered = sorted(enumerate(sampled, start=1), key=lambda pair: pair[1].of_net.entropy)
        number, shown = numbered[len(numbered) // 2]
        position, temperatures = shown.position, self.given.temperatures
        policies = {t: analysis.apply_temperature(position.policy, t) for t in temperatures}
        between = np.geomspace(0.8 * temperatures[0], 1.25 * temperatures[-1], _CURVE_POINTS)
        drawn = sorted({*between.tolist(), *temperatures})
        effects = analysis.temperature_effects(comparisons, drawn)
        game, state, last = self.net.game, position.state, position.last_action
        plot_temperatures(
            self.folder / "temperature.png",
            [(each, HeatMap(game, state, policies[each], last)) for each in policies],
            effects,
            f"{self.name} at other temperatures",
            f"above, position {number}; below, means over {len(comparisons)} positions"
            f"  ·  {game.name}",
        )
        named = [{"temperature": each, "policy": policies[each].tolist()} for each in policies]
        curve = [asdict(each) for each in effects]
        chosen = [each for each in curve if each["temperature"] in temperatures]
        data = {"position": number, "policies": named, "effects": chosen, "curve": curve}
        self._write_json("temperature", data)


def _analyse_game(system: System, arguments: argparse.Namespace) -> None:
    games = SavedGames(arguments.game, system.given_game, arguments.number, system.game)
    index = games.index(arguments.number, "--number")
    game, saved = games.game, games.read(index)
    record = saved.record
    tree = None if arguments.sgf is None else games.tree(index)
    if not record.actions:
        raise UsageError(f"{games.file}:{index + 1}: expected a game with moves, got none")
    seconds = arguments.seconds or _JUDGE_SECONDS
    word = with_simulations(AgentSpec("mcts", arguments.net), arguments.simulations)
    spec = with_best_net(word, game)
    net = None if spec.net is None else load_net(spec.net, game)
    agent = make_agent(spec, game, seed=system.params.seed, defaults=system.params)
    where = arguments.out, f"analyse-{game_stem(game)}", ".analysis.lock"
    with output_folder(*where) as folder, Screen() as screen:
        check_unused(folder, ("game.json",), "--out")
        about, notes = f"{game!r}: {saved.title}, folder {folder}", map(printable, saved.notes)
        screen.message(*agent_notes(game, [word], [spec]), about, *notes)
        states = saved.states[: len(record.actions) + 1]
        names = Coordinates(game, system.params.display.letters)
        screen.start_progress("moves reviewed", len(record.actions))
        known = 0

        def show(so_far: list[analysis.ReviewedMove]) -> None:
            nonlocal known
            screen.show_board(review_so_far(names, so_far, len(record.actions)))
            screen.advance(len(so_far) - known)
            known = len(so_far)

        reviewer = analysis.Reviewer(game, searches_of_positions(agent), seconds)
        moves = reviewer.review(states, record.actions, net, show)
        screen.show_board(None)
        screen.stop_progress()
        if tree is not None:
            _write_sgf(arguments.sgf, tree, moves)
            screen.message(f"Saved in {arguments.sgf}: the game with its review.")
        screen.write(review_table(names, moves))
        screen.message(*_in_words(names, moves))
        setup = {
            "file": games.file.as_posix(),
            "number": games.numbers[index],
            "game": game.name,
            "game_params": game.params,
            "players": record.players,
            "winner": game.winner(saved.states[-1]),
            "seconds": seconds,
            "search": str(spec),
            "seed": system.params.seed,
            "versions": versions(),
        }
        mistakes, digits = [move for move in moves if move.is_mistake], max(2, len(str(len(moves))))
        for move in mistakes:
            file = folder / f"move_{move.ply:0{digits}}.png"
            last = record.actions[move.ply - 2] if move.ply > 1 else None
            plot_mistake(file, names, move, record.players, last)
            write_json(file.with_suffix(".json"), {"setup": setup, **move.to_json(game)})
        plot_game(folder / "game.png", game, moves, saved.title)
        data = {
            "mistakes": [each.ply for each in mistakes],
            "costliest": [each.ply for each in analysis.costliest(moves)],
            "accuracy": [analysis.accuracy_of(moves, player) for player in (1, 2)],
            "moves": [each.to_json(game) for each in moves],
        }
        write_json(folder / "game.json", {"setup": setup, **data})
        pictures = f"a picture of each mistake ({len(mistakes)}), game.png"
        screen.message(f"Saved in {folder}: {pictures}, and JSON beside each.")


def _write_sgf(file: Path, root: SGFNode, moves: list[analysis.ReviewedMove]) -> None:
    reader, begin = MoveReader(root), read_game(root).begin
    nodes = (each for each in begin.main_line() if reader.move(each) is not None)
    reviews = (
        MoveReview(each.after.value, each.after.exact, each.loss, each.grade, each.best, each.line)
        for each in moves
    )
    annotate(root, zip(nodes, reviews, strict=False))
    wanted = {"FF": ["4"], "GM": ["11"], "SZ": [str(reader.size)]}
    root.properties = {**wanted, **root.properties, "CA": ["UTF-8"]}
    write_text(file, write([root]))


def _in_words(names: Coordinates, moves: list[analysis.ReviewedMove]) -> list[str]:
    game = names.game
    lines = [line for move in analysis.costliest(moves) for line in _about(names, move)]
    shares = {player: analysis.accuracy_of(moves, player) for player in (1, 2)}
    found = [f"{player_name(game, each)} {s:.0f} %" for each, s in shares.items() if s is not None]
    return [*(lines or [_without_mistakes(game, moves)]), f"Accuracy: {', '.join(found)}."]


def _about(names: Coordinates, move: analysis.ReviewedMove) -> Iterator[str]:
    player = player_name(names.game, move.player)
    name = f"Move {move.ply}, {player} {names.move(move.action)}"
    if move.exact:
        yield f"{name}, threw the {'win' if move.could_have.winner != DRAW else 'draw'} away."
    else:
        what = f"{move.grade}: " if move.grade else ""
        yield f"{name}: {what}cost {move.loss:.0f} % of the chances, according to a search."
    if move.better:
        yield f"  Better: {', '.join(names.some(move.better))}."
    if move.line:
        yield f"  Best reply: {' '.join(names.numbered(move.line, move.ply))}"


def _without_mistakes(game: StateManager, moves: list[analysis.ReviewedMove]) -> str:
    if all(move.exact for move in moves):
        start = moves[0].before.winner
        if start == DRAW:
            return "No move threw anything away: the game was a draw from the start."
        return f"No move threw the game away: {player_name(game, start)} was winning throughout."
    first = next((move.ply for move in moves if move.exact), None)
    judged = "none of them" if first is None else f"them from move {first} on"
    otherwise = "where it did not, a search would have played the same."
    return f"No known mistake: the judge decided {judged}; {otherwise}"
