"""The client of the server's first generation, without the seven methods that play.

Its interface is that of the file that the course hands out. It is better in this: it never waits
for ever, takes messages that come in pieces or together, ends in one clear line where something
goes wrong, and returns where that file calls ``exit()``.
"""

from __future__ import annotations

import abc
import logging
import operator
import socket
import ssl
from collections.abc import Sequence

from base.storage import excerpt
from oht_client import messages, transport
from oht_client.answers import SessionOptions, keyword_of
from oht_client.errors import OHTError
from oht_client.hooks import random_cell
from oht_client.text_reader import TextReader

_logger = logging.getLogger(__name__)

DEFAULT_IP_ADDRESS = "129.241.113.109"
DEFAULT_PORT = 33000

_LONGEST_ANSWER = 1024


class BasicClientActorAbs(abc.ABC):
    """Connects to the server, logs in, and plays a tournament by calling seven methods.

    Attributes:
        verbose: Whether every message is shown.
        IP_address: The server's address or name.
        series_id: Which player we are in the current series, 1 or 2; -1 before the first.
        s: The socket; ``None`` while there is no connection.
        ssl_sock: The same socket, encrypted.
    """

    def __init__(
        self,
        IP_address: str | None = None,
        verbose: bool = True,
        *,
        port: int = DEFAULT_PORT,
        certificate: str = "server.crt",
        options: SessionOptions | None = None,
    ) -> None:
        """Prepare a connection.

        Args:
            IP_address: Name or IPv4 address; the course's own server if ``None``.
            verbose: Whether to show every message.
            port: The server's port; the course's has 33000.
            certificate: File with the server's certificate.
            options: How to log in, wait and report.

        Raises:
            OHTError: The certificate cannot be read.
        """
        self.verbose = verbose
        self.IP_address = DEFAULT_IP_ADDRESS if IP_address is None else IP_address
        self.series_id = -1
        self.s: socket.socket | None = None
        self.ssl_sock: ssl.SSLSocket | None = None
        self._port = port
        self._context = transport.trust(certificate)
        self._options = options or SessionOptions()
        self._tell = self._options.tell or _logger.info
        self._connection: transport.Connection | None = None
        self._reader: TextReader | None = None

    def connect_to_server(self) -> float | None:
        """Connect, log in, and play one tournament.

        Returns:
            The score, the percentage of games won; ``None`` if the server refused a move.

        Raises:
            OHTError: It did not come to the end of the tournament.
        """
        self._tell(f"Connecting to {self.IP_address}:{self._port}")
        self._connection = transport.connect(
            self.IP_address,
            self._port,
            self._context,
            attempts=self._options.connect_attempts,
            silence_limit=self._options.silence_limit,
            tell=self._tell,
        )
        try:
            self.s = self.ssl_sock = self._connection.tls_socket
            self._reader = TextReader(self._connection)
            self._log_in(self._reader)
            return self.play_tournament()
        finally:
            self.disconnect_from_server()

    def disconnect_from_server(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
        self.s = self.ssl_sock = self._connection = self._reader = None

    def play_tournament(self) -> float | None:
        """Play a tournament, once logged in; see ``connect_to_server``."""
        reader = self._reader
        if reader is None:
            raise OHTError("expected a connection; connect_to_server makes one")
        reader.skip_to_series()
        while True:
            message = reader.message()
            arguments = messages.hook_arguments(message.hook, message.content)
            self.show_state(message.shown)
            self.series_id = arguments.get("series_id", self.series_id)
            answer = getattr(self, f"handle_{message.hook}")(*arguments.values())
            if message.hook == "get_action":
                self._send(str(plain_coordinates(answer)))
            elif message.hook in ("tournament_over", "illegal_action"):
                return arguments.get("score")

    def show_state(self, state: object) -> None:
        """Show a message, a state or a command word, if ``verbose``."""
        if self.verbose:
            self._tell(str(state))

    def pick_random_free_cell(self, state: Sequence[int], size: int) -> tuple[int, int]:
        """Return the row and the column of any empty cell of a board of ``size`` a side."""
        return random_cell(state, size)

    def _log_in(self, reader: TextReader) -> None:
        """Answer the server's questions until it says welcome."""
        while True:
            text = reader.prompt()
            match keyword_of(text):
                case "Welcome":
                    self._tell(messages.printable(text))
                    return
                case "username" | "password" | "player-name" | "qualify" | "stress":
                    self._send(self._options.answers.ask(text))
                case "Invalid credentials" | "Sorry" | "no stress":
                    raise OHTError(f"the server lets nobody play: {excerpt(text)}")
                case _:
                    other = " (protocol 2?)" if '"topic"' in text else ""
                    messages.unexpected(f"a question or a welcome of protocol 1{other}", text)

    def _send(self, answer: str) -> None:
        message = answer.encode(errors="replace")
        if len(message) > _LONGEST_ANSWER:
            raise OHTError(f"expected an answer of at most {_LONGEST_ANSWER} bytes")
        assert self._connection is not None
        self._connection.send(message)

    @abc.abstractmethod
    def handle_series_start(
        self,
        unique_id: int,
        series_id: int,
        player_map: Sequence[Sequence[int]],
        num_games: int,
        game_params: Sequence[int],
    ) -> None:
        """A series starts; see ``BasicClientActor``, as for all methods below."""

    @abc.abstractmethod
    def handle_game_start(self, start_player: int) -> None:
        """A game starts."""

    @abc.abstractmethod
    def handle_game_over(self, winner: int, end_state: Sequence[int]) -> None:
        """A game has ended."""

    @abc.abstractmethod
    def handle_series_over(self, stats: Sequence[Sequence[int]]) -> None:
        """A series has ended."""

    @abc.abstractmethod
    def handle_tournament_over(self, score: float) -> None:
        """The tournament has ended."""

    @abc.abstractmethod
    def handle_illegal_action(self, state: Sequence[int], illegal_action: object) -> None:
        """The server refused a move."""

    @abc.abstractmethod
    def handle_get_action(self, state: Sequence[int]) -> tuple[int, int]:
        """Return a move."""


def plain_coordinates(answer: Sequence[int]) -> tuple[int, int]:
    """Return a row and a column as integers of Python's own; NumPy's print in another way.

    Raises:
        TypeError: They are not two integers.
    """
    if len(answer) != 2:
        raise TypeError(f"expected (row, column) to play, got {answer!r}")
    return operator.index(answer[0]), operator.index(answer[1])
