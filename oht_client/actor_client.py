"""The client of the server's second generation: frames of JSON, and hooks called by keyword.

Its interface is that of the file that the course hands out, environment variables included. It is
better in this: it never waits for ever, sends each message at once, checks what it gets, and keeps
the token out of every log.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pprint
import ssl
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from base.storage import excerpt
from oht_client import messages, transport
from oht_client.answers import NO, YES, SessionOptions
from oht_client.basic_client_actor import PlayerHooks
from oht_client.basic_client_actor_abs import plain_coordinates
from oht_client.errors import OHTError
from oht_client.hooks import LoggingHooks
from oht_client.json_frames import framed, receive_message
from oht_client.messages import field

_LEAGUE_PORT = "IT3105_LeAGUE_PORT"  # spelled so in the course's client

# Read once, as the course's client does.
DEFAULT_HOST = os.environ.get("IT3105_HOST", "it3105.idi.ntnu.no")
DEFAULT_PORT = os.environ.get("IT3105_PORT", "33000")
DEFAULT_CERT = os.environ.get("IT3105_CERT", str(Path(__file__).resolve().with_name("server.crt")))
DEFAULT_AUTH = os.environ.get("IT3105_AUTH")
DEFAULT_ECHO = os.environ.get("IT3105_ECHO", "0")
DEFAULT_QUALIFY = os.environ.get("IT3105_QUALIFY")
DEFAULT_API_PORT = os.environ.get("IT3105_API_PORT", "32000")
DEFAULT_LEAGUE_PORT = os.environ.get(_LEAGUE_PORT, "30000")

_LEVELS = {"INFO": logging.INFO, "WARNING": logging.WARNING, "ERROR": logging.ERROR}


class ActorClient(LoggingHooks):
    """Connects to the server and plays a session by calling hooks, all of them optional.

    Attributes:
        answers: Answers to the server's questions by their ids; ``None`` to ask a person.
        logger: What happens; also the server's own messages.
    """

    class Error(OHTError):
        """The server has ended the session and said why, or an answer was neither yes nor no."""

    def __init__(
        self,
        host: str = DEFAULT_HOST,
        port: int | str = DEFAULT_PORT,
        cert: str = DEFAULT_CERT,
        auth: str | None = DEFAULT_AUTH,
        echo: bool | str = DEFAULT_ECHO,
        qualify: bool | str | None = DEFAULT_QUALIFY,
        api_port: int | str = DEFAULT_API_PORT,
        league_port: int | str = DEFAULT_LEAGUE_PORT,
        log_fmt: str | None = None,
        *,
        options: SessionOptions | None = None,
    ) -> None:
        """Prepare a session; nothing is opened yet.

        Args:
            host: The server's name or IPv4 address.
            port: Its port for qualifiers.
            cert: File with its certificate.
            auth: The personal token; a person is asked for it if there is none.
            echo: Whether to log all traffic, but never the token.
            qualify: Answer to the question whether to spend an attempt; ``None`` to ask a person.
            api_port: The port of its HTTPS interface, which this client does not use.
            league_port: Its port for the league.
            log_fmt: Format of the log's lines.
            options: How to log in, wait and report.
        """
        self.host = host
        self.port = port
        self.cert = cert
        self.auth = auth
        self.echo = echo
        self.api_port = api_port
        self.league_port = league_port
        self.log_fmt = log_fmt
        self.answers: dict[str, bool | str | None] = {"qualify": qualify}
        self._options = options or SessionOptions()
        if auth:
            self._options.answers.hide(auth)
        self._connection: transport.Connection | None = None
        self._league = False
        self._score: float | None = None
        self._may_end = False
        self.logger = self.create_logger()

    def run(self, mode: str = "qualifiers") -> float | None:
        """Play one session.

        Args:
            mode: ``qualifiers``, against the server's players, or ``league``: one series against
                another client, who may have to be waited for.

        Returns:
            The score, the percentage of games won; ``None`` if the server told none.

        Raises:
            ActorClient.Error: The server has ended the session and said why.
            OHTError: It did not come to the end of the session.
            ValueError: There is no such mode.
        """
        ports = {"qualifiers": self.port, "league": self.league_port}
        if mode not in ports:
            raise ValueError(f"expected mode qualifiers or league, got {mode!r}")
        self._league, self._score, self._may_end = mode == "league", None, False
        with self.connect(self.host, ports[mode]):
            try:
                while self.handle(self.recv()):
                    pass
            except OHTError as error:
                if not self._may_end:
                    raise
                self.logger.warning("All games are over, but %s", error)
        return self._score

    def handle(self, msg: Mapping[str, object]) -> bool:
        """React to a message; return whether the session goes on.

        Raises:
            OHTError: The message is none that a server sends.
        """
        match msg.get("topic"):
            case "message":
                self.handle_message(message=str(field(msg, "message")), level=str(msg.get("level")))
            case "authentication":
                self.logger.info("Authenticating...")
                self.send(self.auth or self._options.answers.ask("Enter API token: "))
                if self._league:
                    self.logger.info("Waiting for an opponent, as long as it takes")
                    self._connected.silence_limit = None
            case "question":
                question, prompt = str(field(msg, "question")), str(field(msg, "prompt"))
                self.send(self.handle_question(question=question, prompt=prompt))
            case "request_action":
                arguments = messages.hook_arguments("get_action", msg)
                self.send(plain_coordinates(self.handle_get_action(**arguments)))
            case "series_start" | "game_start" | "game_over" | "series_over" | "tournament_over":
                self._call_hook(str(msg["topic"]), msg)
            case "finish":
                self.logger.info("Connection closed")
                return False
            case "error":
                self.handle_error(error=str(field(msg, "error")))
            case _:
                messages.unexpected("a message with a known topic", msg)
        return True

    @property
    def sock(self) -> ssl.SSLSocket:
        """The socket of the session.

        Raises:
            RuntimeError: There is no connection.
        """
        return self._connected.tls_socket

    def create_logger(self) -> logging.Logger:
        """Return a logger of this client's own, which keeps the token to itself."""
        level = logging.DEBUG if str(self.echo).lower() in YES else logging.INFO
        return self._options.answers.logger(self._options.tell, level, self.log_fmt)

    @contextlib.contextmanager
    def connect(self, host: str, port: int | str) -> Iterator[ssl.SSLSocket]:
        """Open a connection, and close it in all cases.

        Raises:
            OHTError: There is no connection to be had.
        """
        context = transport.trust(self.cert)
        self.logger.info("Connecting to %s:%s", host, port)
        connection = transport.connect(
            host,
            port,
            context,
            attempts=self._options.connect_attempts,
            silence_limit=self._options.silence_limit,
            tell=self.logger.warning,
        )
        with contextlib.closing(connection):
            self._connection = connection
            try:
                self.logger.debug(pprint.pformat(connection.tls_socket.getpeercert()))
                self.logger.debug(connection.tls_socket.cipher())
                yield connection.tls_socket
            finally:
                self._connection = None

    def recv(self) -> Mapping[str, object]:
        """Return the next message.

        Raises:
            OHTError: There is none, or it is no JSON object.
        """
        message = receive_message(self._connected)
        self.logger.debug("Received: %s", message)
        return message

    def send(self, msg: object) -> None:
        """Send an answer, any JSON value."""
        self.logger.debug("Sending: %s", msg)
        self._connected.send(framed(msg))

    def handle_question(self, question: str, prompt: str) -> bool:
        """Answer a question with yes or no.

        Raises:
            ActorClient.Error: The answer was neither.
        """
        canned = self.answers.get(question)
        if canned is None:
            # Whoever answers by keyword finds it, however the server words its question.
            words = prompt if question in prompt.lower() else f"{question}: {prompt}"
            answer = self._options.answers.ask(f"{words} [y/n] ")
        else:
            self.logger.info("Using default answer: %s=%s", question, canned)
            answer = str(canned)
        word = answer.strip().lower()
        if word not in YES | NO:
            raise self.Error(f"expected yes or no to {excerpt(prompt)}, got {answer!r}")
        return word in YES

    def handle_message(self, message: str, level: str) -> None:
        """Log what the server says."""
        self.logger.log(_LEVELS.get(level, logging.INFO), "%s", messages.printable(message))

    def handle_error(self, error: str) -> None:
        """End the session, as the server has done.

        Raises:
            ActorClient.Error: Always.
        """
        reason = self._options.answers.redacted(messages.printable(error))
        raise self.Error(f"the server ended the session: {reason}")

    @property
    def _connected(self) -> transport.Connection:
        if self._connection is None:
            raise RuntimeError("expected a connection; run makes one")
        return self._connection

    def _call_hook(self, hook: str, content: Mapping[str, object]) -> None:
        """Call a hook; note whether the session may end after it."""
        arguments: dict[str, Any] = messages.hook_arguments(hook, content)
        if hook == "series_start":
            self._may_end = False
            self._connected.silence_limit = self._options.silence_limit
        self._score = arguments.get("score", self._score)
        getattr(self, f"handle_{hook}")(**arguments)
        if hook in ("series_over", "tournament_over"):
            self._may_end = self._league or hook == "tournament_over"


class HexActorClient(PlayerHooks, ActorClient):
    """Our player in tournaments of the second generation, and in its league."""
