"""``oht --check``: check that a tournament would work, without a log-in."""

from __future__ import annotations

import contextlib
import socket
import ssl
from collections.abc import Callable
from functools import partial
from pathlib import Path

from base.params import Params
from base.storage import printable
from commands.exits import exit_status, words_of
from oht_client import official, transport
from oht_client.errors import OHTError
from oht_client.lineup import Lineup
from oht_client.transport import Server

_MOST_MOVES = 10
"""Number of timed moves of a game: the first ones, which are the slowest."""


def check(params: Params, server: Server, net: Path | None) -> int:
    """Print the result of each check; return 0 if all pass, else 1."""
    with contextlib.ExitStack() as stack:
        checks = _Checks(params, server, stack)
        steps: dict[str, tuple[Callable[[], str], set[str]]] = {
            "agent": (partial(checks.make_agent, net), set()),
            "certificate": (checks.read_certificate, set()),
            "client": (checks.load_client, set()),
            "address": (checks.resolve, set()),
            "port": (checks.open_port, {"address"}),
            "server": (checks.shake_hands, {"port", "certificate"}),
            "moves": (checks.play, {"agent"}),
        }
        if params.oht.official_client is None:
            del steps["client"]
        passed: set[str] = set()
        for name, (step, needed) in steps.items():
            if not needed <= passed:
                _print("-", name, "not tried")
                continue
            try:
                _print("ok", name, step())
                passed.add(name)
            except Exception as error:
                if isinstance(error, OSError | UnicodeError):  # an error of the network
                    _print("FAILED", name, f"{server}: {transport.reason_of(error)}")
                elif exit_status(error) is not None:
                    _print("FAILED", name, words_of(error))
                else:
                    raise
    return 0 if passed == set(steps) else 1


class _Checks:
    """The checks; each returns its result, and keeps it for later checks.

    All share one connection, which the server sees as a probe.
    """

    def __init__(self, params: Params, server: Server, stack: contextlib.ExitStack) -> None:
        self._params, self._server, self._stack = params, server, stack

    def make_agent(self, net: Path | None) -> str:
        self._lineup = Lineup(self._params, net)
        return self._lineup.note or f"{self._lineup.expected.name} is there"

    def read_certificate(self) -> str:
        self._context: ssl.SSLContext = transport.trust(self._server.certificate)
        return f"{self._server.certificate} is there"

    def load_client(self) -> str:
        oht = self._params.oht
        module = official.load(Path(oht.official_client or ""), oht.protocol)
        return f"{module.__file__} is the course's"

    def resolve(self) -> str:
        self._address = socket.gethostbyname(self._server.host)
        return f"{self._server.host} is {self._address}"

    def open_port(self) -> str:
        plain = transport.open_port(self._address, self._server.port)
        self._plain = self._stack.enter_context(plain)
        return f"{self._server.port} is open"

    def shake_hands(self) -> str:
        tls = transport.begin_tls(self._plain, self._context, str(self._server))
        self._stack.enter_context(tls)
        expiry = (tls.getpeercert() or {}).get("notAfter")
        return f"TLS with this certificate, valid until {expiry}"

    def play(self) -> str:
        """Warm up, then play the beginning of a game; raise an ``OHTError`` if a move fails."""
        seat, limit = self._lineup.expected, self._params.oht.seconds_per_move
        _print("...", "moves", f"{seat.name} plays to warm up")
        self._lineup.warm_up()
        state = seat.game.initial_state(1)
        worst, faults, moves = 0.0, [], 0
        while moves < _MOST_MOVES and not seat.game.is_final(state):
            move = seat.agent.choose_action(state)
            state, moves = seat.game.child_state(state, move.action), moves + 1
            worst = max(worst, move.seconds)
            faults += [move.fault] if move.fault else []
        size = seat.game.board_shape[0]
        measured = f"{seat.name} on {size}x{size}: at worst {worst:.2f} s of {limit:g} s"
        if worst > limit or faults:
            raise OHTError(f"{measured}, {faults[0] if faults else 'that is too late'}")
        return f"{measured}, in {moves} moves"


def _print(outcome: str, name: str, text: str) -> None:
    print(f"{outcome:<7} {name:<12} {printable(text, 500)}", flush=True)
