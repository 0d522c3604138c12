"""Tables for the terminal: of tournaments, series and comparisons, and of an analysis."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from rich import box
from rich.console import OverflowMethod
from rich.progress_bar import ProgressBar
from rich.table import Column, Table
from rich.text import Text

from base.storage import printable
from display.boards.cells import Coordinates
from display.boards.palette import player_name
from display.boards.terminal import BLACK_WORD, RED_WORD
from state_manager import DRAW

if TYPE_CHECKING:
    from agents.match import Pair, Results, Row
    from analysis import GameStatistics, ReviewedMove, Verdict
    from online.results import SeriesResult
    from state_manager import StateManager
    from topp import Standings

T = TypeVar("T")

_BAR_WIDTH = 12
_SHORT_NAME = len("anet_00200")
_NAME, _NAME_OF_TWO = 25, 20
"""Columns that an agent has in a table of 80 columns, alone and beside another."""
_MEASURES = (
    ("entropy of the net", "net_entropy", "{:.2f}"),
    ("entropy of the search", "search_entropy", "{:.2f}"),
    ("perplexity of the net", "net_perplexity", "{:.1f}"),
    ("perplexity of the search", "search_perplexity", "{:.1f}"),
    ("net's first choice", "net_top_probability", "{:.1%}"),
    ("search's first choice", "search_top_probability", "{:.1%}"),
    ("same first choice", "same_first_choice", "{:.1%}"),
    ("overlap", "overlap", "{:.1%}"),
    ("KL(D, net)", "kl_divergence", "{:.2f}"),
    ("net plays a best move", "net_plays_best", "{:.1%}"),
    ("search plays a best move", "search_plays_best", "{:.1%}"),
)


def standings_table(standings: Standings) -> Table:
    """Return wins, losses, draws if any, Elo, win rate with its interval, regret if measured."""
    draws, judged = any(row.draws for row in standings.rows), bool(standings.regrets)
    table = _table(
        "Standings",
        Column("net", overflow="ellipsis", min_width=_SHORT_NAME),
        *_figures("games", "wins", "losses", *_if(draws, "draws"), "Elo", "win rate", "95 %"),
        *_figures(*_if(judged, "regret")),
        Column("", max_width=_BAR_WIDTH),
    )
    best = max(row.win_rate for row in standings.rows)
    for row in standings.rows:
        counts = row.games, row.wins, row.losses, *_if(draws, row.draws), f"{row.elo:+.0f}"
        interval = f"{100 * row.low:.0f}-{100 * row.high:.0f}"
        regret = f"{standings.regrets[row.name]:.1%}" if row.name in standings.regrets else "-"
        figures = *map(str, counts), f"{row.win_rate:.1%}", interval, *_if(judged, regret)
        style = "bold" if row.win_rate == best else ""
        bar = ProgressBar(1.0, row.win_rate, style="dim", complete_style=RED_WORD)
        table.add_row(Text(row.name, no_wrap=True), *figures, bar, style=style)
    return table


def cross_table(results: Standings | Results, heading: str = "net") -> Table:
    """Return the wins of each row (net or agent) against each column, numbered alike."""
    wins, numbers = results.wins, [str(number + 1) for number in range(len(results.rows))]
    name_columns = _numbered(heading, "ellipsis")
    table = _table("Wins of the row against the column", *name_columns, *_figures(*numbers))
    for i, row in enumerate(results.rows):
        cells = [_score(wins[i][j], wins[j][i]) for j in range(len(numbers))]
        cells[i] = Text("-", "dim")
        table.add_row(numbers[i], Text(row.name, no_wrap=True), *cells)
    return table


def series_table(
    players: tuple[str, str], results: Iterable[tuple[int, int]], colours: tuple[str, str]
) -> Table:
    """Return the wins of both sides by starting player; results are pairs of starter and winner."""
    played = list(results)
    draws = any(winner == DRAW for _, winner in played)
    wins = [
        Column(Text.assemble((colour, style), f" ({name})\nwins"), justify="right")
        for colour, name, style in zip(colours, players, (RED_WORD, BLACK_WORD), strict=True)
    ]
    first = Column("who starts", no_wrap=True), *_figures("games")
    table = _table("Series", *first, *wins, *_figures(*_if(draws, "draws")))
    for starter in (1, 2, 0):
        chosen = [winner for started, winner in played if starter in (0, started)]
        if not chosen and starter:
            continue
        counts = [_score(chosen.count(player), chosen.count(3 - player)) for player in (1, 2)]
        counts += _if(draws, Text(str(chosen.count(DRAW))))
        if starter:
            table.add_row(colours[starter - 1], str(len(chosen)), *counts)
        else:
            table.add_section()
            table.add_row("all games", str(len(chosen)), *counts, style="bold")
    return table


def tournament_table(title: str, series: Sequence[SeriesResult]) -> Table:
    """Return games, wins and losses in a tournament, by opponent and in all."""
    table = _table(
        title,
        *(Column(heading, no_wrap=True) for heading in ("opponent", "we are")),
        Column("we play with", overflow="ellipsis"),
        *_figures("games", "won", "lost", "won of all"),
    )
    counts: dict[tuple[int | str, int, str], Counter[str]] = defaultdict(Counter)
    for each in series:
        counts[each.opponent, each.series_id, each.agent] += Counter(won=each.won, lost=each.lost)
    for (opponent, series_id, agent), count in counts.items():
        colour = Text("red", RED_WORD) if series_id == 1 else Text("black", BLACK_WORD)
        words = Text(printable(str(opponent), _NAME)), colour, Text(agent, no_wrap=True)
        table.add_row(*words, *_won_and_lost(count["won"], count["lost"]))
    won, lost = sum(each.won for each in series), sum(each.lost for each in series)
    table.add_section()
    table.add_row("all", "", "", *_won_and_lost(won, lost), style="bold")
    return table


def comparison_table(results: Results) -> Table:
    """Return each agent's score and Elo, with their intervals."""
    draws = any(row.draws for row in results.rows)
    figures = *_score_columns(draws), *_figures("Elo", "\N{PLUS-MINUS SIGN}")
    table = _table("Comparison", *_numbered("agent"), *figures)
    best = max(row.win_rate for row in results.rows)
    for number, row in enumerate(results.rows, start=1):
        rating = f"{row.elo:+.0f}", f"{(row.elo_high - row.elo_low) / 2:.0f}"
        if row.elo != row.elo:
            rating = "-", ""
        elif number == 1:  # the reference of the others
            rating = "0", ""
        cells = *_score_cells(row, draws), *rating
        name = _breakable(row.name, _NAME)
        table.add_row(str(number), name, *cells, style="bold" if row.win_rate == best else "")
    return table


def pairs_table(results: Results) -> Table:
    """Return the score of each two agents with its interval: bold where it leaves out 50 %."""
    draws = any(pair.draws for pair in results.pairs)
    names = [Column(heading, overflow="fold") for heading in ("agent", "against")]
    table = _table("Each two, seen from the one on the left", *names, *_score_columns(draws))
    for pair in results.pairs:
        style = "bold green" if pair.low > 0.5 else "bold red" if pair.high < 0.5 else ""
        *counts, rate, interval = _score_cells(pair, draws)
        both = [_breakable(name, _NAME_OF_TWO) for name in (pair.first, pair.second)]
        table.add_row(*both, *counts, Text(rate, style), Text(interval, style))
    return table


def effort_table(results: Results) -> Table:
    """Return the effort of each agent's moves."""
    figures = _figures("moves", "ms/move", "simulations\n/move", "simulations\n/s")
    table = _table("Effort", *_numbered("agent"), *figures)
    for number, row in enumerate(results.rows, start=1):
        effort = row.effort
        rates = map(whole, (effort.simulations_per_move, effort.simulations_per_second))
        cells = f"{effort.moves:,}", milliseconds(effort.seconds_per_move), *rates
        table.add_row(str(number), _breakable(row.name, _NAME), *cells)
    return table


def judged_words(name: str, judged: Sequence[int], games: int) -> str:
    """Return the number of games decided by an agent's exact judge, and the moves before that."""
    mean, first, last = sum(judged) / len(judged), min(judged), max(judged)
    span = f"{first} moves" if first == last else f"{mean:.1f} moves on average ({first} to {last})"
    return f"{name}: the judge decided {len(judged)} of {games} games, after {span}."


def phases_table(title: str, statistics: GameStatistics) -> Table:
    """Return the mean of each measure that is known in each phase of a game."""
    from analysis.game_statistics import PHASES

    phases = (Column(phase, justify="right") for phase in PHASES)
    table = _table(title, Column("", no_wrap=True), *phases)
    for name, measure, pattern in _MEASURES:
        values = statistics.phases[measure]
        if any(value is not None for value in values):
            cells = ("-" if value is None else pattern.format(value) for value in values)
            table.add_row(name, *cells)
    return table


_BLOCKS = "▁▂▃▄▅▆▇█"
_SIGNS = {"": "", "inaccuracy": "?!", "mistake": "?", "blunder": "??"}


def review_table(names: Coordinates, moves: Sequence[ReviewedMove]) -> Table:
    """Return the winner after each move, its source (judge or search), and the move's cost."""
    game, policy = names.game, moves[0].probability is not None
    table = _table(
        "Who was winning",
        *_figures("move"),
        *(Column(each, no_wrap=True) for each in ("player", "played", "winning", "says")),
        *_figures(*_if(policy, "policy"), "cost"),
        Column("better"),
    )
    table.add_row("0", "", "start", *_verdict(game, moves[0].before))
    for move in moves:
        share = "" if move.probability is None else f"{move.probability:.1%}"
        table.add_row(
            str(move.ply),
            player_name(game, move.player),
            Text(names.move(move.action)),
            *_verdict(game, move.after),
            *_if(policy, share),
            f"{move.loss:.0f} % {_SIGNS[move.grade]:2}" if move.loss >= 0.5 else "",
            Text(", ".join(names.some(move.better))),
            style="bold" if move.is_mistake else "",
        )
    return table


def review_so_far(names: Coordinates, moves: Sequence[ReviewedMove], plies: int) -> Text:
    """Return a player's chances after each move, a dot for later ones, and the costliest moves."""
    from analysis import costliest

    bars = ["·"] * plies
    for move in moves:
        share = move.after.chances(1) / 100
        bars[move.ply - 1] = _BLOCKS[min(int(share * len(_BLOCKS)), len(_BLOCKS) - 1)]
    dear = [
        f"{move.ply}. {names.move(move.action)} {move.loss:.0f} %{_SIGNS[move.grade]}"
        for move in costliest(moves)
    ]
    chances = f"{player_name(names.game, 1)}'s chances"
    return Text(f"{chances}\n{''.join(bars)}\ncostliest: {', '.join(dear)}")


def milliseconds(seconds: float | None) -> str:
    """Return a time in milliseconds, if there is one: ``0.071``, ``7.13``, ``713``."""
    if seconds is None:
        return "-"
    thousandths = 1000 * seconds
    return f"{thousandths:,.0f}" if thousandths >= 100 else f"{thousandths:#.3g}"


def whole(value: float | None) -> str:
    """Return a number without its fraction, if there is one."""
    return "-" if value is None else f"{value:,.0f}"


def _table(title: str, *columns: Column) -> Table:
    look: dict[str, Any] = {"box": box.SIMPLE_HEAD, "title_justify": "left", "header_style": ""}
    return Table(*columns, title=Text(title, "bold"), pad_edge=False, show_edge=False, **look)


def _numbered(heading: str, overflow: OverflowMethod = "fold") -> tuple[Column, Column]:
    number = Column("", justify="right", style="dim", no_wrap=True)
    return number, Column(heading, overflow=overflow)


def _figures(*headings: str) -> list[Column]:
    """Columns of figures, which are never cut or broken."""
    return [Column(heading, justify="right", no_wrap=True) for heading in headings]


def _score_columns(draws: bool) -> list[Column]:
    return _figures("won", "lost", *_if(draws, "drawn"), "win rate", "95 %")


def _score_cells(row: Row | Pair, draws: bool) -> list[str]:
    counts = map(str, (row.wins, row.losses, *_if(draws, row.draws)))
    return [*counts, f"{row.win_rate:.1%}", f"{100 * row.low:.1f}-{100 * row.high:.1f}"]


def _won_and_lost(won: int, lost: int) -> list[Text]:
    games = won + lost
    share = f"{won / games:.1%}" if games else "-"
    return [Text(str(games)), _score(won, games), Text(str(lost)), Text(share)]


def _verdict(game: StateManager, verdict: Verdict) -> tuple[Text, str]:
    result = Text("draw" if verdict.exact else "unclear", "dim")
    if (winner := verdict.winner) != DRAW:
        result = Text(player_name(game, winner), (RED_WORD, BLACK_WORD)[winner - 1])
    return result, "judge" if verdict.exact else f"search {verdict.value:+.2f}"


def _if(shown: bool, cell: T) -> list[T]:
    return [cell] if shown else []


def _breakable(name: str, width: int) -> Text:
    """Return a name whose options, where wider than this, break after their =, not in a word."""
    words = (word.replace("=", "=\n") if len(word) > width else word for word in name.split(" "))
    return Text(" ".join(words))


def _score(wins: float, losses: float) -> Text:
    style = "bold green" if wins > losses else "dim" if wins < losses else ""
    return Text(f"{wins:g}", style)
