"""``oht``: play the Online Hex Tournament."""

import argparse
import contextlib
import json
import os
import socket
import ssl
from collections.abc import Callable
from functools import partial
from pathlib import Path

from base.params import Params
from base.storage import printable
from cli.exits import UsageError, exit_status, words_of
from cli.outputs import RUNS
from cli.tournament_display import ended_line, tournament
from hex_mcts.system import System
from oht_client import official, transport
from oht_client.answers import Answers, SessionOptions
from oht_client.client import find_client, find_server
from oht_client.transport import Server
from online.errors import TournamentError
from online.lineup import Lineup
from online.results import Event

_MOST_MOVES = 10  # number of timed moves of a game: the first ones, which are the slowest
SERVER_FOLDER = RUNS / "oht-server"  # the folder of the certificate of ``oht-server``


def run(system: System, arguments: argparse.Namespace) -> int:
    """Log in, play, and show the result; or check whether that would work."""
    overrides = [f"oht.protocol={arguments.protocol}"] if arguments.protocol else []
    if arguments.server is not None:
        overrides.append(f"oht.server={json.dumps(arguments.server)}")  # a text, not YAML
    params = system.with_overrides(overrides).params
    oht = params.oht
    league = oht.mode == "league"
    if league and oht.protocol == 1:
        raise UsageError("oht.mode: expected qualifiers with oht.protocol 1, got league")
    server = find_server(oht, SERVER_FOLDER)
    if arguments.check:
        return _check(params, server, arguments.net)
    lineup = Lineup(params.for_games(1), arguments.net)
    client = find_client(oht, server)
    if arguments.official:
        answer = ""
        with contextlib.suppress(EOFError), ended_line():
            answer = input("This uses one of a few official attempts. Type yes to go on: ")
        if answer.strip().lower() != "yes":
            raise UsageError("no official attempt was used; --verify plays for practice")
    event = Event(str(server), oht.protocol)
    with tournament(params, lineup, event, "Online Hex Tournament", "oht") as parts:
        display, watching, player = parts
        answers = Answers(_known_answers(arguments), watching.ask, watching.ask_secret)
        options = SessionOptions(answers, display.message, oht.connect_attempts, oht.silence_limit)
        try:
            client(player, options)
            player.end("the server ended it without a score", league)
        except (KeyboardInterrupt, TournamentError) as reason:
            player.end(reason, league)
            raise
        finally:
            event.name, event.attempts_left = answers.name, answers.attempts_left
            if league:
                event.kind = "league"
            elif answers.official is not None:
                event.kind = "official" if answers.official else "verification"
    return 0 if player.is_kept and player.result.score is not None else 1


def _known_answers(arguments: argparse.Namespace) -> dict[str, str]:
    known = {"stress": "n"}
    if token := os.environ.get("IT3105_AUTH"):
        known["token"] = token
    if arguments.nickname and arguments.nickname.strip():  # a server would wait for a name
        known["player-name"] = arguments.nickname
    if arguments.official or arguments.verify:
        known["qualify"] = "Y" if arguments.official else "n"
    return known


def _check(params: Params, server: Server, net: Path | None) -> int:
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
                _print_check("-", name, "not tried")
                continue
            try:
                _print_check("ok", name, step())
                passed.add(name)
            except (OSError, UnicodeError) as error:  # of the network
                _print_check("FAILED", name, f"{server}: {transport.reason_of(error)}")
            except Exception as error:
                if exit_status(error) is None:
                    raise
                _print_check("FAILED", name, words_of(error))
    return 0 if passed == set(steps) else 1


class _Checks:
    """The checks, each with a result that later ones use; all share one connection, a probe."""

    def __init__(self, params: Params, server: Server, stack: contextlib.ExitStack) -> None:
        self._params, self._server, self._stack = params, server, stack

    def make_agent(self, net: Path | None) -> str:
        lineup = contextlib.closing(Lineup(self._params.for_games(1), net))
        self._lineup = self._stack.enter_context(lineup)
        return self._lineup.note or f"{self._lineup.expected.name} can play"

    def read_certificate(self) -> str:
        self._context: ssl.SSLContext = transport.trust(self._server)
        return f"{self._server.certificate} was read"

    def load_client(self) -> str:
        oht = self._params.oht
        module = official.load(Path(oht.official_client or ""), oht.protocol)
        return f"{module.__file__} is the course's client"

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
        seat, limit = self._lineup.expected, self._params.oht.seconds_per_move
        _print_check("...", "moves", f"{seat.name} plays to warm up")
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
            raise TournamentError(f"{measured}, {faults[0] if faults else 'that is too late'}")
        return f"{measured}, in {moves} moves"


def _print_check(outcome: str, name: str, text: str) -> None:
    print(f"{outcome:<7} {name:<12} {printable(text, 500)}", flush=True)
