"""The three kinds of sessions, from the log-in to the score."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from oht_client.results import PlayedGame, utc_now
from oht_client.server.accounts import Account, Accounts
from oht_client.server.archive import GAMES_FILE, RESULTS_FILE, Archive
from oht_client.server.connection import Connection, OnlyLooked, WireFault
from oht_client.server.league import League
from oht_client.server.limits import Notices
from oht_client.server.series import ClientSide, OnGame, Series, Standing, play_series
from oht_client.server.tournament import ClientResult, Opponents, Schedule, play_tournament
from oht_client.server.wires import JSONWire, TextWire, Wire, counted

if TYPE_CHECKING:
    from base.params import Params
    from state_manager import StateManager

_QUALIFIERS_ID = -200
_FIRST_TEXT_ID, _FIRST_JSON_ID = 1_000_001, 1001
_TWIN_ID_OFFSET = 1_000_000

_NAMES = {"text": "protocol 1", "json": "protocol 2", "league": "league"}

_FORGIVEN_GAMES = 2
"""Who leaves before this number of games is over keeps the attempt, as in the course's server."""


class Sessions:
    """Leads clients through their sessions; what they do wrong ends their own session at most.

    Attributes:
        addresses: ``HOST:PORT`` of each port, for the records.
    """

    def __init__(
        self,
        params: Params,
        game: StateManager,
        opponents: Opponents,
        tell: Callable[[str], None],
        notices: Notices,
        archive: Archive,
    ) -> None:
        """Prepare for clients.

        Args:
            params: Section ``oht_server`` is used.
            game: The rules.
            opponents: The server's own players.
            tell: Called with a line for people whenever something has happened.
            notices: Says what clients can make happen again and again.
            archive: Keeps games, and the result of each tournament and each side of a league
                series.
        """
        server = params.oht_server
        self._params = server
        self._game = game
        self._opponents = opponents
        self._tell = tell
        self._notices = notices
        self._archive = archive
        self._text_accounts = Accounts(_FIRST_TEXT_ID, server.official_attempts)
        self._json_accounts = Accounts(_FIRST_JSON_ID, server.qualification_attempts)
        self._league = League(self._play_league)
        self.addresses: dict[str, str] = {}

    def wire(self, port: str, connection: Connection) -> Wire:
        """Return what talks to the clients of a port."""
        server = self._params
        if port == "text":
            return TextWire(connection, server.move_limit, server.answer_limit)
        return JSONWire(connection, server.qualifiers_move_limit, server.answer_limit)

    async def serve(self, port: str, connection: Connection) -> None:
        """Serve a client; report one that is lost before it plays, and tell it what can be told.

        Args:
            port: ``text`` of the first generation, ``json`` or ``league`` of the second.
            connection: The client's, secured.

        Raises:
            OnlyLooked: It only looked.
        """
        wire = self.wire(port, connection)
        try:
            if port == "league":
                await self._serve_league(wire, connection)
            else:
                await self._serve_tournament(port, wire)
        except OnlyLooked:
            raise
        except WireFault as fault:
            await wire.reject(fault)
            name = _NAMES[port]
            self._notices.say(
                f"clients of {name} left before they played",
                f"{name}: a client left before it played: {fault}",
            )
        except Exception:
            await wire.reject(WireFault("the server has failed"))
            raise

    async def _serve_tournament(self, port: str, wire: Wire) -> None:
        """Let a client log in, and play a tournament of its generation."""
        if port == "text":
            account, name, official = await wire.log_in(self._text_accounts)
            client = ClientSide(name, account.unique_id, wire, self._game)
            practice = self._opponents.verification
        else:
            account, name, official = await wire.log_in(self._json_accounts)
            client = ClientSide(name, _QUALIFIERS_ID, wire, self._game)
            practice = self._opponents.practice
        event = self._event(port, client, account, official)
        schedule = self._opponents.official() if official else practice()
        forgiven = account if official and port == "json" else None
        await self._play_tournament(client, event, schedule, forgiven)

    async def _serve_league(self, wire: Wire, connection: Connection) -> None:
        """Let a client play a series against another one."""
        assert isinstance(wire, JSONWire)
        account = await wire.authenticate(self._json_accounts)
        self._notices.say("clients came to the league", f"{account.name} comes to the league")
        client = ClientSide(account.name, account.unique_id, wire, self._game)
        await self._league.enter(client, connection)

    async def _play_tournament(
        self,
        client: ClientSide,
        event: dict[str, Any],
        schedule: Schedule,
        forgiven: Account | None = None,
    ) -> None:
        """Play a tournament; an account that may be forgiven keeps the attempt by leaving early."""
        result = ClientResult(client, sum(count for _, count in schedule), event)
        games = counted(result.num_games, "game")
        kind = event["kind"] + (f" attempt {event['attempt']}" if event["attempt"] else "")
        self._tell(f"{client.name} comes (protocol {event['protocol']}, {kind}, {games})")

        def on_series(series: Standing) -> None:
            self._tell(
                f"{client.name} as player {series.player} against {series.opponent}:"
                f" {series.wins} won, {series.losses} lost"
            )

        with self._keeping_if_stopped(result):
            starter = self._params.first_starter
            await play_tournament(
                self._game, result, schedule, starter, on_series, self._keeping_games(event)
            )
        if forgiven is not None and client.fault is not None and result.played < _FORGIVEN_GAMES:
            forgiven.give_back_attempt()
            event |= {"attempt": None, "attempts_left": forgiven.attempts_left}
            self._tell(f"{client.name} left so early that the attempt is not counted")
        await self._conclude(result)

    async def _play_league(self, first: ClientSide, second: ClientSide) -> None:
        """Play a series between two clients; the first is player 1."""
        if first.unique_id == second.unique_id:  # the same token twice: clients go by their ids
            second.unique_id += _TWIN_ID_OFFSET
        games = self._params.official_games
        self._tell(f"{first.name} as player 1 meets {second.name} ({counted(games, 'game')})")
        series, started = Series((first, second), games), utc_now()
        results = [
            ClientResult(
                client, games, {**self._event("league", client), "started": started}, [series]
            )
            for client in (first, second)
        ]
        with self._keeping_if_stopped(*results):
            on_game = self._keeping_games(results[0].event)
            await play_series(self._game, series, self._params.first_starter, on_game)
        for result in results:
            await self._conclude(result)

    @contextlib.contextmanager
    def _keeping_if_stopped(self, *results: ClientResult) -> Iterator[None]:
        """Keep what was played if the server is stopped meanwhile."""
        try:
            yield
        except asyncio.CancelledError:
            for result in results:
                result.stopped = True
                self._archive.add(RESULTS_FILE, result.to_json())
                self._tell(
                    f"{result.client.name}: the {result.event['kind']} tournament is ended after"
                    f" {result.games} of {counted(result.num_games, 'game')}, {result.wins} won"
                )
            raise

    async def _conclude(self, result: ClientResult) -> None:
        """Keep a result, and then let everyone know."""
        self._archive.add(RESULTS_FILE, result.to_json())
        client = result.client
        self._tell(
            f"{client.name}: {counted(result.games, 'game')}, {result.wins} won,"
            f" {counted(client.illegal_actions, 'illegal action')}, score {result.score}"
            + (f" ({result.left})" if result.left else "")
        )
        if client.listener is not None:
            await client.listener.say("tournament_over", score=result.score)

    def _keeping_games(self, event: dict[str, Any]) -> OnGame:
        """Return what keeps the games of a tournament, or of a series of the league."""

        def keep(series: Series, game: PlayedGame) -> None:
            self._archive.add(
                GAMES_FILE,
                {
                    "tournament": event["started"],
                    "players": [side.name for side in series.sides],
                    "board_size": self._game.board_shape[0],
                    **asdict(game),
                },
            )

        return keep

    def _event(
        self, port: str, client: ClientSide, account: Account | None = None, official: bool = False
    ) -> dict[str, Any]:
        """Return which tournament it is, in the words of the client's own record.

        Only the league has no need of an account. ``attempt`` counts an account's official
        tournaments, and ``attempts_left`` those that are left after this one.
        """
        kind = "league" if account is None else "official" if official else "verification"
        return {
            "server": self.addresses.get(port),
            "protocol": 1 if port == "text" else 2,
            "kind": kind,
            "name": client.name,
            "attempt": account.attempts_made if account is not None and official else None,
            "attempts_left": None if account is None else account.attempts_left,
            "started": utc_now(),
        }
