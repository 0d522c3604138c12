"""Plays with the course's own client file, unmodified, from a folder of the user.

A subclass of its class with our hooks plays in this process. Names injected into its module, and
arguments of its class, adapt it:

- ``exit()``, which also closes the standard input, becomes ``sys.exit``, caught here: the usual
  end after a score, else an error that quotes the client's last printed line.
- Generation 1 opens ``server.crt`` in the working directory, in its constructor, so it runs in a
  temporary one with a copy. Its port is always 33000, so its socket is redirected.
- ``input`` and ``getpass`` become ``Answers``; prints go to the log.
- It has no time limits. All sockets made while it plays get one; in the league from the start of
  the series on, as an opponent may take hours to arrive.
- Generation 2 reads the token and the choice of an attempt from the environment, and may log the
  token. Both are passed as arguments.
- It trusts the server. Values are checked here, and a failure becomes one line.
"""

from __future__ import annotations

import collections
import contextlib
import inspect
import logging
import pprint
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Literal

from base.params import OHTParams
from oht_client import transport
from oht_client.answers import Answers, SessionOptions, one_line
from oht_client.transport import Server
from online import messages
from online.errors import TournamentError
from online.player import TournamentPlayer

_NAMES = {1: "BasicClientActorAbs", 2: "ActorClient"}  # the class of the client, by generation

# The first generation's client parses an empty text, or a notice, as a state.
_CUT_WORDS = ("SyntaxError", "OSError: Received empty string", "ConnectionResetError")
_CUT_MEANS = "so it ends when the server leaves, for instance as a move came too late"

_logger = logging.getLogger(__name__)


class OfficialClientError(ValueError):
    """The course's own client is missing, or cannot do what the parameters require."""


def load(folder: Path, protocol: Literal[1, 2]) -> ModuleType:
    """Import the course's module, or raise an ``OfficialClientError``; write nothing beside it."""
    name = _NAMES[protocol]
    file = folder.resolve() / f"{name}.py"
    if not file.is_file():
        raise OfficialClientError(f"{file}: expected the course's client there, got no such file")
    module = ModuleType(name)
    module.__file__ = str(file)
    try:
        exec(compile(file.read_bytes(), file, "exec"), vars(module))
    except (Exception, SystemExit) as error:
        raise OfficialClientError(f"{file}: cannot be imported: {_in_words(error)}") from error
    if not isinstance(getattr(module, name, None), type):
        raise OfficialClientError(f"{file}: expected a class {name}, got none")
    return module


def play(
    module: ModuleType,
    oht: OHTParams,
    server: Server,
    player: TournamentPlayer,
    options: SessionOptions,
) -> float | None:
    """Play one tournament with the course's client, see ``client.Play``; connect only once."""
    checked, answers = _Checked(player), options.answers
    printed = _redirect(module, answers)
    hooks = {f"handle_{hook}": staticmethod(partial(checked, hook)) for hook in messages.HOOKS}
    actor_class = type("Actor", (getattr(module, _NAMES[oht.protocol]),), hooks)
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(None if oht.mode == "league" else options.silence_limit)
    try:
        if oht.protocol == 1:
            _play_first_generation(actor_class, server)
        else:
            _play_second_generation(actor_class, oht.mode, server, checked, options)
            checked.is_over = True  # it returns only after a whole session
    except SystemExit:
        pass
    except Exception as error:
        if error is checked.fault or isinstance(error, TournamentError):
            raise
        if isinstance(error, TimeoutError) and error.errno is None:
            raise TournamentError(transport.silence(options.silence_limit)) from error
        words = answers.redacted(_in_words(error))
        meaning = f" ({_CUT_MEANS})" if words.startswith(_CUT_WORDS) else ""
        raise TournamentError(f"the course's client broke down: {words}{meaning}") from error
    finally:
        socket.setdefaulttimeout(before)
    if not checked.is_over:
        ended, words = "the course's client ended before a tournament", "".join(printed) or "none"
        why = "wrong user name or password, or no attempts left?"
        raise TournamentError(f"{ended}: {why} Its last words: {words}")
    return checked.score


def _play_first_generation(actor_class: Any, server: Server) -> None:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(server.certificate, Path(folder, "server.crt"))
        with contextlib.chdir(folder):
            actor = actor_class(server.host, verbose=False)
    connect = actor.ssl_sock.connect
    actor.ssl_sock.connect = lambda address: connect((address[0], server.port))
    try:
        actor.connect_to_server()
    finally:
        actor.ssl_sock.close()


def _play_second_generation(
    actor_class: Any, mode: str, server: Server, player: _Checked, options: SessionOptions
) -> None:
    login = {"auth": None, "echo": False, "qualify": None, "cert": str(server.certificate)}
    ports = {"port": server.port, "league_port": server.port}
    actor = actor_class(host=server.host, **ports, **login)
    actor.logger = logging.Logger("ActorClient", logging.INFO)

    def tell(record: logging.LogRecord) -> bool:
        options.tell(options.answers.redacted(one_line(record.getMessage())))
        return False  # no other handler gets it

    actor.logger.addFilter(tell)
    player.on_series = lambda: actor.sock.settimeout(options.silence_limit)
    actor.run(mode)


def _redirect(module: ModuleType, answers: Answers) -> Sequence[str]:
    """Replace some names in the module; return a sequence that keeps its last printed line."""
    printed: collections.deque[str] = collections.deque(maxlen=1)

    def show(*values: object, **options: object) -> None:
        line = answers.redacted(one_line(" ".join(map(str, values))))
        printed.append(line)
        _logger.info("the course's client: %s", line)

    def ask(prompt: object = "", stream: object = None) -> str:
        return answers.ask(str(prompt))

    vars(module).update(
        exit=sys.exit,
        input=ask,
        print=show,
        getpass=SimpleNamespace(getpass=ask),
        pprint=SimpleNamespace(pprint=show, pformat=pprint.pformat),
    )
    return printed


def _in_words(error: BaseException) -> str:
    text = one_line(str(error))
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


class _Checked:
    """Passes checked calls of the course's client to a player; ``fault`` is an error of either."""

    def __init__(self, player: TournamentPlayer) -> None:
        self.score: float | None = None
        self.is_over = False
        self.fault: Exception | None = None
        self.on_series: Callable[[], object] = lambda: None
        self._player = player

    def __call__(self, hook: str, *values: Any, **named: Any) -> Any:
        try:
            handle = getattr(self._player, f"handle_{hook}")
            given = [*inspect.signature(handle).bind(*values, **named).arguments.values()]
            if hook == "series_start":
                self.on_series()
                del given[1]  # the series id, which is looked up again
            content = dict(zip(messages.HOOKS[hook], given, strict=True))
            arguments = messages.hook_arguments(hook, content)
            self.score = arguments.get("score", self.score)
            self.is_over |= hook in ("tournament_over", "illegal_action")
            return handle(*arguments.values())
        except Exception as error:
            self.fault = error
            raise
