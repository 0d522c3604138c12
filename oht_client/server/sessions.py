"""The three kinds of sessions, from the log-in to the score."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import partial

from base.params import Params
from oht_client.server.clients import Accounts, Client, JSONClient, TextClient, counted
from oht_client.server.connection import ClientConnection, WireFault
from oht_client.server.series import Series, play_series
from oht_client.server.tournament import Archive, ClientResult, Opponents, play_tournament
from online.results import Event, PlayedGame

_QUALIFIERS_ID = -200
_FIRST_TEXT_ID, _FIRST_JSON_ID = 1_000_001, 1001
_TWIN_ID_OFFSET = 1_000_000

_NAMES = {"text": "protocol 1", "json": "protocol 2", "league": "league"}

_FORGIVEN_GAMES = 2
"""A client that leaves before this number of games keeps the attempt, as in the real server."""


class Sessions:
    """Runs the sessions of clients; a client's fault ends only its own session."""

    def __init__(
        self, params: Params, opponents: Opponents, tell: Callable[[str], None], archive: Archive
    ) -> None:
        """Prepare for clients."""
        self._params = server = params.oht_server
        self._game, self._opponents, self._archive = opponents.game, opponents, archive
        self._tell = tell
        self._text_accounts = Accounts(_FIRST_TEXT_ID, server.official_attempts)
        self._json_accounts = Accounts(_FIRST_JSON_ID, server.qualification_attempts)
        self._league = League(self._play_league)
        self.addresses: dict[str, str] = {}  # HOST:PORT of each port, for the records

    async def serve(self, port: str, connection: ClientConnection) -> None:
        """Serve a client of a port; report one that is lost before it plays, with the reason."""
        limit = self._params.answer_limit
        text = TextClient(connection, self._params.move_limit, limit, self._game)
        json = JSONClient(connection, self._params.qualifiers_move_limit, limit, self._game)
        client = text if port == "text" else json
        try:
            if port == "league":
                account = await json.authenticate(self._json_accounts)
                self._tell(f"{account.name} comes to the league")
                json.name, json.unique_id = account.name, account.unique_id
                await self._league.enter(json)
            else:
                await self._serve_tournament(port, client)
        except WireFault as fault:
            await client.reject(fault)
            self._tell(f"{_NAMES[port]}: a client left before it played: {fault}")
        except Exception:
            await client.reject(WireFault("the server has failed"))
            raise

    async def _serve_tournament(self, port: str, client: Client) -> None:
        is_text = port == "text"
        accounts = self._text_accounts if is_text else self._json_accounts
        account, name, official = await client.log_in(accounts)
        schedule = self._opponents.schedule(
            "official" if official else "verification" if is_text else "practice"
        )
        client.name, client.unique_id = name, account.unique_id if is_text else _QUALIFIERS_ID
        kind = "official" if official else "verification"
        event = Event(self.addresses[port], 1 if is_text else 2, kind, name, account.attempts_left)
        result = ClientResult(client, sum(count for _, count in schedule), event)
        if official:
            result.attempt = account.attempts_made
            kind = f"official attempt {result.attempt}"
        games = counted(result.num_games, "game")
        self._tell(f"{name} comes (protocol {event.protocol}, {kind}, {games})")
        starter, on_game = self._params.first_starter, partial(self._keep_game, event)
        with self._keeping_if_stopped(result):
            async for series in play_tournament(self._game, result, schedule, starter, on_game):
                counts = f"{series.wins} won, {series.losses} lost"
                self._tell(f"{name} as player {series.player} against {series.opponent}: {counts}")
        early = client.fault is not None and result.played < _FORGIVEN_GAMES
        if official and early and not is_text:
            account.attempts_left += 1
            account.attempts_made -= 1
            result.attempt, event.attempts_left = None, account.attempts_left
            self._tell(f"{name} left so early that the attempt is not counted")
        await self._conclude(result)

    async def _play_league(self, first: Client, second: Client) -> None:
        """Play a series between two clients; the first is player 1."""
        if first.unique_id == second.unique_id:  # one token twice; clients need different ids
            second.unique_id += _TWIN_ID_OFFSET
        games = self._params.official_games
        self._tell(f"{first.name} as player 1 meets {second.name} ({counted(games, 'game')})")
        series = Series((first, second), games)
        event = Event(self.addresses["league"], 2, "league")
        results = [
            ClientResult(client, games, replace(event, name=client.name), [series])
            for client in (first, second)
        ]
        on_game = partial(self._keep_game, event)
        with self._keeping_if_stopped(*results):
            await play_series(self._game, series, self._params.first_starter, on_game)
        for result in results:
            await self._conclude(result)

    @contextlib.contextmanager
    def _keeping_if_stopped(self, *results: ClientResult) -> Iterator[None]:
        try:
            yield
        except asyncio.CancelledError:
            for result in results:
                result.stopped = True
                self._archive.add("results.jsonl", result.to_json())
                games = f"{result.games} of {counted(result.num_games, 'game')}, {result.wins} won"
                ended = f"the {result.event.kind} tournament is ended after {games}"
                self._tell(f"{result.client.name}: {ended}")
            raise

    async def _conclude(self, result: ClientResult) -> None:
        self._archive.add("results.jsonl", result.to_json())
        client = result.client
        games = f"{counted(result.games, 'game')}, {result.wins} won"
        illegal = counted(client.illegal_actions, "illegal action")
        left = f" ({result.left})" if result.left else ""
        self._tell(f"{client.name}: {games}, {illegal}, score {result.score}{left}")
        if client.fault is None:
            await client.say("tournament_over", score=result.score)

    def _keep_game(self, event: Event, series: Series, game: PlayedGame) -> None:
        where = {
            "tournament": event.started,
            "players": [side.name for side in series.sides],
            "board_size": self._game.board_shape[0],
        }
        self._archive.add("games.jsonl", where | asdict(game))


@dataclass
class _Waiting:
    """A client that waits until its series cancels ``silence``; ``over`` is set after that."""

    client: Client
    silence: asyncio.Task[WireFault]
    over: asyncio.Event = field(default_factory=asyncio.Event)


class League:
    """Pairs clients in order of arrival; the first of a pair waits for the second."""

    def __init__(self, play: Callable[[Client, Client], Awaitable[None]]) -> None:
        """Play series with ``play``."""
        self._play, self._matches = play, 0
        self._waiting: _Waiting | None = None

    async def enter(self, client: Client) -> None:
        """Wait for an opponent, play a series, and return after it.

        The client that waited is player 1 in the first series, player 2 in the second, and so on. A
        client that leaves or sends data while it waits raises a ``WireFault``.
        """
        while self._waiting is not None:
            other, self._waiting = self._waiting, None
            other.silence.cancel()
            await asyncio.wait([other.silence])
            if other.silence.cancelled():  # it was still waiting
                self._matches += 1
                pair = (other.client, client) if self._matches % 2 else (client, other.client)
                try:
                    await self._play(*pair)
                finally:
                    other.over.set()
                return
        waiting = _Waiting(client, asyncio.ensure_future(client.connection.end_of_silence()))
        self._waiting = waiting
        try:
            await asyncio.wait([waiting.silence])
            if not waiting.silence.cancelled():
                raise waiting.silence.result()
            await waiting.over.wait()
        finally:
            waiting.silence.cancel()
            if self._waiting is waiting:
                self._waiting = None
