"""Select the server and the client from the parameters."""

import contextlib
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from base.params import OHTParams
from oht_client import official, transport
from oht_client.answers import SessionOptions
from oht_client.json_wire import JSONWire
from oht_client.text_wire import TextWire
from oht_client.transport import Server
from online.errors import AddressError
from online.player import TournamentPlayer
from online.session import play_session

CERTIFICATE = "server.crt"

PlayTournament = Callable[[TournamentPlayer, SessionOptions], float | None]
"""Log in and play one tournament; return the score, the percentage of games won, ``None`` if the
server sent none. Raises ``TournamentError`` if the tournament ended too early."""


def find_server(oht: OHTParams, home: Path) -> Server:
    """Return the server in the parameters, else the course's own.

    ``home`` has the certificate of ``oht-server``, for a server on this machine. Others are
    searched beside the course's client, if that plays, else in the working directory; with protocol
    2, first at ``IT3105_CERT``. If ``oht.server`` is no address, raise an ``AddressError``.
    """
    host, port = _parse_address(oht.server) if oht.server is not None else _of_the_course(oht)
    if oht.certificate is not None:
        certificate = Path(oht.certificate)
    elif transport.is_here(host) and (home / CERTIFICATE).exists():
        certificate = home / CERTIFICATE
    else:
        certificate = Path(oht.official_client or "", CERTIFICATE)
        if oht.protocol == 2:
            certificate = Path(os.environ.get("IT3105_CERT", certificate))
    return Server(host, port, certificate)


def find_client(oht: OHTParams, server: Server) -> PlayTournament:
    """Return the function that plays a tournament on a server, not yet connected.

    Raise an ``OfficialClientError`` if the course's client is chosen and cannot play, a
    ``TournamentError`` without a certificate.
    """
    if oht.official_client is not None:
        module = official.load(Path(oht.official_client), oht.protocol)
        transport.trust(server)
        return partial(official.play, module, oht, server)
    transport.trust(server)

    def play(player: TournamentPlayer, options: SessionOptions) -> float | None:
        league = oht.mode == "league"
        with contextlib.closing(transport.connect(server, options)) as connection:
            text = oht.protocol == 1
            wire = TextWire(connection, options) if text else JSONWire(connection, options, league)
            return play_session(wire, player, options.tell, league)

    return play


def _parse_address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if ":" in host:
        expected = "HOST:PORT with a name or an IPv4 address"
        got = f"{text!r}: the tournament does not support IPv6"
        raise AddressError(f"oht.server: expected {expected}, got {got}")
    if not host or not (port.isdecimal() and 1 <= int(port) <= 65535):
        raise AddressError(f"oht.server: expected HOST:PORT such as localhost:33000, got {text!r}")
    return host, int(port)


def _of_the_course(oht: OHTParams) -> tuple[str, int]:
    """Return host and port of the course's server; generation 2 reads them from its variables."""
    if oht.protocol == 1:
        return "129.241.113.109", 33000
    host = os.environ.get("IT3105_HOST", "it3105.idi.ntnu.no")
    league = oht.mode == "league"
    # The course's client spells the variable this way.
    key, usual = ("IT3105_LeAGUE_PORT", "30000") if league else ("IT3105_PORT", "33000")
    port = os.environ.get(key, usual)
    try:
        return _parse_address(f"{host}:{port}")
    except AddressError:
        raise AddressError(f"{key}: expected a port from 1 to 65535, got {port!r}") from None
