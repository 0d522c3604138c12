"""A server over real TLS that runs a test's script for each client, and a player."""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from base.params import OHTParams
from oht_client.answers import Answers, SessionOptions
from oht_client.client import find_client
from oht_client.transport import Server
from tests.project import TIMEOUT
from tournaments.player import TournamentPlayer


class Peer:
    """A client, as its server sees it."""

    def __init__(self, sock: ssl.SSLSocket) -> None:
        self.sock = sock

    def send(self, *texts: str | bytes) -> None:
        """Send each text in one packet."""
        for text in texts:
            self.sock.sendall(text if isinstance(text, bytes) else text.encode())

    def send_json(self, *messages: object) -> None:
        """Send each message in one frame and one packet."""
        for message in messages:
            self.send(frame(message))

    def receive(self) -> bytes:
        """Return the next packet; nothing once the client has left."""
        return self.sock.recv(4096)

    def receive_json(self) -> Any:
        """Return the message in the next packet, which must be exactly one frame."""
        packet = self.receive()
        (length,) = struct.unpack("<i", packet[:4])
        assert length == len(packet) - 4
        return json.loads(packet[4:])

    def receive_json_in_two_packets(self) -> Any:
        """Return a message of the course's client, whose length comes in a packet of its own."""
        (length,) = struct.unpack("<i", self.receive())
        body = self.receive()
        assert length == len(body)
        return json.loads(body)

    def wait_until_left(self) -> None:
        """Send nothing until the client leaves."""
        with contextlib.suppress(OSError):
            while self.receive():
                pass

    def close_tls(self) -> None:
        """End the connection with TLS's close_notify; few clients reply."""
        with contextlib.suppress(OSError):
            self.sock.unwrap()

    def cut(self) -> None:
        """Reset the connection, without close_notify or FIN."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()


Script = Callable[[Peer], None]


def frame(message: object) -> bytes:
    """Return a message of the second generation."""
    body = json.dumps(message).encode()
    return struct.pack("<i", len(body)) + body


def scripted(
    dialogue: Sequence[tuple[Sequence[Any], object]],
    raw: Callable[[Any], bytes],
    reply: Callable[[Peer], object],
) -> Script:
    """Return the script of a dialogue: messages, one in a packet, and the reply, if any."""

    def script(peer: Peer) -> None:
        for messages, answer in dialogue:
            peer.send(*map(raw, messages))
            assert answer is None or reply(peer) == answer

    return script


@contextlib.contextmanager
def listening(serve: Callable[[socket.socket], None], port: int = 0) -> Iterator[int]:
    """Listen on a port, which is yielded; an error in ``serve`` fails the test."""
    faults: list[BaseException] = []
    with socket.create_server(("127.0.0.1", port)) as listener:

        def accept() -> None:
            while True:
                try:
                    plain, _ = listener.accept()
                except OSError:
                    return  # the test is over
                try:
                    with plain:
                        plain.settimeout(TIMEOUT)
                        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                        serve(plain)
                except BaseException as fault:
                    faults.append(fault)

        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
    if faults:
        raise faults[0]


@contextlib.contextmanager
def scripted_server(
    certificates: tuple[Path, Path], script: Script, port: int = 0
) -> Iterator[int]:
    """Run the script for each client in turn."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificates)

    def serve(plain: socket.socket) -> None:
        try:
            sock = context.wrap_socket(plain, server_side=True)
        except OSError:
            return  # a client that does not trust this server
        with sock:
            script(Peer(sock))

    with listening(serve, port) as port:
        yield port


def first_free_cell(state: Sequence[int]) -> tuple[int, int]:
    """Return the first empty cell."""
    row, column = divmod(list(state[1:]).index(0), int((len(state) - 1) ** 0.5))
    return row, column


def play_with(
    protocol: Literal[1, 2],
    server: Server,
    player: TournamentPlayer,
    options: SessionOptions,
    mode: Any = "qualifiers",
) -> float | None:
    """Play with our own client."""
    return find_client(OHTParams(protocol=protocol, mode=mode), server)(player, options)


class Recorder(TournamentPlayer):
    """A player that keeps all calls and takes the first free cell.

    Attributes:
        calls: The name of each hook, then its arguments.
        choose: What chooses moves.
    """

    def __init__(self, choose: Callable[[Sequence[int]], Any] = first_free_cell) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.choose = choose

    def handle_series_start(
        self,
        unique_id: int,
        series_id: int,
        player_map: Sequence[Sequence[int]],
        num_games: int,
        game_params: Sequence[int],
    ) -> None:
        given = unique_id, series_id, player_map, num_games, game_params
        self.calls.append(("series_start", *given))

    def handle_game_start(self, start_player: int) -> None:
        self.calls.append(("game_start", start_player))

    def handle_get_action(self, state: Sequence[int]) -> tuple[int, int]:
        self.calls.append(("get_action", state))
        answer: tuple[int, int] = self.choose(state)
        return answer

    def handle_game_over(self, winner: int, end_state: Sequence[int]) -> None:
        self.calls.append(("game_over", winner, end_state))

    def handle_series_over(self, stats: Sequence[Sequence[int]]) -> None:
        self.calls.append(("series_over", stats))

    def handle_tournament_over(self, score: float) -> None:
        self.calls.append(("tournament_over", score))

    def handle_illegal_action(self, state: Sequence[int], illegal_action: object) -> None:
        self.calls.append(("illegal_action", state, illegal_action))


def no_prompt_expected(prompt: str) -> str:
    """Fail: this test expects no prompt."""
    raise AssertionError(f"expected no prompt, got {prompt!r}")


def session_options(
    ask: Callable[[str], str] = no_prompt_expected,
    ask_secret: Callable[[str], str] = no_prompt_expected,
    known: Mapping[str, str] | None = None,
    **given: Any,
) -> SessionOptions:
    """Return the options of a session with the time limit of tests."""
    return SessionOptions(Answers(known, ask, ask_secret), **{"silence_limit": TIMEOUT, **given})
