"""Tables for the terminal: standings, cross table, and the result of one series."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from display.boards.terminal_styles import BLACK_WORD, RED_WORD

_DRAW = 3
_SHORT_NAME = len("anet_00200")
_BAR_WIDTH = 12


class StandingsRow(Protocol):
    """One row of standings."""

    @property
    def name(self) -> str:
        """The net."""

    @property
    def games(self) -> int:
        """Games played."""

    @property
    def wins(self) -> int:
        """Games won."""

    @property
    def losses(self) -> int:
        """Games lost."""

    @property
    def win_rate(self) -> float:
        """Share of games won, from 0 to 1."""

    @property
    def low(self) -> float:
        """Lower end of its 95 % interval."""

    @property
    def high(self) -> float:
        """Upper end of its 95 % interval."""

    @property
    def elo(self) -> float:
        """Rating."""


class StandingsData(Protocol):
    """What a tournament returns, as far as tables and pictures need it."""

    @property
    def rows(self) -> Sequence[StandingsRow]:
        """In order of training."""

    @property
    def wins(self) -> Sequence[Sequence[float]]:
        """`[n, n]`, wins of row i against row j."""

    @property
    def games(self) -> Sequence[Sequence[int]]:
        """`[n, n]`, games between them."""


class OpponentRow(Protocol):
    """The games against one opponent of an online tournament."""

    @property
    def opponent(self) -> int:
        """The opponent's unique id."""

    @property
    def series_id(self) -> int:
        """Which player we were, 1 or 2."""

    @property
    def agent(self) -> str:
        """Who played for us."""

    @property
    def won(self) -> int:
        """Games won."""

    @property
    def lost(self) -> int:
        """Games lost."""


def standings_table(standings: StandingsData, title: str = "Standings") -> Table:
    """Return wins, losses, draws if any, Elo, win rate with its interval; in order of training."""
    table = new_table(title)
    draws = [row.games - row.wins - row.losses for row in standings.rows]
    heading_of_draws = ["draws"] if any(draws) else []
    table.add_column("net", overflow="ellipsis", min_width=_SHORT_NAME)
    for heading in ("games", "wins", "losses", *heading_of_draws, "Elo", "win rate", "95 %"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("")
    best = max((row.win_rate for row in standings.rows), default=0.0)
    for row, drawn in zip(standings.rows, draws, strict=True):
        table.add_row(
            _name(row),
            str(row.games),
            str(row.wins),
            str(row.losses),
            *([str(drawn)] if heading_of_draws else []),
            f"{row.elo:+.0f}",
            f"{row.win_rate:.1%}",
            f"{100 * row.low:.0f}-{100 * row.high:.0f}",
            _Bar(row.win_rate),
            style="bold" if row.win_rate == best else "",
        )
    return table


def cross_table(
    standings: StandingsData, title: str = "Wins of the row against the column", who: str = "net"
) -> Table:
    """Return who (nets, agents) won how many games against whom; columns are numbered like rows."""
    table = new_table(title)
    table.add_column("", justify="right", style="dim", no_wrap=True)
    table.add_column(who, overflow="ellipsis")
    for number in range(1, len(standings.rows) + 1):
        table.add_column(str(number), justify="right", no_wrap=True)
    for i, row in enumerate(standings.rows):
        cells = [
            _score(standings.wins[i][j], standings.wins[j][i]) if i != j else Text("-", "dim")
            for j in range(len(standings.rows))
        ]
        table.add_row(str(i + 1), _name(row), *cells)
    return table


def series_table(
    players: tuple[str, str],
    results: Iterable[tuple[int, int]],
    colours: tuple[str, str] = ("player 1", "player 2"),
    title: str = "Series",
) -> Table:
    """Return the wins of both sides, by who started.

    Args:
        players: The names of player 1 and player 2 of the series.
        results: For each game who started (1 or 2) and who won (1, 2, or 3 for a draw).
        colours: What the players are called: "red" and "black" in Hex.
        title: The heading.
    """
    played = list(results)
    draws = any(winner == _DRAW for _, winner in played)
    table = new_table(title)
    table.add_column("who starts", no_wrap=True)
    table.add_column("games", justify="right", no_wrap=True)
    for player, style in ((0, RED_WORD), (1, BLACK_WORD)):
        heading = Text.assemble((colours[player], style), f" ({players[player]})\nwins")
        table.add_column(heading, justify="right")
    if draws:
        table.add_column("draws", justify="right", no_wrap=True)
    for starter in (1, 2, 0):
        chosen = [winner for started, winner in played if starter in (0, started)]
        if not chosen and starter:
            continue
        counts = [_score(chosen.count(player), chosen.count(3 - player)) for player in (1, 2)]
        counts += [Text(str(chosen.count(_DRAW)))] if draws else []
        if starter == 0:
            table.add_section()
        name = colours[starter - 1] if starter else "all games"
        table.add_row(name, str(len(chosen)), *counts, style="" if starter else "bold")
    return table


def tournament_table(rows: Sequence[OpponentRow], title: str = "Online Hex Tournament") -> Table:
    """Return games, wins and losses against each opponent, and in all."""
    table = new_table(title)
    table.add_column("opponent", no_wrap=True)
    table.add_column("we are", no_wrap=True)
    table.add_column("we play with", overflow="ellipsis")
    for heading in ("games", "won", "lost", "won of all"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        colour = Text("red", RED_WORD) if row.series_id == 1 else Text("black", BLACK_WORD)
        agent = Text(row.agent, no_wrap=True)
        table.add_row(str(row.opponent), colour, agent, *_won_and_lost(row.won, row.lost))
    won, lost = sum(row.won for row in rows), sum(row.lost for row in rows)
    table.add_section()
    table.add_row("all", "", "", *_won_and_lost(won, lost), style="bold")
    return table


def _won_and_lost(won: int, lost: int) -> list[Text]:
    """Return the cells of games, wins, losses and the share of wins."""
    games = won + lost
    share = f"{won / games:.1%}" if games else "-"
    return [Text(str(games)), _score(won, games), Text(str(lost)), Text(share)]


def new_table(title: str) -> Table:
    """An empty table in the style of the house."""
    return Table(
        title=Text(title, "bold"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        show_edge=False,
        header_style="",
    )


def _name(row: StandingsRow) -> Text:
    """The name of a net, the only thing in a table that may be cut."""
    return Text(row.name, no_wrap=True)


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
