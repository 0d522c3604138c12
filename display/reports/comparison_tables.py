"""Tables of a comparison: who is better, by how much, and what it took."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rich.table import Table
from rich.text import Text

from display.reports.tables import new_table

_NAME, _NAME_OF_TWO = 25, 20
"""Columns that a name has in a table of 80 columns, alone and beside another."""


class ScoreRow(Protocol):
    """Games of one side against another, or against all others."""

    @property
    def wins(self) -> int:
        """Games won."""

    @property
    def losses(self) -> int:
        """Games lost."""

    @property
    def draws(self) -> int:
        """Games that nobody won."""

    @property
    def win_rate(self) -> float:
        """Share of games won, a draw being half a win; from 0 to 1."""

    @property
    def low(self) -> float:
        """Lower end of its 95 % interval."""

    @property
    def high(self) -> float:
        """Upper end of its 95 % interval."""


class EffortData(Protocol):
    """What an agent's moves took."""

    @property
    def moves(self) -> int:
        """Moves that it chose."""

    @property
    def seconds_per_move(self) -> float | None:
        """Time for a move."""

    @property
    def simulations_per_move(self) -> float | None:
        """How thorough it is; ``None`` for who does not search."""

    @property
    def simulations_per_second(self) -> float | None:
        """How fast it is; ``None`` for who does not search."""


class AgentRow(ScoreRow, Protocol):
    """One agent's results against all others."""

    @property
    def name(self) -> str:
        """The agent."""

    @property
    def elo(self) -> float:
        """Rating relative to the first row; nan if there is none."""

    @property
    def elo_low(self) -> float:
        """Lower end of its 95 % interval."""

    @property
    def elo_high(self) -> float:
        """Upper end of its 95 % interval."""

    @property
    def effort(self) -> EffortData:
        """What its moves took."""


class PairRow(ScoreRow, Protocol):
    """One agent's results against another."""

    @property
    def first(self) -> str:
        """The agent."""

    @property
    def second(self) -> str:
        """The other one."""


class ComparisonData(Protocol):
    """What an arena returns, as far as tables and pictures need it."""

    @property
    def rows(self) -> Sequence[AgentRow]:
        """Everyone, in the order in which they were named."""

    @property
    def pairs(self) -> Sequence[PairRow]:
        """Each two that have met."""

    @property
    def wins(self) -> Sequence[Sequence[int]]:
        """`[n, n]`, wins of row i against row j."""

    @property
    def games(self) -> Sequence[Sequence[int]]:
        """`[n, n]`, games between them."""


def comparison_table(results: ComparisonData, title: str = "Comparison") -> Table:
    """Return everyone's score with its interval, and Elo with its interval."""
    table = new_table(title)
    table.add_column("", justify="right", style="dim", no_wrap=True)
    table.add_column("agent", overflow="fold")
    draws = _add_score_columns(table, results.rows)
    table.add_column("Elo", justify="right", no_wrap=True)
    table.add_column("\N{PLUS-MINUS SIGN}", justify="right", no_wrap=True)
    best = max((row.win_rate for row in results.rows), default=0.0)
    for number, row in enumerate(results.rows, start=1):
        table.add_row(
            str(number),
            _breakable(row.name, _NAME),
            *_score(row, draws),
            *_elo(row, is_first=number == 1),
            style="bold" if row.win_rate == best else "",
        )
    return table


def pairs_table(
    results: ComparisonData, title: str = "Each two, seen from the one on the left"
) -> Table:
    """Return the score of each two agents with its interval: bold where it leaves out 50 %."""
    table = new_table(title)
    table.add_column("agent", overflow="fold")
    table.add_column("against", overflow="fold")
    draws = _add_score_columns(table, results.pairs)
    for pair in results.pairs:
        style = "bold green" if pair.low > 0.5 else "bold red" if pair.high < 0.5 else ""
        *counts, rate, interval = _score(pair, draws)
        figures = (Text(rate, style), Text(interval, style))
        names = [_breakable(name, _NAME_OF_TWO) for name in (pair.first, pair.second)]
        table.add_row(*names, *counts, *figures)
    return table


def effort_table(results: ComparisonData, title: str = "Effort") -> Table:
    """Return what everyone's moves took."""
    table = new_table(title)
    table.add_column("", justify="right", style="dim", no_wrap=True)
    table.add_column("agent", overflow="fold")
    for heading in ("moves", "ms/move", "simulations\n/move", "simulations\n/s"):
        table.add_column(heading, justify="right", no_wrap=True)
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


def milliseconds(seconds: float | None) -> str:
    """Return a time in milliseconds, if there is one: ``0.071``, ``7.13``, ``713``."""
    if seconds is None:
        return "-"
    thousandths = 1000 * seconds
    return f"{thousandths:,.0f}" if thousandths >= 100 else f"{thousandths:#.3g}"


def whole(value: float | None) -> str:
    """Return a number without its fraction, if there is one."""
    return "-" if value is None else f"{value:,.0f}"


def _breakable(name: str, width: int) -> Text:
    """Return a name whose options, where wider than this, break after their =, not in a word."""
    words = (word.replace("=", "=\n") if len(word) > width else word for word in name.split(" "))
    return Text(" ".join(words))


def _add_score_columns(table: Table, rows: Sequence[ScoreRow]) -> bool:
    """Add the columns of a score; return whether draws are among them: where there are some."""
    draws = any(row.draws for row in rows)
    headings = ("won", "lost", *(["drawn"] if draws else []), "win rate", "95 %")
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return draws


def _score(row: ScoreRow, draws: bool) -> list[str]:
    """Return the cells of a score."""
    return [
        str(row.wins),
        str(row.losses),
        *([str(row.draws)] if draws else []),
        f"{row.win_rate:.1%}",
        f"{100 * row.low:.1f}-{100 * row.high:.1f}",
    ]


def _elo(row: AgentRow, is_first: bool) -> tuple[str, str]:
    """Return the cells of a rating; that of the first row is what the others refer to."""
    if row.elo != row.elo:
        return "-", ""
    if is_first:
        return "0", ""
    return f"{row.elo:+.0f}", f"{(row.elo_high - row.elo_low) / 2:.0f}"
