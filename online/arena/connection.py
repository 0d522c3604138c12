"""A connection to the arena's server; functions raise ``TournamentError``."""

import asyncio
import contextlib
import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Coroutine, Mapping
from http.client import HTTPException
from typing import Any
from urllib.parse import urlencode, urlsplit

from pydantic import TypeAdapter, ValidationError
from websockets import connect  # type: ignore[attr-defined]  # found at its first use
from websockets.exceptions import ConnectionClosed, InvalidMessage, WebSocketException

from online.arena.messages import Slot, parse
from online.errors import AddressError, ConnectionEndedError, TournamentError

PING_SECONDS = 10.0  # seconds of silence before a ping, and between pings
QUIET = "quiet"  # the type of a message that says no more than that the server is still there
RETRY_PAUSE = 1.0  # seconds between two attempts to connect
MOST_PINGS = 6  # pings in a row without an answer after which the connection counts as lost
_MOST_BYTES = 64 * 1024  # largest accepted message; a board of 19x19 takes 2 kB
_MOST_SLOT_BYTES = 1 << 20
_CONNECT_SECONDS = 10.0
_SLOTS = TypeAdapter(list[Slot])


class ArenaConnection:
    """A WebSocket to the arena, with pings where the server has nothing to say.

    It lives in a thread with an event loop of its own, so that the server's pings are answered
    while an agent thinks. The synchronous client of ``websockets`` 11 would do so too, but loses a
    message that the server sends just before it closes the connection: why it has no seat for us.
    """

    def __init__(self, uri: str, place: str) -> None:
        """Connect; an ``OSError``, a ``WebSocketException`` or a ``ValueError`` if that fails."""
        self._place, self._loop = place, asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        try:
            self._socket = self._result(_connected(uri))
        except BaseException:
            self._stop()
            raise

    def receive(self) -> tuple[str, Mapping[str, Any]]:
        """Return the type and the payload of the next message; ``QUIET`` for a silence."""
        for pings in range(MOST_PINGS):
            with contextlib.suppress(TimeoutError):
                message = self._run(asyncio.wait_for(self._socket.recv(), PING_SECONDS))
                kind, payload = parse(message)
                return (QUIET if kind == "pong" and pings else kind), payload
            self.send("ping", {})
        silence = PING_SECONDS * MOST_PINGS
        raise ConnectionEndedError(f"{self._place}: no word from the server for {silence:g} s")

    def send(self, kind: str, payload: Mapping[str, Any]) -> None:
        """Send a message."""
        self._run(self._socket.send(json.dumps({"type": kind, "payload": payload})))

    def close(self) -> None:
        """Leave; closing again does nothing."""
        if self._socket is not None:
            try:
                self._result(self._socket.close())
            finally:
                self._socket = None
                self._stop()

    def _run(self, call: Coroutine[Any, Any, Any]) -> Any:
        try:
            return self._result(call)
        except ConnectionClosed as error:
            if error.sent is not None and not error.rcvd_then_sent:  # what came was no message
                words = f"expected text of at most {_MOST_BYTES} bytes in a message ({error})"
                raise TournamentError(f"{self._place}: {words}") from error
            words = f"the server closed the connection ({error})"
            raise ConnectionEndedError(f"{self._place}: {words}") from error

    def _result(self, call: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(call, self._loop).result()

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _connected(uri: str) -> Any:
    """Return an open connection; the arena's own pings replace those of the library."""
    limits = {"open_timeout": _CONNECT_SECONDS, "close_timeout": 1.0, "max_size": _MOST_BYTES}
    return await connect(uri, ping_interval=None, **limits)


def check_address(address: str) -> None:
    """Raise an ``AddressError`` unless an address is one of WebSockets."""
    with contextlib.suppress(ValueError):
        parts = urlsplit(address)
        if parts.scheme in ("ws", "wss") and parts.hostname and (parts.port or 1) > 0:
            return
    expected = "an address such as ws://localhost:8000"
    raise AddressError(f"--server: expected {expected}, got {address!r}")


def enter(
    address: str,
    way: str,
    query: Mapping[str, object],
    attempts: int,
    tell: Callable[[str], None],
) -> ArenaConnection:
    """Connect to ``/ws/WAY?QUERY``; a value of ``None`` is left out. Retry if nobody listens."""
    known = urlencode({key: value for key, value in query.items() if value is not None})
    uri = f"{address.rstrip('/')}/ws/{way}?{known}"
    for attempt in range(1, attempts + 1):
        try:
            return ArenaConnection(uri, address)
        except (OSError, ConnectionClosed, InvalidMessage) as error:
            reason = getattr(error, "strerror", None) or str(error) or "no answer"
            if attempt == attempts:
                break
            tell(f"{address}: {reason}; attempt {attempt} of {attempts}")
            time.sleep(RETRY_PAUSE)
        except (WebSocketException, ValueError) as error:
            raise TournamentError(f"{address}: expected the arena's server: {error}") from error
    raise ConnectionEndedError(f"{address}: cannot reach the server: {reason}; is it running?")


def read_slots(address: str) -> list[Slot]:
    """Return all slots of a server."""
    place = address.rstrip("/").replace("ws", "http", 1)
    try:
        with urllib.request.urlopen(f"{place}/slots", timeout=_CONNECT_SECONDS) as answer:
            return _SLOTS.validate_json(answer.read(_MOST_SLOT_BYTES))
    except urllib.error.HTTPError as error:
        raise TournamentError(f"{address}: expected the arena's server: {error}") from error
    except OSError as error:
        reason = getattr(error, "reason", error)
        raise TournamentError(f"{address}: cannot reach the server: {reason}") from error
    except (HTTPException, ValidationError, ValueError) as error:
        raise TournamentError(f"{address}: expected the list of slots of an arena") from error
