"""Hostile input: each gets a status and a printable line, and the next request is answered."""

import json
import socket
import threading
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from online.playhex import server
from tests.online.playhex.conftest import Site, new_site
from tests.project import TIMEOUT, wait_until
from web.server.app import page_server

MOVE = {
    "game": {"size": 3, "movesHistory": "b2", "swapRule": True},
    "ai": {"engine": "exact", "seconds": 0.1, "resign": False},
}
POSITION = {"size": 3, "color": "black", "black": "b2", "white": "a1"}
WRONG: Any = [None, True, -1, 10**30, 1.5, "x", "\x1b[31m\n", [], {}, "a1 " * 10_000, float("inf")]


def variants(path: str, body: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield bodies in which each field is missing, or has another type or a wrong value."""
    sections = [body, *(each for each in body.values() if isinstance(each, dict))]
    for place, section in enumerate(sections):
        for name in section:
            for wrong in ["missing", *WRONG]:
                changed = deepcopy(body)
                inner = [changed, *(each for each in changed.values() if isinstance(each, dict))]
                inner[place][name] = wrong
                if wrong == "missing":
                    del inner[place][name]
                yield path, json.dumps(changed)


BODIES = [*variants("/calculate-move", MOVE), *variants("/analyze-position", POSITION)]
BODIES += [
    (path, body)
    for path in ("/calculate-move", "/analyze-position")
    for body in ("", "{", "[]", "null", "7", '"x"', "[" * 50_000, "\udc80", "1e999", "\x00")
]


def test_every_mistake_gets_a_status_and_a_line_and_the_next_request_an_answer(site: Site) -> None:
    statuses = set()
    for path, body in BODIES:
        response = site.http.post(path, content=body.encode(errors="surrogatepass"))
        statuses.add(response.status_code)
        assert response.status_code in (200, 400), (body[:200], response.text)
        assert response.text.isprintable()
    assert statuses == {200, 400}
    assert all(line.isprintable() and len(line) < 400 for line in site.log)
    assert site.move("b2", swap=True) == "swap-pieces"


def test_what_is_too_large_or_not_there_is_refused(site: Site) -> None:
    assert "100000 bytes" in site.post("/calculate-move", "x" * 100_001, 413)
    assert site.http.get("/calculate-move").status_code == 405
    assert site.http.get("/nothing").status_code == 404
    game = {"size": 19, "movesHistory": "pass " * 3_000}
    assert "1500 moves" in site.post("/calculate-move", {**MOVE, "game": game}, 400)


def test_positions_have_a_chance_and_a_policy_row_by_row(site: Site) -> None:
    found = json.loads(site.post("/analyze-position", {"size": 4, "color": "white", "black": "b2"}))
    assert 0 < found["whiteWin"] < 1
    shares = [share for row in found["policy"] for share in row]
    assert (len(found["policy"]), len(shares)) == (4, 16)
    assert sum(shares) == pytest.approx(1, abs=0.01)
    assert found["policy"][1][1] == 0
    over = {"size": 3, "color": "black", "black": "", "white": "a1 b1 c1"}
    found = json.loads(site.post("/analyze-position", over))
    assert found == {"whiteWin": 1, "policy": [[0] * 3] * 3}
    for wrong in ({"black": "b2 b2"}, {"white": "a1 swap-pieces"}, {"white": "d1"}, {"size": 2}):
        site.post("/analyze-position", POSITION | wrong, 400)
    both = {"size": 3, "color": "black", "black": "a1 a2 a3", "white": "b1 b2 b3"}
    site.post("/analyze-position", both)  # only one has won


def test_status_and_ping(site: Site) -> None:
    status = site.http.get("/status").json()
    assert (status["totalPeers"], status["totalPeersPrimary"]) == (1, 1)
    assert site.http.get("/ping").text == "pong"


def test_half_open_and_idle_connections_are_closed_and_do_not_shut_others_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server, "_READ_SECONDS", 0.2)
    site = new_site()
    settings = {"http": server.PromptProtocol, "limit_concurrency": None}
    running = page_server(site.desk.app(), **settings)
    with socket.create_server(("127.0.0.1", 0), backlog=300) as listening:
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
        thread.start()
        wait_until(lambda: running.started)
        address = listening.getsockname()
        begun = b"POST /calculate-move HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"
        beginnings = [b"", b"POST /calc", begun]
        half = [socket.create_connection(address, TIMEOUT) for _ in range(200)]
        for number, each in enumerate(half):
            each.sendall(beginnings[number % 3])
        with socket.create_connection(address, TIMEOUT) as whole:
            whole.sendall(b"GET /ping HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            assert whole.recv(1000).startswith(b"HTTP/1.1 200")
        for number, each in enumerate(half):
            with each:
                answer = each.recv(1000)
                assert answer.startswith(b"HTTP/1.1 408") if number % 3 == 2 else not answer
        running.should_exit = True
        thread.join(TIMEOUT)
    site.desk.close()
