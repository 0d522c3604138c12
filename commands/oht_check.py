"""``oht --check``: would a tournament work? It does not log in to find out."""

from __future__ import annotations

import contextlib
import socket
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from base.storage import printable
from commands.errors import exit_status, words_of
from oht_client.errors import OHTError

if TYPE_CHECKING:
    from base.params import Params
    from oht_client.lineup import Lineup, TimedMove
    from oht_client.transport import Server

MOST_MOVES = 10
"""How many moves of a game are measured: the first ones, which are the slowest."""


def check(params: Params, server: Server, net: Path | None) -> int:
    """Say line by line what fits and what does not; return 0 if all fits, else 1."""
    checks = _Checks(params, server, net)
    steps: dict[str, tuple[Callable[[], str], set[str]]] = {
        "agent": (checks.make_agent, set()),
        "certificate": (checks.read_certificate, set()),
        "client": (checks.load_client, set()),
        "address": (checks.resolve, set()),
        "port": (checks.open_port, {"address"}),
        "server": (checks.shake_hands, {"port", "certificate"}),
        "moves": (checks.play, {"agent"}),
    }
    if params.oht.official_client is None:
        del steps["client"]
    done: set[str] = set()
    with contextlib.closing(checks):
        for name, (look, needed) in steps.items():
            if not needed <= done:
                _say("-", name, "not tried")
            elif _step(name, look, str(server)):
                done.add(name)
    return 0 if len(done) == len(steps) else 1


class _Checks:
    """The steps; each returns what it has found, and keeps it for those that need it.

    There is one connection for all of them: to a server, we look and leave.
    """

    def __init__(self, params: Params, server: Server, net: Path | None) -> None:
        self._params, self._server, self._net = params, server, net
        self._connection: socket.socket | None = None

    def close(self) -> None:
        """Leave the server."""
        if self._connection is not None:
            self._connection.close()

    def make_agent(self) -> str:
        from oht_client.lineup import Lineup

        self._lineup = Lineup(self._params, self._net)
        return f"{self._lineup.expected.name} is there"

    def read_certificate(self) -> str:
        from oht_client import transport

        self._context: ssl.SSLContext = transport.trust(self._server.certificate)
        return f"{self._server.certificate} is there"

    def load_client(self) -> str:
        from oht_client import official

        oht = self._params.oht
        module = official.load(Path(oht.official_client or ""), oht.protocol)
        return f"{module.__file__} is the course's"

    def resolve(self) -> str:
        self._address = socket.gethostbyname(self._server.host)
        return f"{self._server.host} is {self._address}"

    def open_port(self) -> str:
        from oht_client import transport

        self._connection = transport.open_port(self._address, self._server.port)
        return f"{self._server.port} is open"

    def shake_hands(self) -> str:
        from oht_client import transport

        assert self._connection is not None
        tls = transport.begin_tls(self._connection, self._context, str(self._server))
        self._connection = tls
        expiry = (tls.getpeercert() or {}).get("notAfter")
        return f"TLS with this certificate, valid until {expiry}"

    def play(self) -> str:
        _say("...", "moves", f"{self._lineup.expected.name} plays to warm up")
        return _worst_move(self._lineup, self._params.oht.seconds_per_move)


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


def _step(name: str, look: Callable[[], str], place: str) -> bool:
    """Take a step and say how it went; where the network is at fault, at which place."""
    from oht_client.transport import reason_of

    try:
        finding = look()
    except Exception as error:
        if isinstance(error, OSError | UnicodeError):
            _say("FAILED", name, f"{place}: {reason_of(error)}")
        elif exit_status(error) is not None:
            _say("FAILED", name, words_of(error))
        else:
            raise
        return False
    _say("ok", name, finding)
    return True


def _say(outcome: str, name: str, text: str) -> None:
    print(f"{outcome:<7} {name:<12} {printable(text, 500)}", flush=True)
