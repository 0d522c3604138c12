"""A series of games between two agents who keep their colours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from agents.match.game import DRAW, GameRecord, play_game

if TYPE_CHECKING:
    from agents import Agent
    from agents.match.observer import Observer
    from state_manager import StateManager

StartingPlayer = Literal["alternate", 1, 2]


@dataclass(frozen=True)
class SeriesResult:
    """What came out of a series, or of the part of it that was played.

    Attributes:
        players: The names of player 1 and player 2.
        records: The finished games, in the order in which they were played.
    """

    players: tuple[str, str]
    records: tuple[GameRecord, ...] = ()

    @property
    def games(self) -> int:
        """How many games were finished."""
        return len(self.records)

    @property
    def wins(self) -> tuple[int, int]:
        """Games won by player 1 and by player 2."""
        return self._wins(self.records)

    @property
    def draws(self) -> int:
        """Games that nobody won."""
        return sum(record.winner == DRAW for record in self.records)

    @property
    def distinct_games(self) -> int:
        """How many games differ in who started or in their actions."""
        return count_distinct(self.records)

    def games_started_by(self, player: int) -> int:
        """Return how many of the games ``player`` (1 or 2) started."""
        return sum(record.starting_player == player for record in self.records)

    def wins_when_started_by(self, player: int) -> tuple[int, int]:
        """Return the wins of player 1 and of player 2 in the games that ``player`` started."""
        return self._wins([record for record in self.records if record.starting_player == player])

    @staticmethod
    def _wins(records: Sequence[GameRecord]) -> tuple[int, int]:
        winners = [record.winner for record in records]
        return winners.count(1), winners.count(2)


def count_distinct(records: Sequence[GameRecord]) -> int:
    """Return how many of the games differ in who started or in their actions.

    Two deterministic agents who always start from the same position repeat one game for ever; a
    series of them is worth no more than its distinct games.
    """
    return len({(record.starting_player, record.actions) for record in records})


def starting_players(games: int, starting_player: StartingPlayer) -> tuple[int, ...]:
    """Return who starts each game of a series: player 1 first, where they alternate."""
    if starting_player == "alternate":
        return tuple(1 + number % 2 for number in range(games))
    return (starting_player,) * games


def play_series(
    game: StateManager,
    agents: tuple[Agent, Agent],
    games: int,
    starting_player: StartingPlayer = "alternate",
    openings: Sequence[Sequence[int]] | None = None,
    observers: Sequence[Observer] = (),
    on_result: Callable[[GameRecord], None] | None = None,
) -> SeriesResult:
    """Play a series; the first agent is player 1 in all of its games, whoever starts.

    Whatever ends a series early (Ctrl-C, an illegal action, a broken display) passes through.
    Each game was handed to ``on_result`` as soon as it was over, so a caller who collects them
    there loses none: ``SeriesResult(players, tuple(collected))`` is the result so far.

    Args:
        game: The rules.
        agents: Player 1 and player 2.
        games: How many games to play.
        starting_player: Who makes the first moves; "alternate" begins with player 1.
        openings: One opening a game (see ``agents.match.openings``), or none at all.
        observers: Who is told of every game and move.
        on_result: Called with the record of each game once it is over.

    Returns:
        The result of the whole series.

    Raises:
        ValueError: There are not as many openings as games.
        IllegalActionError: An agent or an opening broke the rules.
    """
    if openings is not None and len(openings) != games:
        raise ValueError(f"expected one opening for each of {games} games, got {len(openings)}")
    players = (agents[0].name, agents[1].name)
    records: list[GameRecord] = []
    for number, starter in enumerate(starting_players(games, starting_player)):
        record = play_game(
            game,
            agents,
            starting_player=starter,
            opening=openings[number] if openings is not None else (),
            observers=observers,
            title=game_title(players, number + 1, games),
        )
        records.append(record)
        if on_result is not None:
            on_result(record)
    return SeriesResult(players, tuple(records))


def game_title(players: tuple[str, str], number: int, games: int) -> str:
    """Return what observers are told of game ``number`` (from 1) of a series of ``games``."""
    return f"{players[0]} against {players[1]}, game {number} of {games}"
