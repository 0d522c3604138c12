"""What pictures show: pictures.txt, read in review.

Usage: python -m tests.display.pictures

writes it anew.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations, groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator

from agents.match import Results
from analysis import ComparedPosition, Comparison, ReviewedMove, TemperatureEffect, Verdict
from display.boards.cells import Coordinates
from display.boards.picture import save_board
from display.reports.analysis_plots import plot_statistics, plot_temperatures
from display.reports.heat_map import SMALLEST_LETTERS, HeatMap
from display.reports.opening_map import plot_first_stones, plot_opening_map
from display.reports.policy_pictures import plot_position, plot_positions
from display.reports.review_pictures import plot_game, plot_mistake
from display.reports.tournament_plots import plot_comparison, plot_standings
from display.reports.training_plot import plot_training
from mcts import SearchResult
from state_manager import StateManager, make_game
from tests.display.tables import (
    as_standings,
    insight,
    meeting,
    results,
    row,
    standings,
    statistics,
    view_of,
)
from tests.golden.tables import Answers, rewrite

PICTURES = Path(__file__).with_name("pictures.txt")
Plot = Callable[[Path], object]
GAMES: dict[str, StateManager] = {
    "hex 3": make_game("hex", size=3),
    "hex 11": make_game("hex", size=11),
    "tic-tac-toe": make_game("tic_tac_toe"),
    "connect four": make_game("connect_four"),
    "hexapawn": make_game("hexapawn"),
    "nim": make_game("nim", stones=40, max_take=20),
    "ledge": make_game("ledge"),
}


def figures_of(plot: Plot) -> tuple[list[Figure], list[str]]:
    """Return the figures that a function saves, small ones to save time, and its files."""
    saved, save = list[Figure](), Figure.savefig

    def savefig(figure: Figure, *args: Any, **options: Any) -> None:
        saved.append(figure)
        save(figure, *args, **{**options, "dpi": 20})

    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        patch.setattr(Figure, "savefig", savefig)
        plot(Path(folder) / "x.png")
        return saved, sorted(each.name for each in Path(folder).iterdir())


def points(values: Any) -> str:
    """Return numbers, or pairs of numbers, with three digits."""
    return " ".join(",".join(f"{n:.3g}" for n in np.ravel(each) + 0.0) for each in values)


def patches(axes: Axes) -> Iterator[str]:
    """Return the shapes of axes, those of one look together: how many, and where they are."""
    for look, group in groupby(sorted(axes.patches, key=look_of), look_of):
        shapes = [(each, each.get_path().get_extents(each.get_patch_transform())) for each in group]
        is_bar = isinstance(shapes[0][0], Rectangle)
        ends = (np.r_[box.min, box.max] for _, box in shapes)
        places = ends if is_bar else (np.mean([box.min, box.max], axis=0) for _, box in shapes)
        yield f"  {len(shapes)} {look}" + f": {points(places)}" * (len(shapes) < 8)


def look_of(patch: Any) -> str:
    """Return the kind of a shape, the colours of its inside, its edge and its rim, and its pen."""
    rims = [each._gc["foreground"] for each in patch.get_path_effects()]
    colours = [to_hex(c, True) for c in (patch.get_facecolor(), patch.get_edgecolor(), *rims)]
    return " ".join([type(patch).__name__, *colours, f"{patch.get_linewidth():.3g}"])


def described(figure: Figure) -> str:
    """Return what a figure has: words, shapes and lines in each of its axes; of a sheet, words."""
    lines = [f"{points(figure.get_size_inches())} inches", *map(words_of, figure.texts)]
    for axes in figure.axes:
        is_named = isinstance(axes.yaxis.get_major_locator(), FixedLocator)
        ticks = axes.get_yticklabels() if is_named else []
        titles = axes.title, axes.xaxis.label, axes.yaxis.label, *ticks
        legend = axes.get_legend()
        lines.append(f"axes {points([axes.get_xlim(), axes.get_ylim()])}")
        for texts in (titles, legend.get_texts() if legend else []):
            lines.append("  " + " | ".join(filter(None, map(words_of, texts))))
        places = (points(text.get_position()) for text in axes.texts)
        both = [" at ".join(each) for each in zip(map(words_of, axes.texts), places, strict=True)]
        lines.append("  " + " | ".join(both if len(both) < 25 else map(words_of, axes.texts)))
        if len(figure.axes) > 5:
            continue
        lines += patches(axes)
        for line in axes.lines:
            label, data = str(line.get_label()), np.asarray(line.get_xydata(), float)
            label = "" if label.startswith("_") else label
            lines.append(f"  line {label} {line.get_marker()}: {points(data[:9])}")
        for each in axes.collections:
            colours = dict.fromkeys(map(tuple, np.asarray(each.get_facecolor())[:25]))
            lines.append(f"  {type(each).__name__}: {' '.join(map(to_hex, colours))}")
    return "\n".join(line.rstrip() for line in lines if line.strip())


def words_of(text: Text) -> str:
    words = text.get_text().strip().replace("\n", "\\n")
    return f"**{words}**" if words and text.get_fontweight() == "bold" else words


def check_letters(figure: Figure) -> None:
    """Assert that all words can be read: large enough, inside the picture, beside each other."""
    figure.draw_without_rendering()
    ticks = {label for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)
             for tick in axis.get_major_ticks()
             if not min(axis.get_view_interval()) <= tick.get_loc() <= max(axis.get_view_interval())
             for label in (tick.label1, tick.label2)}  # fmt: skip
    found: list[Any] = figure.findobj(Text)
    texts = [t for t in found if t.get_visible() and t.get_text() and t not in ticks]
    boxes = [(each.get_text(), each.get_window_extent()) for each in texts]
    for each, (words, box) in zip(texts, boxes, strict=True):
        assert float(each.get_fontsize()) >= SMALLEST_LETTERS, words
        assert min(box.x0, box.y0) >= -1, words
        assert box.x1 <= figure.bbox.x1 + 1, words
        assert box.y1 <= figure.bbox.y1 + 1, words
    for (one, first), (other, second) in combinations(boxes, 2):
        width = min(first.x1, second.x1) - max(first.x0, second.x0)
        height = min(first.y1, second.y1) - max(first.y0, second.y0)
        assert width < 2 or height < 2, f"{one!r} lies on {other!r}"


def reviewed(game: StateManager, plies: int = 4) -> ReviewedMove:
    """Return a mistake at the first move, with better moves and a continuation."""
    state = game.initial_state()
    first, *others = game.legal_actions(state).tolist()
    after, line = game.child_state(state, first), list[int]()
    while not game.is_final(after) and len(line) < plies:
        line.append(int(game.legal_actions(after)[0]))
        after = game.child_state(after, line[-1])
    verdicts = Verdict(1.0, True), Verdict(-1.0, True)
    return ReviewedMove(1, state, first, *verdicts, None, tuple(others[:2]), tuple(line))


def heat_map(game: StateManager, plies: int = 2) -> HeatMap:
    """Return a map whose probabilities rise with the actions' numbers."""
    rng, state, last = np.random.default_rng(1), game.initial_state(), None
    for _ in range(plies):
        last = int(rng.choice(game.legal_actions(state)))
        state = game.child_state(state, last)
    policy, legal = np.zeros(game.num_actions), game.legal_actions(state)
    policy[legal] = np.arange(1, len(legal) + 1)
    return HeatMap(game, state, policy / policy.sum(), last)


def comparison(game: StateManager, plies: int) -> Comparison:
    """Return the policies of a net and a search for a position, won by player 1 or a draw."""
    of_net, outcome = heat_map(game, plies), 1 + plies // 2 * 2
    state, policy, legal = of_net.state, of_net.policy, game.legal_actions(of_net.state)
    position = ComparedPosition(0, plies, 9, state, of_net.last_action, legal, policy, outcome)
    visits, shares = np.ones(len(policy), np.int64), policy**2 / (policy**2).sum()
    search = SearchResult(visits, policy, shares, int(policy.argmax()), 0, 0.0, 2000, 0.1)
    return Comparison(position, search, -0.34, frozenset({of_net.first_choice}))


def position(name: str) -> Plot:
    names, of_search = Coordinates(GAMES[name]), "search, 2,000 simulations"
    return lambda file: plot_position(file, names, 3, comparison(GAMES[name], 2), of_search)


def sheet(name: str, *plies: int) -> Plot:
    compared = [comparison(GAMES[name], each) for each in plies]
    return lambda file: plot_positions(file, GAMES[name], compared)


def mistake(name: str) -> Plot:
    names = Coordinates(make_game(name))
    return lambda file: plot_mistake(file, names, reviewed(names.game), ("Ada", "Bo"), None)


def reviewed_game(file: Path) -> None:
    first = reviewed(make_game("hex", size=3))
    second = ReviewedMove(2, first.state, 1, first.after, Verdict(-0.4, False))
    plot_game(file, make_game("hex", size=3), [first, second], "a game")


def board(name: str, *actions: int, **options: Any) -> Plot:
    view = view_of(make_game(name, **options), actions, players=("first", "second"))
    return lambda file: save_board(file, view)


def thought(letters: bool) -> Plot:
    view = view_of(insight().game, [4], insight=insight(), letters=letters)
    return lambda file: save_board(file, view)


def training(updates: int, *keys: str) -> Plot:
    return lambda file: plot_training(file, [
        {"episode": number, "seconds": 0.3 * number, **dict.fromkeys(keys, 1 / number)}
        for number in range(1, updates + 1)
    ])  # fmt: skip


def losses(lowest: float) -> Plot:
    curve = np.linspace(2.5, lowest, 30).tolist()
    records = [{"episode": n, "loss": loss} for n, loss in enumerate(curve, start=1)]
    return lambda file: plot_training(file, records)


def gating(file: Path) -> None:
    tries = [
        {"win_fraction": share, "gating_threshold": 0.55, "accepted": share > 0.55}
        for share in (0.9, 0.5, 0.55, 0.6)
    ]
    records = [{"episode": 50 * n, "loss": 1 / n, **each} for n, each in enumerate(tries, start=1)]
    plot_training(file, records)


def cached_nets(file: Path) -> None:
    records: list[dict[str, Any]] = [{"episode": n, "loss": 2 - 0.1 * n} for n in range(1, 9)]
    for record, share in zip(records[3::4], (0.6, 0.5), strict=True):
        record |= {"regret": share, "openings_wrong": share / 2}
    untrained = {"episode": 0, "seconds": 0.0, "regret": 0.8, "openings_wrong": 0.5}
    plot_training(file, [untrained, *records])


def win_rates(file: Path) -> None:
    wins = (0, 1, 30, 37, 50, 62, 77, 80, 99, 100)
    rows, games = [row("x", 100, each, 1234.0) for each in wins], [[1] * len(wins)] * len(wins)
    plot_standings(file, as_standings(rows, games, games), "hex(size=5), G = 50")


def first_moves(name: str) -> Plot:
    game = make_game(name)
    actions = game.legal_actions(game.initial_state(1)).tolist()
    others = len(actions) - 2
    given = {"actions": actions, "thinks": [0.31, -1.0] + [-1.0] * others}
    given |= {"true": [-1.0] * len(actions), "wrong": [True, True] + [False] * others}
    record = {"episode": 7, "opening_map": given}
    return lambda file: plot_opening_map(file, Coordinates(game), record)


def compared(data: Results) -> Plot:
    return lambda file: plot_comparison(file, data, "hex(size=5)")


def gauntlet(data: Results) -> Results:
    return meeting(data, lambda one, other: one != other and 0 in (one, other))


def long_names() -> Results:
    data = results(4)
    more = "tree_policy=n_mcts_proportional rollouts=4"
    rows = [replace(row, name=f"{row.name} {more}") for row in data.rows]
    rows[0] = replace(rows[0], wins=0, losses=90)
    rows[3] = replace(rows[3], wins=90, losses=0, elo=-1234.0, elo_low=-1400.0, elo_high=-1000.0)
    return meeting(replace(data, rows=tuple(rows)), lambda one, other: False)


def of_statistics(complete: bool) -> Plot:
    data = statistics(exact=complete, critic=complete)
    title = "ledge(board=[0, 1, 0, 1, 1, 0, 2, 0, 0, 1])  ·  200 games against itself  ·  seed 1"
    return lambda file: plot_statistics(file, data, "anet_00200 beside a search", title, "player 1")


def temperatures(name: str, count: int, best: float | None) -> Plot:
    shown = np.geomspace(0.1, 2, count).round(2).tolist()
    maps = [(each, heat_map(GAMES[name])) for each in shown]
    effects = [
        TemperatureEffect(each, each, each / 2, 1.0, 1.0, 0.5, 0.5, 0.4, best)
        for each in np.geomspace(0.1, 3, 20)
    ]
    words = "anet_00200", "above, position 3"
    return lambda file: plot_temperatures(file, maps, effects, *words)


PICTURED: dict[str, Plot] = {
    "stones of connect four": board("connect_four", 3, 3, 0),
    "pawns": board("hexapawn", 0),
    "a won game of tic-tac-toe": board("tic_tac_toe", 0, 3, 1, 4, 2),
    "a draw of tic-tac-toe": board("tic_tac_toe", 4, 0, 2, 6, 3, 5, 1, 7, 8),
    "coins": board("ledge", board=(0, 1, 0, 2, 1)),
    "a heap at the first move": board("nim"),
    "a heap at the second move": board("nim", 1),
    "stones of hex": board("hex", 1, size=3),
    "the thought behind a move": thought(True),
    "the thought behind a move, in numbers": thought(False),
    **{f"mistake in {name}": mistake(name) for name in (
        "hex", "tic_tac_toe", "connect_four", "hexapawn", "nim", "ledge"
    )},
    **{f"first moves of {name}": first_moves(name) for name in (
        "hex", "tic_tac_toe", "connect_four", "hexapawn", "nim"
    )},
    "first stones": lambda file: plot_first_stones(file, [4, 9]),
    "standings": lambda file: plot_standings(file, standings(20), "hex"),
}  # fmt: skip
REPORTS: dict[str, Plot] = {
    **{f"position of {name}": position(name) for name in GAMES},
    **{f"sheet of {name}": sheet(name, 0, 1, 2, 1) for name in GAMES if name != "tic-tac-toe"},
    **{f"sheet of {count}": sheet("tic-tac-toe", *[1] * count) for count in (1, 5, 6)},
    "reviewed game": reviewed_game,
    "training without an update": training(0),
    "training with one update": training(1, "loss"),
    "training with three curves": training(200, "loss", "entropy", "accuracy"),
    **{f"losses down to {lowest}": losses(lowest) for lowest in (0.1, 1.0, 2.2)},
    "gating": gating,
    "cached nets": cached_nets,
    "win rates": win_rates,
    **{f"comparison of {agents}": compared(results(agents)) for agents in (2, 3, 9)},
    "comparison in which one agent meets all": compared(gauntlet(results(5))),
    "comparison of long names": compared(long_names()),
    "statistics": of_statistics(True),
    "statistics without perfect play or critic": of_statistics(False),
    "one temperature": temperatures("hex 3", 1, 0.5),
    "four temperatures": temperatures("hexapawn", 4, None),
    "nine temperatures": temperatures("ledge", 9, 0.7),
}  # fmt: skip


def of_picture(name: str) -> str:
    """Return what is in a picture; in a report, all letters can be read."""
    figures, files = figures_of((PICTURED | REPORTS)[name])
    assert files == ["x.png"] * len(figures)
    for figure in figures if name in REPORTS else []:
        check_letters(figure)
    return "\n".join(map(described, figures)) or "no picture"


ANSWERS: Answers = {"picture": lambda: of_picture, "report": lambda: of_picture}

if __name__ == "__main__":
    rewrite(PICTURES, ANSWERS)
