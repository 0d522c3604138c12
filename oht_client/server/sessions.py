"""The three kinds of sessions, from the log-in to the score."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from oht_client.results import utc_now
from oht_client.server.connection import Connection
from oht_client.server.house import House, Schedule
from oht_client.server.json_wire import JSONWire
from oht_client.server.league import League
from oht_client.server.notices import Notices
from oht_client.server.registry import Guest, Registry
from oht_client.server.series import SeriesResult, play_series
from oht_client.server.sides import ClientSide
from oht_client.server.text_wire import TextWire
from oht_client.server.tournament import Standing, TournamentResult, play_tournament
from oht_client.server.wire import Wire, WireFault

if TYPE_CHECKING:
    from base.params import Params
    from state_manager import StateManager

_QUALIFIERS_ID = -200
_FIRST_TEXT_ID, _FIRST_JSON_ID = 1_000_001, 1001
_TWIN_ID_OFFSET = 1_000_000

_FORGIVEN_GAMES = 2
"""Who leaves before so many games are over keeps the attempt, as in the course's qualifiers."""


class Port(NamedTuple):
    """One of the server's ports.

    Attributes:
        session: Serves a client.
        wire: What talks to one.
    """

    session: Callable[[Connection], Awaitable[None]]
    wire: Callable[[Connection], Wire]


class Sessions:
    """Leads clients through their sessions; what they do wrong ends their own session at most.

    Attributes:
        ports: ``text`` of the first generation, ``json`` and ``league`` of the second.
        addresses: ``HOST:PORT`` of each, for the records.
    """

    def __init__(
        self,
        params: Params,
        game: StateManager,
        house: House,
        tell: Callable[[str], None],
        notices: Notices,
        keep: Callable[[dict[str, Any]], None],
    ) -> None:
        """Prepare for clients.

        Args:
            params: Section ``oht_server`` is used.
            game: The rules.
            house: The opponents.
            tell: Called with a line for people whenever something has happened.
            notices: Says what clients can make happen again and again.
            keep: Called with the result of each tournament and of each side of a league series.
        """
        server = params.oht_server
        self._params = server
        self._game = game
        self._house = house
        self._tell = tell
        self._notices = notices
        self._keep = keep
        self._text_guests = Registry(_FIRST_TEXT_ID, server.official_attempts)
        self._json_guests = Registry(_FIRST_JSON_ID, server.qualification_attempts)
        self._league = League(self._play_league)
        self.addresses: dict[str, str] = {}
        self.ports = {
            "text": Port(self._serve_text, self._text_wire),
            "json": Port(self._serve_qualifiers, self._json_wire),
            "league": Port(self._serve_league, self._json_wire),
        }

    async def _serve_text(self, connection: Connection) -> None:
        """Serve a client of the first generation."""
        wire = self._text_wire(connection)
        async with self._reporting("protocol 1", wire):
            guest, name, official = await wire.log_in(self._text_guests)
            client = ClientSide(name, guest.unique_id, wire, self._game)
            event = self._event("text", client, guest, official)
            if official:
                await self._play_tournament(client, event, self._house.official())
            else:
                await self._play_tournament(client, event, self._house.verification())

    async def _serve_qualifiers(self, connection: Connection) -> None:
        """Serve a client of the second generation."""
        wire = self._json_wire(connection)
        async with self._reporting("protocol 2", wire):
            guest = await wire.authenticate(self._json_guests)
            official = await wire.qualify(guest)
            client = ClientSide(guest.name, _QUALIFIERS_ID, wire, self._game)
            event = self._event("json", client, guest, official)
            if official:
                result = await self._play_tournament(client, event, self._house.official())
                if client.fault is not None and result.played < _FORGIVEN_GAMES:
                    guest.give_back_attempt()
            else:
                await self._play_tournament(client, event, self._house.practice())

    async def _serve_league(self, connection: Connection) -> None:
        """Serve a client of the second generation that wants to meet another."""
        wire = self._json_wire(connection)
        async with self._reporting("league", wire):
            guest = await wire.authenticate(self._json_guests)
            self._notices.say("clients came to the league", f"{guest.name} comes to the league")
            side = ClientSide(guest.name, guest.unique_id, wire, self._game)
            await self._league.enter(side, connection)

    def _text_wire(self, connection: Connection) -> TextWire:
        return TextWire(connection, self._params.move_limit, self._params.answer_limit)

    def _json_wire(self, connection: Connection) -> JSONWire:
        params = self._params
        return JSONWire(connection, params.qualifiers_move_limit, params.answer_limit)

    @contextlib.asynccontextmanager
    async def _reporting(self, port: str, wire: Wire) -> AsyncIterator[None]:
        """Report a client that is lost before it plays, and tell it what can be told."""
        try:
            yield
        except WireFault as fault:
            await wire.reject(fault)
            self._notices.say(
                f"clients of {port} left before they played",
                f"{port}: a client left before it played: {fault}",
            )
        except Exception:
            await wire.reject(WireFault("the server has failed"))
            raise

    async def _play_tournament(
        self, client: ClientSide, event: dict[str, Any], schedule: Schedule
    ) -> TournamentResult:
        result = TournamentResult(client, sum(count for _, count in schedule))
        games = _counted(result.num_games, "game")
        self._tell(f"{client.name} comes (protocol {event['protocol']}, {event['kind']}, {games})")

        def on_series(series: Standing) -> None:
            self._tell(
                f"{client.name} as player {series.player} against {series.opponent}:"
                f" {series.wins} won, {series.losses} lost"
            )

        with self._keeping_if_stopped((event, result)):
            starter = self._params.first_starter
            await play_tournament(self._game, result, schedule, starter, on_series)
        await self._conclude(event, result)
        return result

    async def _play_league(self, first: ClientSide, second: ClientSide) -> None:
        """Play a series between two clients; the first is player 1."""
        if first.unique_id == second.unique_id:  # the same token twice: clients go by their ids
            second.unique_id += _TWIN_ID_OFFSET
        games = self._params.official_games
        self._tell(f"{first.name} as player 1 meets {second.name} ({_counted(games, 'game')})")
        series = SeriesResult()
        entries = [
            (self._event("league", side), TournamentResult(side, games, [standing]))
            for side, standing in (
                (first, Standing(second.name, 1, series)),
                (second, Standing(first.name, 2, series)),
            )
        ]
        with self._keeping_if_stopped(*entries):
            starter = self._params.first_starter
            await play_series(self._game, (first, second), games, starter, series)
        for event, result in entries:
            await self._conclude(event, result)

    @contextlib.contextmanager
    def _keeping_if_stopped(
        self, *entries: tuple[dict[str, Any], TournamentResult]
    ) -> Iterator[None]:
        """Keep what was played if the server is stopped meanwhile."""
        try:
            yield
        except asyncio.CancelledError:
            for event, result in entries:
                result.stopped = True
                self._keep_result(event, result)
                self._tell(
                    f"{result.client.name}: the {event['kind']} tournament is ended after"
                    f" {result.games} of {_counted(result.num_games, 'game')}, {result.wins} won"
                )
            raise

    async def _conclude(self, event: dict[str, Any], result: TournamentResult) -> None:
        """Keep a result, and then let everyone know."""
        self._keep_result(event, result)
        client = result.client
        self._tell(
            f"{client.name}: {_counted(result.games, 'game')}, {result.wins} won,"
            f" {_counted(client.illegal_actions, 'illegal action')}, score {result.score}"
            + (f" ({result.left})" if result.left else "")
        )
        if client.listener is not None and result.score is not None:
            await client.listener.tournament_over(result.score)

    def _keep_result(self, event: dict[str, Any], result: TournamentResult) -> None:
        """Keep a result, under the nickname alone."""
        self._keep({**event, "ended": utc_now(), **result.to_json()})

    def _event(
        self, port: str, client: ClientSide, guest: Guest | None = None, official: bool = False
    ) -> dict[str, Any]:
        """Return which tournament it is, in the words of the client's own record.

        Only the league has no need of a guest; ``attempt`` counts a guest's official tournaments.
        """
        kind = "league" if guest is None else "official" if official else "verification"
        return {
            "server": self.addresses.get(port),
            "protocol": 1 if port == "text" else 2,
            "kind": kind,
            "name": client.name,
            "attempt": guest.attempts_made if guest is not None and official else None,
            "attempts_left": None if guest is None else guest.attempts_left + official,
            "started": utc_now(),
        }


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
