"""A tournament: a client's series against each opponent in turn, and its records."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from agents import make_agent, parse_agent
from base.params import Params
from base.storage import AppendLog
from oht_client.server.clients import Client
from oht_client.server.series import AgentSide, OnGame, Series, SeriesSide, Standing, play_series
from online.errors import TournamentError
from online.results import Event, utc_now
from state_manager import StateManager

_FIRST_OPPONENT_ID = 2000

Schedule = Sequence[tuple[SeriesSide, int]]
"""Opponents, and the number of games, at least 1, to play against each."""


@dataclass
class ClientResult:
    """The result so far; ``attempt`` numbers official ones, ``stopped`` is by the server."""

    client: Client
    num_games: int
    event: Event
    series: list[Series] = field(default_factory=list)
    attempt: int | None = None
    stopped: bool = False

    @property
    def standings(self) -> list[Standing]:
        """The score of each series for the client."""
        return [series.standing(self.client) for series in self.series]

    @property
    def games(self) -> int:
        """Games won or lost so far."""
        return sum(sum(series.wins) for series in self.series)

    @property
    def wins(self) -> int:
        """Games won by the client."""
        return sum(standing.wins for standing in self.standings)

    @property
    def played(self) -> int:
        """Completed games."""
        return sum(series.played for series in self.series)

    @property
    def left(self) -> str:
        """Why it ended early; empty if it did not."""
        return "the server was stopped" if self.stopped else str(self.client.fault or "")

    @property
    def score(self) -> float | None:
        """The percentage of games won, to two decimals; ``None`` if the server was stopped."""
        return None if self.stopped else round(100 * self.wins / self.games, 2)

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON data, with the present as its end."""
        names = ("score", "games", "played", "wins")
        return {
            **asdict(self.event),
            "attempt": self.attempt,
            "ended": utc_now(),
            **{name: getattr(self, name) for name in names},
            "illegal_actions": self.client.illegal_actions,
            "left": self.left,
            "series": [standing._asdict() for standing in self.standings],
        }


async def play_tournament(
    game: StateManager,
    result: ClientResult,
    opponents: Schedule,
    first_starter: int,
    on_game: OnGame,
) -> AsyncIterator[Standing]:
    """Play all series, as player 1 and 2 in turn, and yield each; do not send the score yet."""
    client = result.client
    for number, (opponent, num_games) in enumerate(opponents):
        series = Series((opponent, client) if number % 2 else (client, opponent), num_games)
        result.series.append(series)
        if client.fault is not None:
            series.wins[series.sides.index(opponent)] = num_games
        else:
            await play_series(game, series, first_starter, on_game)
            yield series.standing(client)


class Archive:
    """Two logs in the server's folder; a full disk ends no tournament."""

    def __init__(self, folder: Path, tell: Callable[[str], None]) -> None:
        """Write to a folder, once open; report the first failed write to each log."""
        self._folder, self._tell = folder, tell
        self._logs: dict[str, AppendLog] = {}
        self._failed: set[str] = set()

    def open(self) -> None:
        """Open the files, or raise ``TournamentError``; cut off half a line left by a crash."""
        for name in ("results.jsonl", "games.jsonl"):
            path = self._folder / name
            try:
                whole = path.read_bytes().rfind(b"\n") + 1 if path.exists() else 0
                self._logs[name] = AppendLog(path)
                self._logs[name].truncate(whole)
            except OSError as error:
                words = f"{path}: cannot be written: {error.strerror or error}"
                raise TournamentError(words) from error

    def close(self) -> None:
        """Close the files."""
        for log in self._logs.values():
            log.close()
        self._logs.clear()

    def add(self, name: str, record: Mapping[str, Any]) -> None:
        """Write a result (of a tournament, or of one side of a league series), or a game."""
        try:
            if name in self._logs:
                self._logs[name].append(record)
        except OSError as error:
            if name not in self._failed:
                self._failed.add(name)
                self._tell(f"{self._folder / name}: cannot be written: {error.strerror or error}")


class Opponents:
    """Makes the server's own players: for each tournament new ones, with their own seeds."""

    def __init__(self, game: StateManager, params: Params, executor: Executor) -> None:
        """Check that all opponents can be made and fit the board, else raise an ``AgentError``."""
        self.game, self._params, self._executor = game, params, executor
        self._tournaments = 0
        for word in params.oht_server.opponents:
            make_agent(word, game, defaults=params)

    def schedule(self, kind: Literal["official", "verification", "practice"]) -> Schedule:
        """Return new opponents for a tournament, and the number of games against each.

        Practice is against a random player. A verification tournament shares its games among all
        opponents, and leaves out those without one.
        """
        words, games = self._params.oht_server.opponents, self._params.oht_server.verification_games
        share, rest = divmod(games, len(words))
        counts = [share + rest, *[share] * (len(words) - 1)]
        if kind == "official":
            counts = [self._params.oht_server.official_games] * len(words)
        elif kind == "practice":
            words, counts = ("random",), [games]
        self._tournaments += 1
        schedule = []
        for number, (word, count) in enumerate(zip(words, counts, strict=True), start=1):
            seed = np.random.SeedSequence(self._params.seed, spawn_key=(self._tournaments, number))
            make = partial(make_agent, word, self.game, seed=seed, defaults=self._params)
            name, unique_id = parse_agent(word).name, _FIRST_OPPONENT_ID + number
            schedule.append((AgentSide(name, unique_id, make, self._executor), count))
        return [(side, count) for side, count in schedule if count > 0]
