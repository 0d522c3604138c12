"""The Online Hex Tournament: clients for both generations of the server, and a server at home."""

from oht_client.actor_client import HexActorClient
from oht_client.answers import Answers, SessionOptions
from oht_client.basic_client_actor import BasicClientActor
from oht_client.client import Play, find_client, find_server
from oht_client.errors import AddressError, OfficialClientError, OHTError
from oht_client.lineup import Lineup
from oht_client.player import TournamentPlayer
from oht_client.results import Event, SeriesResult, TournamentRecord, TournamentResult
from oht_client.transport import Server

__all__ = [
    "AddressError",
    "Answers",
    "BasicClientActor",
    "Event",
    "HexActorClient",
    "Lineup",
    "OHTError",
    "OfficialClientError",
    "Play",
    "SeriesResult",
    "Server",
    "SessionOptions",
    "TournamentPlayer",
    "TournamentRecord",
    "TournamentResult",
    "find_client",
    "find_server",
]
