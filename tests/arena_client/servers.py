"""Servers for the arena's client: a line in memory, and a relay that can be cut."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from arena_client.connection import read_slots
from tests.project import wait_until
from tournaments.errors import ConnectionEndedError

Message = tuple[str, Mapping[str, Any]]


class Line:
    """A connection in memory to a server that plays a script, then closes the connection.

    Attributes:
        moves: What the client has sent.
    """

    def __init__(self, script: Script) -> None:
        self.moves: list[Mapping[str, Any]] = []
        self._messages = script(self)

    def receive(self) -> Message:
        if (message := next(self._messages, None)) is None:
            raise ConnectionEndedError("the server closed the connection")
        return message

    def send(self, kind: str, payload: Mapping[str, Any]) -> None:
        assert kind == "move"
        self.moves.append(payload)

    def close(self) -> None:
        pass


Script = Callable[[Line], Iterator[Message]]
"""The messages of a server; it goes on once the client has answered a message."""


def wait_for(server: str, size: int) -> None:
    """Wait until a player waits on a board."""
    wait_until(
        lambda: any(
            (slot.state, slot.board_size) == ("waiting", size) for slot in read_slots(server)
        )
    )


class Relay:
    """Passes connections on to a server, until they are cut."""

    def __init__(self, address: str) -> None:
        host, _, port = address.rpartition("/")[2].partition(":")
        self._target = host, int(port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"ws://127.0.0.1:{self._listener.getsockname()[1]}"
        self._sockets: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._start(self._accept)

    def cut(self) -> None:
        """Cut all connections; new ones are passed on as before."""
        for end in self._sockets:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Cut all connections, and take no others."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self.cut()
        for thread in self._threads:
            thread.join()
        for end in (self._listener, *self._sockets):
            end.close()

    def _start(self, call: Callable[..., None], *ends: socket.socket) -> None:
        self._threads.append(threading.Thread(target=call, args=ends))
        self._threads[-1].start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(self._target)
                self._sockets += [near, far]
                self._start(self._pass_on, near, far)
                self._start(self._pass_on, far, near)

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(4096):
                other.sendall(data)
        with contextlib.suppress(OSError):
            other.shutdown(socket.SHUT_RDWR)
