"""Inactive clients over real sockets: other clients get responses, and the log stays short."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPConnection
from threading import Event, Semaphore, Thread, Timer
from typing import Any

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from oht_client.server.connection import listen
from tests.project import ROOT, TIMEOUT, wait_until
from tests.web.conftest import THREE
from web.access_control import AccessControl
from web.agent_pool import AgentPool
from web.app import create_app
from web.http_connections import page_server

POST = b"POST /api/position HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
GET = b"GET /static/board.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
STUCK = {
    "silence": b"",
    "half a head": POST,
    "half a body": POST + b"Content-Length: 9\r\n\r\n{",
    "no reading": GET * 300,
    "an end": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
}


def page(pool: AgentPool) -> ASGIApp:
    return create_app(pool, AccessControl(), THREE)


@contextmanager
def serving(
    app: ASGIApp, most: int = 1000, turn_seconds: float = TIMEOUT
) -> Iterator[tuple[int, list[str], Collection[object]]]:
    """Serve; yield the port, the messages to the owner, and the connections."""
    messages: list[str] = []
    server = page_server(app, messages.append, most, turn_seconds)
    with listen("--port", "127.0.0.1", 0) as listening:
        thread = Thread(target=server.run, args=[[listening]])
        thread.start()
        try:
            yield listening.getsockname()[1], messages, server.server_state.connections
        finally:
            server.should_exit = True
            thread.join()


def dial(stack: ExitStack, port: int, words: bytes = b"") -> socket.socket:
    sock = stack.enter_context(socket.socket())
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)  # little is taken unread
    sock.settimeout(TIMEOUT)
    sock.connect(("127.0.0.1", port))
    sock.sendall(words)
    return sock


def get(port: int, cookies: str = "") -> int:
    """Send a request as a browser does; return the status."""
    connection = HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
    try:
        connection.request("GET", "/", headers={"Host": "localhost", "Cookie": cookies})
        return connection.getresponse().status
    finally:
        connection.close()


def received(sock: socket.socket) -> bytes:
    """Return all bytes received before the connection ends."""
    parts = []
    with suppress(ConnectionError):
        while part := sock.recv(4096):
            parts.append(part)
    return b"".join(parts)


@pytest.mark.parametrize("words", STUCK.values(), ids=STUCK)
def test_a_request_gets_a_response_beside_stuck_connections(pool: AgentPool, words: bytes) -> None:
    with serving(page(pool), most=4) as (port, messages, connections), ExitStack() as stack:
        for _ in range(10):
            dial(stack, port, words)
        assert [get(port) for _ in range(3)] == [200] * 3
        wait_until(lambda: len(connections) <= 4)
    assert messages == ["full: 4 connections are open; idle ones are cut for new ones"]


def test_the_cookies_of_many_other_programs_are_accepted(pool: AgentPool) -> None:
    with serving(page(pool)) as (port, _, _):
        cookies = "; ".join(f"other{number}={'x' * 4000}" for number in range(50))
        assert get(port, cookies) == 200


@pytest.mark.parametrize("words", STUCK.values(), ids=STUCK)
def test_an_inactive_client_is_disconnected(pool: AgentPool, words: bytes) -> None:
    with (
        serving(page(pool), turn_seconds=0.5) as (port, messages, connections),
        ExitStack() as stack,
    ):
        dial(stack, port, words)
        with suppress(ConnectionError):
            get(port)  # it came later, so the other one has been accepted
        wait_until(lambda: not connections)
    assert messages == []


def test_a_client_that_does_not_read_a_long_response_is_disconnected() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(100):
            await send({"type": "http.response.body", "body": b"x" * 100_000, "more_body": True})
        await send({"type": "http.response.body"})

    with serving(app, turn_seconds=0.5) as (port, _, connections), ExitStack() as stack:
        dial(stack, port, GET)
        with suppress(ConnectionError):
            get(port)  # it came later, so the other one has been accepted
        wait_until(lambda: not connections)


def test_a_client_that_reads_none_of_many_responses_is_disconnected() -> None:
    """The last part of a response fills what may be sent, then the next request is read."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x" * 100_000})

    with serving(app, turn_seconds=0.5) as (port, _, connections), ExitStack() as stack:
        dial(stack, port, GET * 300)
        with suppress(ConnectionError):
            get(port)  # it came later, so the other one has been accepted
        wait_until(lambda: not connections)


def test_a_client_that_waits_for_its_response_is_not_disconnected(
    pool: AgentPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, may_end = Semaphore(0), Event()

    def think(*given: Any) -> dict[str, int]:
        begun.release()
        assert may_end.wait(TIMEOUT)
        return {"thought": 1}

    monkeypatch.setattr("web.positions.view_of", think)
    body = b'{"position": {}}'
    question = POST + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    with serving(page(pool), most=3, turn_seconds=3.0) as (port, messages, _), ExitStack() as stack:
        asking = [dial(stack, port, question) for _ in range(2)]
        for _ in asking:
            assert begun.acquire(timeout=TIMEOUT)
        assert received(dial(stack, port)) == b"", "its time is over"
        assert messages == []
        asking.append(dial(stack, port, question))
        assert begun.acquire(timeout=TIMEOUT)
        assert received(dial(stack, port)) == b"", "there is no room"
        assert messages != []
        may_end.set()
        assert all(b"thought" in received(each) for each in asking)


SERVER = """
from contextlib import suppress
from web.http_connections import page_server
from oht_client.server.connection import listen

async def app(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body"})

def report(text):
    print(text, flush=True)

with listen("--port", "127.0.0.1", 0) as listening, suppress(KeyboardInterrupt):
    report(listening.getsockname()[1])
    page_server(app, report).run(sockets=[listening])
"""


@contextmanager
def few_files(most: int) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """Serve in a process that may have few files open; yield the port and the process."""
    command = ["sh", "-c", f'ulimit -n {most}; exec "$0" -c "$1"', sys.executable, SERVER]
    with subprocess.Popen(
        command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        watchdog = Timer(TIMEOUT, process.kill)
        watchdog.start()
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline()), process
        finally:
            watchdog.cancel()
            process.kill()


def end(process: subprocess.Popen[str]) -> tuple[list[str], str]:
    """End the process as Ctrl-C does; return its output lines and its errors."""
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=TIMEOUT)
    return output.splitlines(), errors


def test_more_sockets_than_files_block_no_client_and_fill_no_log() -> None:
    with few_files(224) as (port, process), ExitStack() as stack:
        for _ in range(180):
            dial(stack, port, POST)
        assert [get(port) for _ in range(3)] == [200] * 3
        lines, errors = end(process)
    assert errors == ""
    assert [line[:30] for line in lines] == ["full: 16 connections are open;"]
