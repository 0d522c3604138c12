"""The Online Hex Tournament: clients for both generations of the server, and a server at home."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from oht_client.errors import AddressError, OfficialClientError, OHTError

if TYPE_CHECKING:
    from oht_client.actor_client import ActorClient
    from oht_client.answers import Answers
    from oht_client.basic_client_actor import BasicClientActor
    from oht_client.basic_client_actor_abs import BasicClientActorAbs
    from oht_client.client import Play, Server, find_client, find_server
    from oht_client.hex_actor_client import HexActorClient
    from oht_client.lineup import Lineup
    from oht_client.player import Hooks, TournamentPlayer
    from oht_client.results import Event, SeriesResult, TournamentRecord, TournamentResult

_HOME = {
    "ActorClient": "actor_client",
    "Answers": "answers",
    "BasicClientActor": "basic_client_actor",
    "BasicClientActorAbs": "basic_client_actor_abs",
    "Event": "results",
    "HexActorClient": "hex_actor_client",
    "Hooks": "player",
    "Lineup": "lineup",
    "Play": "client",
    "SeriesResult": "results",
    "Server": "client",
    "TournamentPlayer": "player",
    "TournamentRecord": "results",
    "TournamentResult": "results",
    "find_client": "client",
    "find_server": "client",
}

__all__ = [
    "ActorClient",
    "AddressError",
    "Answers",
    "BasicClientActor",
    "BasicClientActorAbs",
    "Event",
    "HexActorClient",
    "Hooks",
    "Lineup",
    "OHTError",
    "OfficialClientError",
    "Play",
    "SeriesResult",
    "Server",
    "TournamentPlayer",
    "TournamentRecord",
    "TournamentResult",
    "find_client",
    "find_server",
]


def __getattr__(name: str) -> object:
    """Import on first use."""
    if name in _HOME:
        return getattr(importlib.import_module(f"oht_client.{_HOME[name]}"), name)
    raise AttributeError(f"module 'oht_client' has no attribute {name!r}")
