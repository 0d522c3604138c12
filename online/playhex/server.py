"""The server at the address ``HEX_AI_API``: it answers PlayHex, or passes its requests on."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from http.client import HTTPConnection, HTTPException
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, ValidationError
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from base.project import is_own_error
from base.storage import excerpt, parse_json, printable
from formats.sgf import action_of
from online.playhex.analysis import Analyst, Entry, position
from online.playhex.bots import Bot, Bots, Question, Tell
from online.playhex.positions import SIZES, RequestError
from state_manager import make_game

_MOST_BYTES, _READ_SECONDS = 100_000, 10.0
_ANOTHER_SECONDS, _RETRY_SECONDS = 290.0, 20.0
"""For the response of another server; for attempts to connect, while it may be starting again."""
_SOONEST = 1.0
"""Seconds before an analysis is answered: PlayHex's page misses one that comes at once."""
_STATUS = {
    **{"totalPeers": 1, "totalPeersPrimary": 1, "totalPeersSecondary": 0},
    "peers": [{"power": 1.0, "secondary": False, "locked": False}],
}
_History = Annotated[str, Field(max_length=20_000)]


class _Game(BaseModel, strict=True):
    size: Annotated[int, Field(ge=1, le=1000)]
    movesHistory: _History
    swapRule: bool = False


class _AI(BaseModel, strict=True):
    engine: Annotated[str, Field(max_length=100)]
    seconds: Annotated[float, Field(gt=0, le=60)] | None = None
    resign: bool = False
    maxGames: Annotated[int, Field(ge=1, le=10**6)] = 1000
    treeSearch: bool = True


class _Move(BaseModel, strict=True):
    game: _Game
    ai: _AI


class _PlayedMove(_Game):
    move: Annotated[str, Field(max_length=20)]


class _Position(BaseModel, strict=True):
    size: Annotated[int, Field(ge=SIZES[0], le=SIZES[-1])]
    color: Literal["black", "white"]
    black: _History = ""
    white: _History = ""


class Desk:
    """Answers what PlayHex asks, over HTTP or for a worker, by its ``bots`` and ``analyst``."""

    def __init__(
        self, bots: Mapping[str, Bot], seconds: float, resigns: bool, another: str, tell: Tell
    ) -> None:
        """Play as ``bots`` by their names, ``seconds`` a move unless a bot's config says it.

        They resign a game that is proven lost if ``resigns``, or if their config has ``resign``.
        Other engines are passed on to the server at ``another``, an address or empty.
        """
        self._named, self._seconds, self._resigns = bots, seconds, resigns
        self._another, self._tell = another.rstrip("/"), tell
        self.bots, self.analyst = Bots(tell), Analyst(tell)
        self._passing = ThreadPoolExecutor(64)

    def leave_when(self, is_leaving: Callable[[], bool]) -> None:
        """End all work early once this is true."""
        self.bots.is_leaving = self.analyst.is_leaving = is_leaving

    async def move(self, data: object) -> str:
        """Return the word of a move for the data of ``/calculate-move``; see ``Bots.move``."""
        asked, began = _Move.model_validate(data), time.monotonic()
        game, ai, words = asked.game, asked.ai, tuple(asked.game.movesHistory.split())
        seconds, resigns = ai.seconds or self._seconds, self._resigns or ai.resign
        asked_of = self._bot(ai), game.size, words, game.swapRule, seconds, resigns
        word = await self.bots.move(Question(*asked_of))
        where = f"{printable(ai.engine)} on {game.size}x{game.size}, move {len(words) + 1}"
        self._tell(f"{where}: {word} ({time.monotonic() - began:.1f} s)")
        return word

    def _bot(self, ai: _AI) -> Bot:
        """Return the bot of a name; some of PlayHex's own names need none."""
        if ai.engine in self._named:
            return self._named[ai.engine]
        if ai.engine == "mohex":
            return Bot(f"mcts:best,simulations={ai.maxGames}", f"mcts:simulations={ai.maxGames}")
        if ai.engine == "katahex":
            searching = Bot("mcts:best,judge=true", "mcts:judge=true")
            return searching if ai.treeSearch else Bot("anet:best", "mcts:simulations=1000")
        raise RequestError(f"no such engine here: {excerpt(ai.engine)}")

    async def _game(self, body: bytes) -> list[Entry] | None:
        """Return an analysis for ``/analyze-game``; ``None``, with which people may try again."""
        began, found = time.monotonic(), None
        try:
            asked = _Game.model_validate(_parsed(body))
            found = await self.analyst.game(asked.size, asked.movesHistory.split())
        except (ValidationError, RequestError) as error:
            self._tell(f"no analysis: {mistake_in(error)}")
        await asyncio.sleep(max(0.0, began + _SOONEST - time.monotonic()))
        return found

    async def played_move(self, data: object, seconds: float) -> Entry:
        """Return the entry of one move, analysed within ``seconds``, with the chance after it."""
        asked = _PlayedMove.model_validate(data)
        words = [*asked.movesHistory.split(), asked.move]
        found = await self.analyst.game(asked.size, words, len(words) - 1, seconds)
        if not found:
            raise RequestError("no analysis of this move")
        return found[0]

    async def position(self, data: object) -> Entry:
        """Return White's chance and the policy for the data of ``/analyze-position``."""
        asked = _Position.model_validate(data)
        cells = [0] * asked.size**2
        for player, words in enumerate((asked.black, asked.white), start=1):
            for word in words.split():
                cell = action_of(word, asked.size)
                if cell is None or cell == len(cells) or cells[cell]:
                    raise RequestError(f"expected an empty cell, got {excerpt(word, 40)}")
                cells[cell] = player
        game = make_game("hex", size=asked.size)
        state = game.initial_state(1 + (asked.color == "white"), cells)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.bots.quick, position, game, state)

    async def _calculate(self, body: bytes) -> str | Response:
        data: Any = _parsed(body)
        with suppress(LookupError, TypeError):
            if self._another and data["ai"]["engine"] not in self._named:
                loop = asyncio.get_running_loop()
                return await loop.run_in_executor(self._passing, self._passed_on, body)
        return await self.move(data)

    async def _position(self, body: bytes) -> Entry:
        return await self.position(_parsed(body))

    def _passed_on(self, body: bytes) -> Response:
        """Return the response of the other server; it may be starting again."""
        at, until = urlsplit(self._another), time.monotonic() + _RETRY_SECONDS
        while True:
            connection = HTTPConnection(at.netloc, timeout=_ANOTHER_SECONDS)
            try:
                headers = {"Content-Type": "application/json"}
                connection.request("POST", f"{at.path}/calculate-move", body, headers)
                response = connection.getresponse()
                return PlainTextResponse(response.read(_MOST_BYTES), response.status)
            except (OSError, HTTPException) as error:
                is_refused = isinstance(error, ConnectionRefusedError)
                if not is_refused or self.bots.is_leaving() or time.monotonic() > until:
                    raise RequestError(f"{self._another}: {error}") from None
            finally:
                connection.close()
            time.sleep(1.0)

    async def _respond(
        self, answer: Callable[[bytes], Awaitable[Any]], request: Request
    ) -> Response:
        """Answer a request; whatever it holds, the next one is answered too."""
        body = bytearray()
        try:
            async with asyncio.timeout(_READ_SECONDS):
                async for part in request.stream():
                    body += part
                    if len(body) > _MOST_BYTES:
                        return self._refused(413, f"expected at most {_MOST_BYTES} bytes")
            found = await answer(bytes(body))
            if isinstance(found, Response):
                return found
            text = found if isinstance(found, str) else json.dumps(found, allow_nan=False)
            return PlainTextResponse(text)
        except (TimeoutError, ClientDisconnect):
            return self._refused(408, f"expected the request within {_READ_SECONDS:g} s")
        except Exception as error:
            is_theirs = isinstance(error, ValidationError) or is_own_error(error)
            return self._refused(400 if is_theirs else 500, mistake_in(error))

    def _refused(self, status: int, words: str) -> Response:
        self._tell(f"refused: {words}")
        return PlainTextResponse(words, status)

    def app(self) -> Starlette:
        """Return the application."""
        posts: dict[str, Callable[[bytes], Awaitable[Any]]] = {
            "/calculate-move": self._calculate,
            "/analyze-game": self._game,
            "/analyze-position": self._position,
        }
        gets = {"/status": json.dumps(_STATUS), "/ping": "pong"}
        routes = [Route(path, PlainTextResponse(text)) for path, text in gets.items()]
        for path, answer in posts.items():
            routes.append(Route(path, partial(self._respond, answer), methods=["POST"]))
        app = Starlette(routes=routes)
        app.router.redirect_slashes = False
        return app

    def close(self) -> None:
        """End all threads and processes."""
        self.bots.close()
        self.analyst.close()
        self._passing.shutdown(wait=False, cancel_futures=True)


class PromptProtocol(H11Protocol):
    """Closes a connection on which no request begins in time: half-open ones would stay."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """See asyncio."""
        super().connection_made(transport)
        self.loop.call_later(_READ_SECONDS, self._check)

    def _check(self) -> None:
        if self.cycle is None and not self.transport.is_closing():
            self.transport.close()


def mistake_in(error: Exception) -> str:
    """Return an error as one printable line."""
    words = str(error).partition("\n")[0]
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        words = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return printable(words or type(error).__name__, 300)


def _parsed(body: bytes) -> object:
    try:
        return parse_json(body)
    except ValueError:
        raise RequestError(f"expected JSON, got {excerpt(body[:40])}") from None
