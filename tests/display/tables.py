"""What a terminal shows: boards.txt and tables.txt, read in review.

Usage: python -m tests.display.tables

writes them anew.
"""

import io
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from rich.console import Console
from rich.table import Table

from agents.match import Effort, Results, Row
from analysis import GameStatistics
from analysis.game_statistics import MEASURES, Bin, Calibration, Curve
from display.boards.moment import GameView, Insight
from display.boards.terminal import TerminalBoard
from display.reports.tables import (
    comparison_table,
    cross_table,
    effort_table,
    milliseconds,
    pairs_table,
    phases_table,
    series_table,
    standings_table,
)
from mcts import Thought
from state_manager import State, StateManager, make_game
from tests.golden.tables import Answers, rewrite
from topp import Setup, Standings

T = TypeVar("T", Results, Standings)
BOARDS, TABLES = (Path(__file__).with_name(f"{name}.txt") for name in ("boards", "tables"))


class Latin(io.StringIO):
    """A stream whose encoding has no characters for boards."""

    encoding = "latin-1"


def shown(thing: object, width: int = 80, height: int | None = None, ascii: bool = False) -> str:
    """Return what a terminal of this size shows, without colours."""
    file = Latin() if ascii else io.StringIO()
    console = Console(file=file, width=width)
    console.print(thing, width=width, height=height, end="")
    return file.getvalue().rstrip("\n")


def state_after(game: StateManager, actions: Sequence[int], player: int = 1) -> State:
    """Return the state after some actions of both players in turn."""
    state = game.initial_state(player)
    for action in actions:
        state = game.child_state(state, action)
    return state


def view_of(game: StateManager, actions: Sequence[int], **about: Any) -> GameView:
    state, last = state_after(game, actions), actions[-1] if actions else None
    players = about.pop("players", ("ANET 50", "MCTS"))
    known = len(actions), last, game.winner(state)
    return GameView(game, state, "game 1 of 9", players, *known, **about)


def of_board(line: str) -> str:
    """Return the board of ``GAME OPTION=VALUE | ACTION ... | OPTION=VALUE of the terminal``."""
    words, actions, options = (part.split() for part in line.split("|"))
    given: dict[str, Any] = {
        key: tuple(map(int, value.split(","))) if "," in value else int(value)
        for key, _, value in (word.partition("=") for word in words[1:])
    }
    terminal: dict[str, Any] = {
        key: int(value) for key, _, value in (word.partition("=") for word in options)
    }
    long = {"players": ("mcts simulations=1000", "anet_00200 probabilistic")}
    names = long if terminal.pop("long", 0) else {}
    letters = {"letters": bool(terminal.pop("letters", 1))}
    view = view_of(make_game(words[0], **given), [*map(int, actions)], **names, **letters)
    return shown(TerminalBoard(view), **terminal)


def insight(value: float | None = -0.25, outcome: int = 0, is_search: bool = True) -> Insight:
    """Player 2 plays (1, 1) on an empty board, though (0, 2) was searched more often."""
    game, distribution = make_game("hex", size=3), np.zeros(9)
    distribution[[0, 2, 4, 8]] = 0.001, 0.6, 0.3, 0.099
    thought = Thought(distribution, value, is_search, outcome=outcome)
    return Insight(game, game.initial_state(2), 4, thought)


INSIGHTS: dict[str, Callable[[], Insight]] = {
    "a search": insight,
    "a net without a critic": lambda: insight(None, is_search=False),
    "a win of the judge": lambda: insight(outcome=2),
    "a loss of the judge": lambda: insight(outcome=1),
    "no thought": lambda: replace(insight(), thought=None),
}


def of_insight(name: str) -> str:
    """Return the board after a move with a thought, in letters and in numbers."""
    known = INSIGHTS[name]()
    state = known.game.child_state(known.before, 4)
    views = (
        GameView(known.game, state, "t", ("a", "b"), 1, 4, 0, known, letters)
        for letters in (True, False)
    )
    return "\n".join(shown(TerminalBoard(view), width=100) for view in views)


def row(name: str, games: int, wins: int, elo: float) -> Row:
    return Row(games, wins, games - wins, 0, name, "", elo, elo, elo, Effort())


def as_standings(rows: Sequence[Row], wins: Any, games: Any) -> Standings:
    setup = Setup("hex", {"size": 5}, 1, 200, "greedy", 0.0, 0)
    return Standings(tuple(rows), wins, games, games, 9, setup)


def standings(nets: int) -> Standings:
    """Return a tournament of 200 games a pair, in which later nets are better."""
    wins = [[(100 + 7 * (i - j)) * (i != j) for j in range(nets)] for i in range(nets)]
    games = [[200 * (i != j) for j in range(nets)] for i in range(nets)]
    rows = [row(f"anet_{50 * i:05}", sum(games[i]), sum(wins[i]), 90 * i - 7) for i in range(nets)]
    return as_standings(rows, wins, games)


def results(agents: int, drawn: int = 0) -> Results:
    """Return the results of 100 games a pair, in which later agents are better."""
    names = [f"mcts simulations={100 * 2**i}" for i in range(agents)]
    rows = []
    for i, name in enumerate(names):
        moves = 1234 + i
        simulations = 500 * moves if i else 0
        effort = Effort(moves, 0.0071 * (i + 1) * moves, simulations, simulations / (98765 + i))
        ratings = 70.0 * i, 70.0 * i - 50 * (i > 0), 70.0 * i + 50 * (i > 0)
        score = 90 + drawn, 50 + i, 40 - i, drawn
        rows.append(Row(*score, name, name, *ratings, effort))
    places = range(agents)
    wins = tuple(tuple((30 if i < j else 70 - drawn) * (i != j) for j in places) for i in places)
    results = Results(tuple(rows), wins, (), (), 9)
    return meeting(results, lambda one, other: one != other)


def meeting(results: Results, have_met: Callable[[int, int], bool]) -> Results:
    """Return results in which only some have met."""
    places = range(len(results.rows))
    games = tuple(tuple(100 * have_met(i, j) for j in places) for i in places)
    return replace(results, games=games, distinct=games)


def named(data: T, name: str) -> T:
    return replace(data, rows=tuple(replace(row, name=name) for row in data.rows))


def curve(level: float) -> Curve:
    """Return a curve of three points that falls from a level."""
    means = level, 0.9 * level, 0.8 * level
    low, high = (tuple(each + by for each in means) for by in (-0.05, 0.1))
    return Curve((0, 1, 2), (9, 9, 9), means, low, high)


def statistics(*, exact: bool, critic: bool) -> GameStatistics:
    """Return statistics of a net beside a search, with what perfect play and a critic add."""
    names = ["net_entropy", "search_entropy", "uniform_entropy", "net_top_probability"]
    names += ["search_top_probability", "uniform_top_probability", "same_first_choice", "overlap"]
    names += ["net_plays_best"] if exact else []
    bins = Bin(9, 5, 0.1, 0.2, 0.1, 0.5), Bin(3, 2, 0.8, 0.7, 0.5, 0.9)
    value = Calibration(bins, 0.2, None)
    curves = {name: curve(0.3 + 0.05 * place) for place, name in enumerate(names)}
    phases: dict[str, tuple[float | None, ...]]
    phases = dict.fromkeys(MEASURES, (1.234, None, None, None))
    phases["net_plays_best"] = (None,) * 4
    calibration = {"search": value} | ({"net": value} if critic else {})
    return GameStatistics(9, 12, curves, phases, calibration)


def judged() -> Standings:
    data = standings(8)
    return replace(data, regrets={row.name: 0.8 - 0.035 * i for i, row in enumerate(data.rows)})


def unrated() -> Results:
    data = results(2)
    last = replace(data.rows[1], elo=math.nan, elo_low=math.nan, elo_high=math.nan)
    return replace(data, rows=(data.rows[0], last))


WINS = [(1, 1)] * 3 + [(1, 2)] * 4 + [(2, 1)] * 5 + [(2, 2)] * 6
VARIANT = "mcts anet_00200 tree_policy=n_mcts_paper rollout_epsilon=1"
COLOURS = ("red", "black")
NAMED: dict[str, Callable[[], Table]] = {
    "standings": lambda: standings_table(standings(5)),
    "standings with regrets": lambda: standings_table(judged()),
    "standings of long names": lambda: standings_table(named(standings(2), "runs/" + "x" * 90)),
    "cross table": lambda: cross_table(standings(8)),
    "cross table of long names": lambda: cross_table(named(standings(2), "runs/" + "x" * 90)),
    "series": lambda: series_table(("random", "mcts"), WINS, COLOURS),
    "series with a draw": lambda: series_table(("a", "b"), [(1, 3), (1, 1)], COLOURS),
    "comparison": lambda: comparison_table(results(5)),
    "comparison with draws": lambda: comparison_table(results(5, drawn=7)),
    "comparison without a rating": lambda: comparison_table(unrated()),
    "comparison of markup": lambda: comparison_table(named(results(2), "[red]x[/red]")),
    "pairs": lambda: pairs_table(results(3, drawn=10)),
    "pairs of variants": lambda: pairs_table(named(results(2), VARIANT)),
    "effort": lambda: effort_table(results(2)),
    "effort of variants": lambda: effort_table(named(results(2), VARIANT)),
    "effort of markup": lambda: effort_table(named(results(2), "[red]x[/red]")),
    "phases": lambda: phases_table("a net", statistics(exact=False, critic=False)),
}


def of_table(name: str) -> str:
    """Return a table on 80 columns, or on another number that is in its case."""
    name, _, width = name.partition(" | ")
    return shown(NAMED[name](), int(width or 80))


ANSWERS: Answers = {
    "board": lambda: of_board,
    "insight": lambda: of_insight,
    "table": lambda: of_table,
    "milliseconds": lambda: lambda text: milliseconds(None if text == "-" else float(text)),
}

if __name__ == "__main__":
    rewrite(BOARDS, ANSWERS)
    rewrite(TABLES, ANSWERS)
