"""Our player in tournaments of the server's first generation."""

from __future__ import annotations

from oht_client.basic_client_actor_abs import BasicClientActorAbs
from oht_client.hooks import PlayerHooks


class BasicClientActor(PlayerHooks, BasicClientActorAbs):
    """The seven methods on our base."""
