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
    from oht_client.client import parse_address, play_tournament
    from oht_client.hex_actor_client import HexActorClient
    from oht_client.lineup import Lineup
    from oht_client.official import run_official
    from oht_client.player import Hooks, TournamentPlayer
    from oht_client.results import SeriesResult, TournamentRecord, TournamentResult

_HOME = {
    "ActorClient": "actor_client",
    "Answers": "answers",
    "BasicClientActor": "basic_client_actor",
    "BasicClientActorAbs": "basic_client_actor_abs",
    "HexActorClient": "hex_actor_client",
    "Hooks": "player",
    "Lineup": "lineup",
    "SeriesResult": "results",
    "TournamentPlayer": "player",
    "TournamentRecord": "results",
    "TournamentResult": "results",
    "parse_address": "client",
    "play_tournament": "client",
    "run_official": "official",
}

__all__ = [
    "ActorClient",
    "AddressError",
    "Answers",
    "BasicClientActor",
    "BasicClientActorAbs",
    "HexActorClient",
    "Hooks",
    "Lineup",
    "OHTError",
    "OfficialClientError",
    "SeriesResult",
    "TournamentPlayer",
    "TournamentRecord",
    "TournamentResult",
    "parse_address",
    "play_tournament",
    "run_official",
]


def __getattr__(name: str) -> object:
    """Import on first use."""
    if name in _HOME:
        return getattr(importlib.import_module(f"oht_client.{_HOME[name]}"), name)
    raise AttributeError(f"module 'oht_client' has no attribute {name!r}")
