"""The connections of the page; stalled clients do not block others."""

from __future__ import annotations

import asyncio
import socket
from asyncio import AbstractEventLoop, TimerHandle
from collections.abc import Callable
from functools import partial
from typing import Any, cast

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from oht_client.server.limits import Notices, room_for

_MOST = 1000
_TURN_SECONDS = 30.0
_HEAD_BYTES = 1 << 18
"""Limit of a request's head; leaves room for the cookies of all programs on the same host."""
_BACKLOG = 16
"""Connections that the event loop accepts at a time, before it counts them."""
_OTHER_FILES = 64 + 4 * _BACKLOG
"""Other open files: nets, engines, logs, and connections being accepted or closed."""


class PageServer(uvicorn.Server):
    """Serves an application over HTTP/1.1 until Ctrl-C, for a limited number of connections."""

    def __init__(
        self,
        app: ASGIApp,
        tell: Callable[[str], None],
        most: int = _MOST,
        turn_seconds: float = _TURN_SECONDS,
    ) -> None:
        """Prepare to serve; ``tell`` receives notices for the owner, summed up.

        A connection more than ``most`` cuts the one with the longest turn, so a client that sends
        its request at once is served. A turn, to send a request or to receive a response, takes at
        most ``turn_seconds``. Raises an ``OHTError`` if the limit of open files leaves no room for
        a connection.
        """
        self._notices = Notices(tell)
        most = (room_for(2 * most, _OTHER_FILES) + 1) // 2  # each may need a file
        guarded = partial(_GuardedProtocol, {}, most, turn_seconds, self._notices)
        config = uvicorn.Config(
            app,
            http=cast(type[asyncio.Protocol], guarded),
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
        super().__init__(config)

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until Ctrl-C, then report the remaining notices."""
        asyncio.get_running_loop().set_exception_handler(self._on_error)
        try:
            await super().serve(sockets)
        finally:
            self._notices.sum_up()

    def _on_error(self, loop: AbstractEventLoop, context: dict[str, Any]) -> None:
        """Sum up failed accepts for lack of open files; asyncio reports each attempt."""
        if context["message"].startswith("socket.accept()"):
            reason = getattr(context.get("exception"), "strerror", None)
            words = f"cannot accept a connection: {reason}"
            self._notices.say("attempts to accept a connection failed", words, most=1)
        else:
            loop.default_exception_handler(context)


class _GuardedProtocol(H11Protocol):
    """A connection that is cut if the client stalls, sending a request or receiving a response."""

    def __init__(
        self,
        turns: dict[_GuardedProtocol, TimerHandle],
        most: int,
        turn_seconds: float,
        notices: Notices,
        **given: Any,
    ) -> None:
        """Share ``turns`` with all connections: their timers, the longest turn first."""
        super().__init__(**given)
        self._turns, self._most = turns, most
        self._turn_seconds, self._notices = turn_seconds, notices

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._begin_turn()
        if len(self.connections) > self._most:
            words = f"full: {self._most} connections are open; idle ones are cut for new ones"
            self._notices.say("connections cut", words, most=1)
            next(iter(self._turns)).cut()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_turn()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        super().handle_events()
        self._switch_turns()

    def on_response_complete(self) -> None:
        self._begin_turn()
        super().on_response_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._switch_turns()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._switch_turns()

    def cut(self) -> None:
        """Abort the connection; unsent data is lost."""
        self._end_turn()
        self.transport.abort()

    def _switch_turns(self) -> None:
        """End the client's turn if the server acts next, else begin it."""
        cycle = self.cycle
        has_request = cycle is not None and not (cycle.more_body or cycle.response_complete)
        # A client that pipelines requests, which no browser does, may be cut.
        is_pipelining = bool(self.conn.trailing_data[0])
        if has_request and not (self.flow.write_paused or is_pipelining):
            self._end_turn()
        elif self not in self._turns:
            self._begin_turn()

    def _begin_turn(self) -> None:
        self._end_turn()
        self._turns[self] = self.loop.call_later(self._turn_seconds, self.cut)

    def _end_turn(self) -> None:
        if timer := self._turns.pop(self, None):
            timer.cancel()
