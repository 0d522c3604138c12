"""Servers for the arena's client: a scripted one, and a relay that can be cut."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from tests.project import TIMEOUT, wait_until


def slots(address: str) -> list[dict[str, Any]]:
    """Return the server's own account of its slots."""
    with urllib.request.urlopen(f"{address.replace('ws', 'http', 1)}/slots") as answer:
        return list(json.loads(answer.read()))


def wait_for(server: str, size: int) -> None:
    """Wait until a player waits on a board."""
    wait_until(
        lambda: any(
            each["state"] == "waiting" and each["board_size"] == size for each in slots(server)
        )
    )


class Peer:
    """A client, as a scripted server sees it."""

    def __init__(self, socket: ServerConnection) -> None:
        self._socket = socket
        self.path = socket.request.path if socket.request is not None else ""

    def send(self, kind: str, **payload: object) -> None:
        """Send a message."""
        self._socket.send(json.dumps({"type": kind, "payload": payload}))

    def send_text(self, text: str) -> None:
        """Send any text."""
        self._socket.send(text)

    def receive(self, kind: str = "move") -> dict[str, Any]:
        """Answer pings; return the payload of the next message, which must be of this kind."""
        deadline = time.monotonic() + TIMEOUT
        while (message := json.loads(self._socket.recv(TIMEOUT)))["type"] == "ping" != kind:
            assert time.monotonic() < deadline, f"expected {kind}, got pings only"
            self.send("pong")  # this side is late
        assert message["type"] == kind, message
        return dict(message["payload"])

    def answers_a_ping(self) -> bool:
        """Return whether the client answers a ping of WebSockets."""
        return self._socket.ping().wait(TIMEOUT)

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()


@contextlib.contextmanager
def scripted_server(*scripts: Callable[[Peer], None]) -> Iterator[str]:
    """Run each script for a client in turn, and yield the address; wait until the client leaves."""
    waiting, faults = list(scripts), list[BaseException]()

    def handle(connection: ServerConnection) -> None:
        try:
            waiting.pop(0)(Peer(connection))
            for _ in connection:
                pass
        except ConnectionClosed:
            pass
        except BaseException as fault:
            faults.append(fault)

    with serve(handle, "127.0.0.1", 0, close_timeout=1) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        finally:
            server.shutdown()
            thread.join()
    if faults:
        raise faults[0]


class Relay:
    """Passes connections on to a server, until they are cut."""

    def __init__(self, address: str) -> None:
        host, port = address.rpartition("/")[2].split(":")
        self._target = host, int(port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"ws://127.0.0.1:{self._listener.getsockname()[1]}"
        self._sockets: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def cut(self) -> None:
        """Cut all connections; new ones are passed on as before."""
        for each in self._sockets:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Cut all connections, and take no others."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._threads[0].join()
        self.cut()
        for thread in self._threads:
            thread.join()
        for each in (self._listener, *self._sockets):
            each.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(self._target)
                self._sockets += [near, far]
                for pair in ((near, far), (far, near)):
                    self._threads.append(threading.Thread(target=self._pass_on, args=pair))
                    self._threads[-1].start()

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(4096):
                other.sendall(data)
        with contextlib.suppress(OSError):
            other.shutdown(socket.SHUT_RDWR)
