"""One client's connection: nothing waits for ever, and every fault raises a ``WireFault``."""

import asyncio
import contextlib
import errno
import socket
import ssl
from collections.abc import AsyncIterator
from typing import cast

from oht_client.transport import reason_of
from online.errors import TournamentError

_CLOSE_SECONDS = 5.0
READ_AHEAD_BYTES = 4096


class WireFault(Exception):
    """A fault of a client that ends its session; the text is one line."""


class Gone(WireFault):
    """The client has disconnected."""


class TooLate(WireFault):
    """The client did not answer in time."""


def listen(option: str, host: str, port: int, shared: bool = False) -> socket.socket:
    """Open a port, any free one if 0, or raise a ``TournamentError`` that names ``option``.

    A ``shared`` port may have several programs, if all say so.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=128, reuse_port=shared)
    except (OSError, UnicodeError) as error:
        if getattr(error, "errno", None) == errno.EADDRINUSE:
            got = f"expected a free port, got {port}, which another program uses"
            words = f"{option}: {got}; try another {option}, or 0 for any that is free"
            raise TournamentError(words) from error
        reason = reason_of(error).partition(" (while")[0]
        raise TournamentError(f"{option}: cannot listen on {host}:{port}: {reason}") from error


class ClientConnection:
    """The two streams of a connection, and the clock."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take over the streams of a connection that has just been accepted."""
        # The client's part of the handshake may be here already: it must stay unread.
        self._plain_transport = cast(asyncio.Transport, writer.transport)
        self._plain_transport.pause_reading()
        self._reader = reader
        self._writer = writer
        self._socket: socket.socket = writer.get_extra_info("socket")
        self._set_option(socket.SOL_SOCKET, socket.SO_KEEPALIVE)

    async def secure(self, context: ssl.SSLContext, seconds: float) -> None:
        """Begin TLS, before any other data."""
        try:
            await self._writer.start_tls(context, ssl_handshake_timeout=seconds)
        except ssl.SSLError as error:
            distrust = "UNKNOWN_CA" in (error.reason or "")
            reason = "it trusts another certificate" if distrust else error.reason or error
            raise Gone(f"no TLS: {reason}") from error
        except OSError as error:
            late = isinstance(error, ConnectionAbortedError)
            why = f"no handshake within {seconds:g} seconds" if late else "disconnected"
            raise Gone(f"no TLS: {why}") from error

    async def send(self, data: bytes) -> None:
        """Send up to 16 KiB as one TLS record; only the next read reports a lost client."""
        # A lost connection does not always count as closing, but its socket is closed.
        if self._socket.fileno() >= 0 and not self._writer.is_closing():
            self._writer.write(data)
            # Yield to other tasks; the loop also closes a lost connection before we go on.
            await asyncio.sleep(0)

    @contextlib.asynccontextmanager
    async def reading(self, seconds: float | None) -> AsyncIterator[asyncio.StreamReader]:
        """Lend the stream to read one answer within ``seconds``, if any, including the sending."""
        try:
            async with asyncio.timeout(seconds) as limit:
                await self._writer.drain()
                yield self._reader
        except (EOFError, OSError) as error:  # among them TimeoutError, and all that TLS raises
            if limit.expired():
                raise TooLate(f"no answer within {seconds:g} seconds") from error
            raise Gone("disconnected") from error

    def acknowledge_quickly(self) -> None:
        """Acknowledge the next packet at once: a message in two parts would take 40 ms more."""
        if hasattr(socket, "TCP_QUICKACK"):
            self._set_option(socket.IPPROTO_TCP, socket.TCP_QUICKACK)

    async def end_of_silence(self) -> WireFault:
        """Wait until a client leaves or sends data without a request; return the fault."""
        try:
            data = await self._reader.read(1)
        except OSError:
            data = b""
        return WireFault("sent data without a request") if data else Gone("disconnected")

    async def close(self) -> None:
        """Send pending data and close the connection; wait a little for the client to close too."""
        self._writer.close()
        with contextlib.suppress(OSError):  # among them TimeoutError
            async with asyncio.timeout(_CLOSE_SECONDS):
                await self._writer.wait_closed()

    def abort(self) -> None:
        """End the connection at once."""
        # Not the transport of TLS: in Python 3.11.2 that one fails once closed.
        self._plain_transport.abort()

    def _set_option(self, level: int, option: int) -> None:
        with contextlib.suppress(OSError):  # the socket may be closed by now
            self._socket.setsockopt(level, option, 1)
