"""The requests for the ladder: its table, the games of two nets, and a net that a client adds."""

from typing import Annotated, Any, ClassVar

from pydantic import Base64Bytes, Field

from web.ladder.ladder import Ladder
from web.server.agent_pool import AgentPool, Deadline
from web.server.requests import PageRequest, RequestError

_MOST_BYTES = 1 << 24
_Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class LadderRequest(PageRequest):
    """The table; ``version`` is the last response's."""

    version: int = -1


class GamesRequest(PageRequest):
    """The games of two nets, by the digests of their files."""

    nets: tuple[_Digest, _Digest]


class AddNetRequest(PageRequest):
    """A net's file in base64, and a name for it."""

    most_bytes: ClassVar[int] = 4 * _MOST_BYTES // 3 + 1000

    name: Annotated[str, Field(max_length=40)]
    file: Annotated[Base64Bytes, Field(min_length=1, max_length=_MOST_BYTES)]


def ladder(pool: AgentPool, request: LadderRequest, deadline: Deadline) -> dict[str, Any]:
    """Return the table, or of a known version only its number."""
    found = _found(pool)
    shown = found.shown
    if shown["version"] == request.version:
        return {"version": request.version}
    return {**shown, "most_bytes": _MOST_BYTES if found.takes_nets else 0}


def ladder_games(pool: AgentPool, request: GamesRequest, deadline: Deadline) -> dict[str, Any]:
    """Return the games of two nets."""
    found = _found(pool)
    nets, games = found.games(request.nets)
    return {
        "game": {"name": found.game.name, "params": found.game.params},
        "players": found.game.player_names,
        "nets": nets,
        "games": [each.model_dump() for each in games],
    }


def add_net(pool: AgentPool, request: AddNetRequest, deadline: Deadline) -> dict[str, Any]:
    """Add a net to the ladder; return its name there."""
    return {"name": _found(pool).add(request.name, request.file, deadline.client)}


def _found(pool: AgentPool) -> Ladder:
    if pool.ladder is None:
        raise RequestError("this server has no ladder: start it with --ladder DIR")
    return pool.ladder
