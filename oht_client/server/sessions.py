"""The three kinds of sessions, from the log-in to the score."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any

from oht_client.server.connection import Connection
from oht_client.server.house import House, Schedule
from oht_client.server.json_wire import JSONWire
from oht_client.server.league import League
from oht_client.server.registry import Registry
from oht_client.server.series import play_series
from oht_client.server.sides import ClientSide
from oht_client.server.text_wire import TextWire
from oht_client.server.tournament import Standing, TournamentResult, play_tournament
from oht_client.server.wire import Wire, WireFault

if TYPE_CHECKING:
    from params import Params
    from state_manager import StateManager

_QUALIFIERS_ID = -200
_FIRST_TEXT_ID, _FIRST_JSON_ID = 1_000_001, 1001
_TWIN_ID_OFFSET = 1_000_000

_FORGIVEN_GAMES = 2
"""Who leaves before so many games are over keeps the attempt, as in the course's qualifiers."""


class Sessions:
    """Leads clients through their sessions; what they do wrong ends their own session at most."""

    def __init__(
        self,
        params: Params,
        game: StateManager,
        house: House,
        tell: Callable[[str], None],
        keep: Callable[[dict[str, Any]], None],
    ) -> None:
        """Prepare for clients.

        Args:
            params: Section ``oht_server`` is used.
            game: The rules.
            house: The opponents.
            tell: Called with a line for people whenever something has happened.
            keep: Called with the result of each tournament and of each side of a league series.
        """
        server = params.oht_server
        self._params = server
        self._game = game
        self._house = house
        self._tell = tell
        self._keep = keep
        self._text_guests = Registry(_FIRST_TEXT_ID, server.official_attempts)
        self._json_guests = Registry(_FIRST_JSON_ID, server.qualification_attempts)
        self._league = League(self._play_league)

    async def text(self, connection: Connection) -> None:
        """Serve a client of the first generation."""
        params = self._params
        wire = TextWire(connection, params.move_limit, params.answer_limit)
        async with self._reporting("protocol 1", wire):
            entry = await wire.log_in(self._text_guests)
            client = ClientSide(entry.nickname, entry.guest.unique_id, wire, self._game)
            if entry.official:
                await self._play_tournament(client, 1, "official", self._house.official())
            else:
                await self._play_tournament(client, 1, "verification", self._house.verification())

    async def qualifiers(self, connection: Connection) -> None:
        """Serve a client of the second generation."""
        wire = self._json_wire(connection)
        async with self._reporting("protocol 2", wire):
            guest = await wire.authenticate(self._json_guests)
            official = await wire.qualify(guest)
            client = ClientSide(guest.name, _QUALIFIERS_ID, wire, self._game)
            if official:
                schedule = self._house.official()
                result = await self._play_tournament(client, 2, "qualification", schedule)
                if client.fault is not None and result.played < _FORGIVEN_GAMES:
                    guest.give_back_attempt()
            else:
                await self._play_tournament(client, 2, "practice", self._house.practice())

    async def league(self, connection: Connection) -> None:
        """Serve a client of the second generation that wants to meet another."""
        wire = self._json_wire(connection)
        async with self._reporting("league", wire):
            guest = await wire.authenticate(self._json_guests)
            self._tell(f"{guest.name} comes to the league")
            side = ClientSide(guest.name, guest.unique_id, wire, self._game)
            await self._league.enter(side, connection)

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
            self._tell(f"{port}: a client left before it played: {fault}")
        except Exception:
            await wire.reject(WireFault("the server has failed"))
            raise

    async def _play_tournament(
        self, client: ClientSide, protocol: int, kind: str, schedule: Schedule
    ) -> TournamentResult:
        games = _counted(sum(count for _, count in schedule), "game")
        self._tell(f"{client.name} comes (protocol {protocol}, {kind}, {games})")

        def on_series(series: Standing) -> None:
            self._tell(
                f"{client.name} as player {series.player} against {series.opponent}:"
                f" {series.wins} won, {series.losses} lost"
            )

        result = await play_tournament(
            self._game, client, schedule, self._params.first_starter, on_series
        )
        await self._conclude(client, protocol, kind, result)
        return result

    async def _play_league(self, first: ClientSide, second: ClientSide) -> None:
        """Play a series between two clients; the first is player 1."""
        if first.unique_id == second.unique_id:  # the same token twice: clients go by their ids
            second.unique_id += _TWIN_ID_OFFSET
        games = self._params.official_games
        self._tell(f"{first.name} as player 1 meets {second.name} ({_counted(games, 'game')})")
        result = await play_series(self._game, (first, second), games, self._params.first_starter)
        for player, side, other in ((1, first, second), (2, second, first)):
            wins, losses = result.wins[player - 1], result.wins[2 - player]
            standing = Standing(other.name, player, wins, losses)
            total = TournamentResult.of(side, [standing], result.played)
            await self._conclude(side, 2, "league", total)

    async def _conclude(
        self, client: ClientSide, protocol: int, kind: str, result: TournamentResult
    ) -> None:
        """Keep a result, under the nickname alone, and then let everyone know."""
        nickname = client.name
        self._keep({"nickname": nickname, "protocol": protocol, "kind": kind, **result.to_json()})
        self._tell(
            f"{nickname}: {_counted(result.games, 'game')}, {result.wins} won,"
            f" {_counted(result.illegal_actions, 'illegal action')}, score {result.score}"
            + (f" ({result.left})" if result.left else "")
        )
        if client.listener is not None:
            await client.listener.tournament_over(result.score)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
