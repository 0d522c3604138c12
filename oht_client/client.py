"""Which server is meant, and which client plays there: from the parameters to a tournament."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from oht_client import transport
from oht_client.answers import SessionOptions
from oht_client.errors import AddressError

if TYPE_CHECKING:
    from base.params import OHTParams
    from oht_client.player import TournamentPlayer

CERTIFICATE = "server.crt"

Play = Callable[["TournamentPlayer", SessionOptions], float | None]
"""Logs in and plays one tournament as a player. It returns the score, the percentage of games won,
or ``None`` if the server sent none, and raises ``OHTError`` if the tournament ended too early."""


class Server(NamedTuple):
    """A tournament server.

    Attributes:
        host: Name or IPv4 address.
        port: From 1 to 65535.
        certificate: The file with the certificate that it must have.
    """

    host: str
    port: int
    certificate: Path

    def __str__(self) -> str:
        """Return ``HOST:PORT``."""
        return f"{self.host}:{self.port}"


def find_server(oht: OHTParams, home: Path) -> Server:
    """Return the server that the parameters name, or the course's own.

    Args:
        oht: ``oht.server`` and ``oht.certificate`` come before everything else.
        home: The folder in which ``oht-server`` keeps its certificate: that of a server on this
            machine. Other certificates are looked for beside the course's client, if that is to
            play, else in the working directory; with protocol 2, first where ``IT3105_CERT`` says.

    Raises:
        AddressError: ``oht.server`` is no address.
    """
    host, port = _parse_address(oht.server) if oht.server is not None else _of_the_course(oht)
    if oht.certificate is not None:
        certificate = Path(oht.certificate)
    elif _is_here(host) and (home / CERTIFICATE).exists():
        certificate = home / CERTIFICATE
    else:
        certificate = Path(oht.official_client or "", CERTIFICATE)
        if oht.protocol == 2:
            certificate = Path(os.environ.get("IT3105_CERT", certificate))
    return Server(host, port, certificate)


def find_client(oht: OHTParams, server: Server) -> Play:
    """Return what plays a tournament there; nothing is connected yet.

    Raises:
        OfficialClientError: The course's client, if it is to play, cannot.
        OHTError: There is no certificate in the server's file.
    """
    play = _play_first_generation if oht.protocol == 1 else _play_second_generation
    if oht.official_client is not None:
        from oht_client import official

        module = official.load(Path(oht.official_client), oht.protocol)
        play = partial(official.play, module)
    transport.trust(server.certificate)
    return partial(play, oht, server)


def _parse_address(text: str) -> tuple[str, int]:
    """Return host and port of ``HOST:PORT``."""
    host, _, port = text.rpartition(":")
    if ":" in host:
        raise AddressError(
            f"oht.server: expected HOST:PORT with a name or an IPv4 address, got {text!r}:"
            " the tournament's clients and servers know no IPv6"
        )
    if not host or not (port.isdecimal() and 1 <= int(port) <= 65535):
        raise AddressError(f"oht.server: expected HOST:PORT such as localhost:33000, got {text!r}")
    return host, int(port)


def _of_the_course(oht: OHTParams) -> tuple[str, int]:
    """Return host and port of the course's own server, in generation 2 as its variables say."""
    if oht.protocol == 1:
        from oht_client.basic_client_actor_abs import DEFAULT_IP_ADDRESS, DEFAULT_PORT

        return DEFAULT_IP_ADDRESS, DEFAULT_PORT
    from oht_client import actor_client

    league = oht.mode == "league"
    port = actor_client.DEFAULT_LEAGUE_PORT if league else actor_client.DEFAULT_PORT
    try:
        return _parse_address(f"{actor_client.DEFAULT_HOST}:{port}")
    except AddressError:
        raise AddressError(f"IT3105_PORT: expected a port from 1 to 65535, got {port!r}") from None


def _is_here(host: str) -> bool:
    """Tell whether a host is this machine."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _play_first_generation(
    oht: OHTParams, server: Server, player: TournamentPlayer, options: SessionOptions
) -> float | None:
    from oht_client.basic_client_actor import BasicClientActor

    actor = BasicClientActor(
        player,
        server.host,
        verbose=False,
        port=server.port,
        certificate=str(server.certificate),
        options=options,
    )
    return actor.connect_to_server()


def _play_second_generation(
    oht: OHTParams, server: Server, player: TournamentPlayer, options: SessionOptions
) -> float | None:
    from oht_client.actor_client import HexActorClient

    client = HexActorClient(
        player,
        host=server.host,
        port=server.port,
        league_port=server.port,
        cert=str(server.certificate),
        # The command line says whether an attempt is spent, not a forgotten environment variable.
        qualify=None,
        options=options,
    )
    return client.run(oht.mode)
