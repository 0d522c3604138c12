"""The connections of the page; stalled clients do not block others."""

from __future__ import annotations

import asyncio
import math
import sys
import time
from asyncio import TimerHandle
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

_MOST = 1000
_TURN_SECONDS = 30.0
_HEAD_BYTES = 1 << 18
"""Limit of a request's head; leaves room for the cookies of all programs on the same host."""
_BACKLOG = 64
"""Connections that the event loop accepts at a time, before it counts them."""
_OTHER_FILES = 64 + 2 * _BACKLOG
"""Other open files: nets, engines, logs, and connections being accepted or closed."""
_NOTICE_SECONDS = 60.0


def page_server(
    app: ASGIApp,
    tell: Callable[[str], None],
    most: int = _MOST,
    turn_seconds: float = _TURN_SECONDS,
) -> uvicorn.Server:
    """Return a server over HTTP/1.1; ``tell`` receives notices, once a minute at most.

    A connection more than ``most``, or than the limit of open files has room for, cuts the one with
    the longest turn, so a client that sends its request at once is served. A turn, to send a
    request or to receive a response, takes at most ``turn_seconds``.
    """
    most = max(1, min(most, (_open_files() - _OTHER_FILES) // 2))  # each may need a file
    connection = partial(_Connection, _Limits(most, turn_seconds, tell))
    config = uvicorn.Config(
        app,
        http=cast(type[asyncio.Protocol], connection),
        loop="asyncio",
        ws="none",
        lifespan="off",
        log_config=None,  # uvicorn's own would end the handlers of other libraries
        log_level="critical",
        server_header=False,
        backlog=_BACKLOG,
        h11_max_incomplete_event_size=_HEAD_BYTES,
        timeout_graceful_shutdown=1,  # slower responses are dropped
    )
    return uvicorn.Server(config)


def _open_files() -> int:
    """Return how many files may be open at once."""
    try:
        import resource
    except ImportError:  # Windows, which has no such limit for sockets
        return sys.maxsize
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if files == resource.RLIM_INFINITY else files


@dataclass
class _Limits:
    """The limits that all connections share, and the clients whose turn it is."""

    most: int
    turn_seconds: float
    tell: Callable[[str], None]
    turns: dict[_Connection, TimerHandle] = field(default_factory=dict)  # the longest turn first
    told: float = -math.inf  # the time of the last notice

    def make_room(self) -> None:
        """Cut the connection with the longest turn."""
        if time.monotonic() - self.told >= _NOTICE_SECONDS:
            self.told = time.monotonic()
            self.tell(f"full: {self.most} connections are open; idle ones are cut for new ones")
        next(iter(self.turns)).cut()


class _Connection(H11Protocol):
    """A connection that is cut if the client's turn takes too long.

    It is the client's turn except while the server works on a request that has arrived whole.
    """

    def __init__(self, limits: _Limits, **given: Any) -> None:
        super().__init__(**given)
        self._limits = limits
        self._respond, self.app = self.app, self._respond_in_turn
        self._is_full = False  # whether the client has received too little of its responses

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._begin_turn()
        if len(self.connections) > self._limits.most:
            self._limits.make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_turn()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client must receive more before it is sent more."""
        super().pause_writing()
        self._is_full = True
        self._begin_turn()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._is_full = False

    def cut(self) -> None:
        """Abort the connection; unsent data is lost."""
        self._end_turn()
        self.transport.abort()

    async def _respond_in_turn(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def receiving() -> Message:
            message = await receive()
            if not message.get("more_body") and not self._is_full:
                self._end_turn()
            return message

        try:
            await self._respond(scope, receiving, send)
        finally:
            if not self._is_full:  # else the turn has begun
                self._begin_turn()

    def _begin_turn(self) -> None:
        self._end_turn()
        if not self.transport.is_closing():
            timer = self.loop.call_later(self._limits.turn_seconds, self.cut)
            self._limits.turns[self] = timer

    def _end_turn(self) -> None:
        if timer := self._limits.turns.pop(self, None):
            timer.cancel()
