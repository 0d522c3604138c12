"""Which client plays, and where: from the parameters to a tournament."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from oht_client.answers import Answers
from oht_client.errors import AddressError

if TYPE_CHECKING:
    from oht_client.player import Hooks
    from params import OHTParams

CERTIFICATE = "server.crt"


class Address(NamedTuple):
    """Where a server listens; ``None`` stands for the course's own.

    Attributes:
        host: Name or IPv4 address.
        port: From 1 to 65535.
    """

    host: str | None = None
    port: int | None = None

    @property
    def is_here(self) -> bool:
        """Whether the server runs on this machine."""
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host or "").is_loopback
        except ValueError:
            return False


def parse_address(text: str | None) -> Address:
    """Return the address in ``HOST:PORT``, or the course's for ``None``.

    Raises:
        AddressError: This is no address.
    """
    if text is None:
        return Address()
    host, _, port = text.rpartition(":")
    if not host or not (port.isdecimal() and 1 <= int(port) <= 65535):
        raise AddressError(f"oht.server: expected HOST:PORT such as localhost:33000, got {text!r}")
    return Address(host, int(port))


def find_certificate(oht: OHTParams, address: Address, home: Path) -> Path | None:
    """Return the file with the server's certificate; ``None`` for where the client itself looks.

    Args:
        oht: ``oht.certificate`` comes first.
        address: A server on this machine has the certificate that ``oht-server`` made.
        home: The folder in which ``oht-server`` keeps it.
    """
    if oht.certificate is not None:
        return Path(oht.certificate)
    if address.is_here and oht.official_client is None and (home / CERTIFICATE).exists():
        return home / CERTIFICATE
    return None


def play_tournament(
    oht: OHTParams, player: Hooks, answers: Answers, tell: Callable[[str], None], home: Path
) -> float | None:
    """Log in and play one tournament.

    Args:
        oht: Which client, which server.
        player: Who is told what happens, and asked for moves.
        answers: Who answers the questions at log-in.
        tell: Hears what a person should know.
        home: See ``find_certificate``.

    Returns:
        The score, the percentage of games won; ``None`` if the server sent none.

    Raises:
        AddressError: ``oht.server`` is no address.
        OfficialClientError: The course's client cannot do what is asked for.
        OHTError: The tournament came to an untimely end.
    """
    address = parse_address(oht.server)
    certificate = find_certificate(oht, address, home)
    if oht.official_client is not None:
        from oht_client.official import run_official

        league = oht.mode == "league"
        return run_official(
            Path(oht.official_client),
            oht.protocol,
            player,
            answers.answer,
            host=address.host,
            port=None if league else address.port,
            league_port=address.port if league else None,
            mode=oht.mode,
            certificate=certificate,
            silence_limit=oht.silence_limit,
        )
    patience: dict[str, Any] = {
        "connect_attempts": oht.connect_attempts,
        "silence_limit": oht.silence_limit,
        "ask": answers.ask,
        "ask_secret": answers.ask,
        "tell": tell,
    }
    if oht.protocol == 1:
        return _play_first_generation(player, address, certificate, patience)
    return _play_second_generation(oht, player, address, certificate, patience)


def _play_first_generation(
    player: Hooks, address: Address, certificate: Path | None, patience: dict[str, Any]
) -> float | None:
    from oht_client.basic_client_actor import BasicClientActor

    port = {} if address.port is None else {"port": address.port}
    actor = BasicClientActor(
        player,
        address.host,
        verbose=False,
        certificate=str(certificate or CERTIFICATE),
        **port,
        **patience,
    )
    return actor.connect_to_server()


def _play_second_generation(
    oht: OHTParams,
    player: Hooks,
    address: Address,
    certificate: Path | None,
    patience: dict[str, Any],
) -> float | None:
    from oht_client.hex_actor_client import HexActorClient

    # Whether an attempt is spent is said on the command line, not by a variable of long ago.
    where: dict[str, Any] = {"qualify": None}
    if address.host is not None:
        where |= {"host": address.host, "port": address.port, "league_port": address.port}
    if certificate is not None:
        where["cert"] = str(certificate)
    elif "IT3105_CERT" not in os.environ:
        where["cert"] = CERTIFICATE
    return HexActorClient(player, **where, **patience).run(oht.mode)
