"""Tables for the terminal: of tournaments, series and comparisons, and of an analysis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, ConsoleOptions, OverflowMethod, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from display.boards.terminal_styles import BLACK_WORD, RED_WORD

if TYPE_CHECKING:
    from agents.match import Pair, Results, Row
    from analysis import GameStatistics
    from oht_client import SeriesResult
    from topp import Standings

_DRAW = 3
_SHORT_NAME = len("anet_00200")
_BAR_WIDTH = 12
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
    """Return wins, losses, draws if any, Elo, win rate with its interval; in order of training."""
    table = _new_table("Standings")
    draws = any(row.draws for row in standings.rows)
    table.add_column("net", overflow="ellipsis", min_width=_SHORT_NAME)
    headings = ["games", "wins", "losses", *_if(draws, "draws"), "Elo", "win rate", "95 %"]
    _add_figures(table, *headings)
    table.add_column("")
    best = max(row.win_rate for row in standings.rows)
    for row in standings.rows:
        table.add_row(
            Text(row.name, no_wrap=True),
            str(row.games),
            str(row.wins),
            str(row.losses),
            *_if(draws, str(row.draws)),
            f"{row.elo:+.0f}",
            f"{row.win_rate:.1%}",
            f"{100 * row.low:.0f}-{100 * row.high:.0f}",
            _Bar(row.win_rate),
            style="bold" if row.win_rate == best else "",
        )
    return table


def cross_table(results: Standings | Results, who: str = "net") -> Table:
    """Return who (nets, agents) won how many games against whom; columns are numbered like rows."""
    table = _new_table("Wins of the row against the column")
    _add_numbered(table, who, "ellipsis")
    names, wins = [row.name for row in results.rows], results.wins
    _add_figures(table, *(str(number) for number in range(1, len(names) + 1)))
    for i, name in enumerate(names):
        cells = [
            _score(wins[i][j], wins[j][i]) if i != j else Text("-", "dim")
            for j in range(len(names))
        ]
        table.add_row(str(i + 1), Text(name, no_wrap=True), *cells)
    return table


def series_table(
    players: tuple[str, str], results: Iterable[tuple[int, int]], colours: tuple[str, str]
) -> Table:
    """Return the wins of both sides, by who started.

    Args:
        players: The names of player 1 and player 2 of the series.
        results: For each game who started (1 or 2) and who won (1, 2, or 3 for a draw).
        colours: What the players are called: "red" and "black" in Hex.
    """
    played = list(results)
    draws = any(winner == _DRAW for _, winner in played)
    table = _new_table("Series")
    table.add_column("who starts", no_wrap=True)
    _add_figures(table, "games")
    for colour, name, style in zip(colours, players, (RED_WORD, BLACK_WORD), strict=True):
        table.add_column(Text.assemble((colour, style), f" ({name})\nwins"), justify="right")
    _add_figures(table, *_if(draws, "draws"))
    for starter in (1, 2, 0):
        chosen = [winner for started, winner in played if starter in (0, started)]
        if not chosen and starter:
            continue
        counts = [_score(chosen.count(player), chosen.count(3 - player)) for player in (1, 2)]
        if starter == 0:
            table.add_section()
        table.add_row(
            colours[starter - 1] if starter else "all games",
            str(len(chosen)),
            *counts,
            *_if(draws, str(chosen.count(_DRAW))),
            style="" if starter else "bold",
        )
    return table


def tournament_table(series: Sequence[SeriesResult]) -> Table:
    """Return games, wins and losses in an Online Hex Tournament, by opponent and in all."""
    table = _new_table("Online Hex Tournament")
    table.add_column("opponent", no_wrap=True)
    table.add_column("we are", no_wrap=True)
    table.add_column("we play with", overflow="ellipsis")
    _add_figures(table, "games", "won", "lost", "won of all")
    for each in series:
        colour = Text("red", RED_WORD) if each.series_id == 1 else Text("black", BLACK_WORD)
        agent = Text(each.agent, no_wrap=True)
        table.add_row(str(each.opponent), colour, agent, *_won_and_lost(each.won, each.lost))
    won, lost = sum(each.won for each in series), sum(each.lost for each in series)
    table.add_section()
    table.add_row("all", "", "", *_won_and_lost(won, lost), style="bold")
    return table


def comparison_table(results: Results) -> Table:
    """Return everyone's score with its interval, and Elo with its interval."""
    table = _new_table("Comparison")
    _add_numbered(table, "agent", "fold")
    draws = _add_score(table, results.rows)
    _add_figures(table, "Elo", "\N{PLUS-MINUS SIGN}")
    best = max(row.win_rate for row in results.rows)
    for number, row in enumerate(results.rows, start=1):
        rating = f"{row.elo:+.0f}", f"{(row.elo_high - row.elo_low) / 2:.0f}"
        if row.elo != row.elo:
            rating = "-", ""
        elif number == 1:  # what the others refer to
            rating = "0", ""
        table.add_row(
            str(number),
            _breakable(row.name, _NAME),
            *_score_cells(row, draws),
            *rating,
            style="bold" if row.win_rate == best else "",
        )
    return table


def pairs_table(results: Results) -> Table:
    """Return the score of each two agents with its interval: bold where it leaves out 50 %."""
    table = _new_table("Each two, seen from the one on the left")
    table.add_column("agent", overflow="fold")
    table.add_column("against", overflow="fold")
    draws = _add_score(table, results.pairs)
    for pair in results.pairs:
        style = "bold green" if pair.low > 0.5 else "bold red" if pair.high < 0.5 else ""
        *counts, rate, interval = _score_cells(pair, draws)
        names = [_breakable(name, _NAME_OF_TWO) for name in (pair.first, pair.second)]
        table.add_row(*names, *counts, Text(rate, style), Text(interval, style))
    return table


def effort_table(results: Results) -> Table:
    """Return what everyone's moves took."""
    table = _new_table("Effort")
    _add_numbered(table, "agent", "fold")
    _add_figures(table, "moves", "ms/move", "simulations\n/move", "simulations\n/s")
    for number, row in enumerate(results.rows, start=1):
        effort = row.effort
        table.add_row(
            str(number),
            _breakable(row.name, _NAME),
            f"{effort.moves:,}",
            milliseconds(effort.seconds_per_move),
            whole(effort.simulations_per_move),
            whole(effort.simulations_per_second),
        )
    return table


def phases_table(title: str, statistics: GameStatistics) -> Table:
    """Return the mean of each measure that is known in each phase of a game."""
    from analysis.statistics import PHASES

    table = _new_table(title)
    table.add_column("", no_wrap=True)
    for phase in PHASES:
        table.add_column(phase, justify="right")
    for name, measure, pattern in _MEASURES:
        values = statistics.phases[measure]
        if any(value is not None for value in values):
            cells = ("-" if value is None else pattern.format(value) for value in values)
            table.add_row(name, *cells)
    return table


def milliseconds(seconds: float | None) -> str:
    """Return a time in milliseconds, if there is one: ``0.071``, ``7.13``, ``713``."""
    if seconds is None:
        return "-"
    thousandths = 1000 * seconds
    return f"{thousandths:,.0f}" if thousandths >= 100 else f"{thousandths:#.3g}"


def whole(value: float | None) -> str:
    """Return a number without its fraction, if there is one."""
    return "-" if value is None else f"{value:,.0f}"


def _new_table(title: str) -> Table:
    """An empty table in the style of the house."""
    return Table(
        title=Text(title, "bold"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        show_edge=False,
        header_style="",
    )


def _add_numbered(table: Table, who: str, overflow: OverflowMethod) -> None:
    """Add columns for the numbers and for the names of participants."""
    table.add_column("", justify="right", style="dim", no_wrap=True)
    table.add_column(who, overflow=overflow)


def _add_figures(table: Table, *headings: str) -> None:
    """Add columns of figures, which are never cut or broken."""
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)


def _add_score(table: Table, rows: Sequence[Row] | Sequence[Pair]) -> bool:
    """Add the columns of a score; return whether draws are among them: where there are some."""
    draws = any(row.draws for row in rows)
    _add_figures(table, "won", "lost", *_if(draws, "drawn"), "win rate", "95 %")
    return draws


def _score_cells(row: Row | Pair, draws: bool) -> list[str]:
    """Return the cells of a score."""
    counts = [str(row.wins), str(row.losses), *_if(draws, str(row.draws))]
    return [*counts, f"{row.win_rate:.1%}", f"{100 * row.low:.1f}-{100 * row.high:.1f}"]


def _won_and_lost(won: int, lost: int) -> list[Text]:
    """Return the cells of games, wins, losses and the share of wins."""
    games = won + lost
    share = f"{won / games:.1%}" if games else "-"
    return [Text(str(games)), _score(won, games), Text(str(lost)), Text(share)]


def _if(shown: bool, cell: str) -> list[str]:
    """Return a cell of a column that is there or not."""
    return [cell] if shown else []


def _breakable(name: str, width: int) -> Text:
    """Return a name whose options, where wider than this, break after their =, not in a word."""
    words = (word.replace("=", "=\n") if len(word) > width else word for word in name.split(" "))
    return Text(" ".join(words))


def _score(wins: float, losses: float) -> Text:
    """Wins, green and bold where they are more than the losses, dim where they are fewer."""
    style = "bold green" if wins > losses else "dim" if wins < losses else ""
    return Text(f"{wins:g}", style)


class _Bar:
    """A bar for a share from 0 to 1, to half a column; it is the first to give way to figures."""

    def __init__(self, share: float) -> None:
        self._share = share

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        halves = round(2 * min(options.max_width, _BAR_WIDTH) * self._share)
        yield Text("━" * (halves // 2) + "╸" * (halves % 2), RED_WORD)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(1, _BAR_WIDTH)
