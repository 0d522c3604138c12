"""The encrypted connection to a tournament server; functions raise ``TournamentError`` by default.

The server's certificate is self-signed and is itself the trust anchor, so any name or address of
the server works.
"""

import ipaddress
import itertools
import socket
import ssl
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from base.storage import FileError, read_file
from oht_client.answers import SessionOptions
from online.errors import ConnectionEndedError, TournamentError

CONNECT_LIMIT = 10.0  # seconds for one attempt to connect
RETRY_PAUSE = 1.0  # seconds between two attempts
_CHUNK = 4096
_CERTIFICATE_BYTES = 1 << 20
_KEEP_ALIVE = {"TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 20, "TCP_KEEPCNT": 6}


class Server(NamedTuple):
    """A tournament server: its name or IPv4 address, and the file with its certificate."""

    host: str
    port: int
    certificate: Path

    def __str__(self) -> str:
        """Return ``HOST:PORT``."""
        return f"{self.host}:{self.port}"


@dataclass
class Connection:
    """A connection to ``place``, HOST:PORT; silence ends it after ``silence_limit`` seconds."""

    tls_socket: ssl.SSLSocket
    place: str
    silence_limit: float | None

    def receive(self, most: int = _CHUNK) -> bytes:
        """Wait for the next bytes; return at least one and at most ``most``."""
        self.tls_socket.settimeout(self.silence_limit)
        try:
            received = self.tls_socket.recv(most)
        except OSError as error:
            if _is_silence(error):
                words = silence(self.silence_limit)
                raise TournamentError(f"{self.place}: {words}") from error
            words = f"{self.place}: the connection was cut: {reason_of(error)}"
            raise ConnectionEndedError(words) from error
        if not received:
            raise ConnectionEndedError(f"{self.place}: the server closed the connection")
        return received

    def receive_within(self, seconds: float) -> bytes:
        """Return the bytes that arrive in time; none on silence or after the connection's end."""
        self.tls_socket.settimeout(seconds)
        try:
            return self.tls_socket.recv(_CHUNK)
        except OSError:
            return b""

    def send(self, message: bytes) -> None:
        """Send a message; the next ``receive`` reports the end of the connection."""
        self.tls_socket.settimeout(self.silence_limit)
        try:
            self.tls_socket.sendall(message)
        except OSError as error:
            if _is_silence(error):
                words = f"the server took no message for {self.silence_limit:g} seconds"
                raise TournamentError(f"{self.place}: {words}") from error

    def close(self) -> None:
        """Close the connection; closing it again does nothing."""
        self.tls_socket.close()


def is_here(host: str) -> bool:
    """Return whether a host is this machine."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def trust(server: Server) -> ssl.SSLContext:
    """Return TLS settings that accept only the server with this certificate."""
    certificate = server.certificate
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_REQUIRED
    try:
        context.load_verify_locations(cadata=read_file(certificate, _CERTIFICATE_BYTES).decode())
    except FileError as error:
        own = "oht-server makes one for this machine when it starts: start it first; "
        words = f"{error}; {own * is_here(server.host)}oht.certificate says where it is"
        raise TournamentError(f"{certificate}: the server's certificate: {words}") from error
    except (ssl.SSLError, ValueError) as error:
        raise TournamentError(f"{certificate}: expected a certificate in PEM form") from error
    return context


def connect(server: Server, options: SessionOptions) -> Connection:
    """Connect to a server; retry, with a message, where that is harmless."""
    context, place = trust(server), str(server)
    options.tell(f"Connecting to {place}")
    for attempt in itertools.count(1):
        try:
            tls_socket = begin_tls(open_port(server.host, server.port), context, place)
            return Connection(tls_socket, place, options.silence_limit)
        except (OSError, UnicodeError) as error:
            reason, most = reason_of(error), options.connect_attempts
            # The class for a cut in the handshake depends on the version of Python.
            is_cut = isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError)
            if not is_cut and isinstance(error, ssl.SSLError | UnicodeError):
                raise TournamentError(f"{place}: expected a tournament server: {reason}") from error
            if attempt >= most:
                ask = "is it running, and if it is the course's, are you on its network or VPN?"
                words = f"{place}: cannot reach the server: {reason}; {ask}"
                raise TournamentError(words) from error
            tried = f"{place}: {reason}; attempt {attempt} of {most}"
            options.tell(f"{tried}, the next in {RETRY_PAUSE:g} s")
            time.sleep(RETRY_PAUSE)
    raise AssertionError


def open_port(host: str, port: int) -> socket.socket:
    """Return a connected IPv4 socket; raise ``OSError``, or ``UnicodeError`` for a bad name."""
    address = socket.gethostbyname(host), port
    plain_socket = socket.create_connection(address, CONNECT_LIMIT)
    # A move is one small message, and the server waits for it.
    plain_socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    # Detect a lost peer within minutes, even while no data is due.
    plain_socket.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEP_ALIVE.items():
        if hasattr(socket, name):  # not every system allows it
            plain_socket.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return plain_socket


def begin_tls(plain_socket: socket.socket, context: ssl.SSLContext, place: str) -> ssl.SSLSocket:
    """Complete TLS's handshake; raise ``TournamentError`` or ``OSError`` and close the socket."""
    try:
        return context.wrap_socket(plain_socket)
    except ssl.SSLCertVerificationError as error:
        wrong = f"the server's certificate is not the expected one ({error.verify_message})"
        hint = "oht.certificate names the file that must match it"
        raise TournamentError(f"{place}: {wrong}; {hint}") from error
    finally:
        plain_socket.close()  # harmless after TLS has taken over the socket


def silence(limit: float | None) -> str:
    """Return that the server has said nothing for ``limit`` seconds."""
    words = f"no word from the server for {limit:g} seconds"
    return f"{words}; oht.silence_limit says how long to wait"


def _is_silence(error: OSError) -> bool:
    """Return whether our own time limit expired; the system's time-out has an errno."""
    return isinstance(error, TimeoutError) and error.errno is None


def reason_of(error: Exception) -> str:
    """Return a short description of an error."""
    if isinstance(error, UnicodeError):
        return "not a host name"
    if isinstance(error, ssl.SSLError):
        return f"no TLS connection ({error.reason or error.strerror or error})"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
