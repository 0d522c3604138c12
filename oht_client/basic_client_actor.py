"""Our player in tournaments of the server's first generation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oht_client.basic_client_actor_abs import BasicClientActorAbs
from oht_client.hooks import PlayerHooks

if TYPE_CHECKING:
    from oht_client.player import TournamentPlayer


class BasicClientActor(PlayerHooks, BasicClientActorAbs):
    """The seven methods on our base."""

    def __init__(
        self,
        player: TournamentPlayer,
        IP_address: str | None = None,
        verbose: bool = True,
        **connection: Any,
    ) -> None:
        """Play as ``player``; the rest is that of ``BasicClientActorAbs``."""
        super().__init__(IP_address, verbose, **connection)
        self.player = player
