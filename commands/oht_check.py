"""``oht --check``: would a tournament work? Nobody is logged on to find out."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from oht_client.errors import OfficialClientError, OHTError

if TYPE_CHECKING:
    from base.params import OHTParams
    from oht_client import Lineup, Server
    from oht_client.timed_agent import TimedMove

MOST_MOVES = 10
"""How many moves of a game are measured: the first ones, which are the slowest."""

_SECONDS = 10.0


def check(oht: OHTParams, server: Server, lineup: Lineup) -> int:
    """Say line by line what fits and what does not; return 0 if all fits, else 1."""
    fits = _check_server(server)
    if oht.official_client is not None:
        fits &= _step("client", lambda: _load(oht))
    _say("...", "moves", f"{lineup.expected.name} plays to warm up")
    fits &= _step("moves", lambda: _worst_move(lineup, oht.seconds_per_move))
    return 0 if fits else 1


def _check_server(server: Server) -> bool:
    """Check that the server is there, and that it is the one that is meant."""
    found: list[str] = []

    def resolve() -> str:
        found.append(socket.gethostbyname(server.host))
        return f"{server.host} is {found[0]}"

    def open_port() -> str:
        socket.create_connection((found[0], server.port), _SECONDS).close()
        return f"{server.port} is open"

    def shake_hands() -> str:
        return f"TLS, and {server.certificate} is the server's, valid until {_expiry(server)}"

    steps = iter((("address", resolve), ("port", open_port), ("certificate", shake_hands)))
    reached = all(_step(name, look) for name, look in steps)
    for name, _ in steps:
        _say("-", name, "not tried")
    return reached


def _expiry(server: Server) -> object:
    """Begin TLS and leave; return when the certificate ends.

    Raises:
        OHTError: There is no TLS, or the certificate is another one.
    """
    from oht_client import transport

    context = transport.trust(server.certificate)
    with transport.connect(server.host, server.port, context, tell=lambda text: None) as connection:
        return (connection.tls_socket.getpeercert() or {}).get("notAfter")


def _load(oht: OHTParams) -> str:
    from oht_client import official

    return (
        f"{official.load(Path(oht.official_client or ''), oht.protocol).__file__} is the course's"
    )


def _worst_move(lineup: Lineup, limit: float) -> str:
    """Warm up, then play the beginning of a game against itself; return how long moves took.

    Raises:
        OHTError: A move was late, or the agent failed.
    """
    lineup.warm_up()
    seat = lineup.expected
    state = seat.game.initial_state(1)
    moves: list[TimedMove] = []
    while len(moves) < MOST_MOVES and not seat.game.is_final(state):
        moves.append(seat.agent.choose_action(state))
        state = seat.game.child_state(state, moves[-1].action)
    worst = max(move.seconds for move in moves)
    size = seat.game.board_shape[0]
    measured = f"{seat.name} on {size}x{size}: at worst {worst:.2f} s of {limit:g} s"
    faults = [move.fault for move in moves if move.fault]
    if worst > limit or faults:
        raise OHTError(f"{measured}, {faults[0] if faults else 'that is too late'}")
    return f"{measured}, in {len(moves)} moves"


def _step(name: str, look: Callable[[], str]) -> bool:
    """Take a step and say how it went."""
    try:
        finding = look()
    except (OSError, UnicodeError, OfficialClientError, OHTError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        _say("FAILED", name, reason or str(error))
        return False
    _say("ok", name, finding)
    return True


def _say(outcome: str, name: str, text: str) -> None:
    print(f"{outcome:<7} {name:<12} {text}", flush=True)
