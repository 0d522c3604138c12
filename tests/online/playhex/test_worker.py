"""The worker beside a peer server of our own: each message in one short write, in time."""

import asyncio
import json
import math
import signal
import time
from itertools import pairwise
from typing import Any

import pytest

from online.playhex import worker
from online.playhex.analysis import analysed
from online.playhex.worker import Worker
from tests.online.playhex.conftest import Site, new_site
from tests.project import TIMEOUT

BENCHMARK = {
    "type": "calculate-move",
    "data": {
        "game": {"size": 4, "movesHistory": "b2", "currentPlayer": "white", "swapRule": False},
        "ai": {"engine": "mohex", "maxGames": 20},
    },
}


class PeerServer:
    """Sends jobs to the worker that connects, and reads each result in one read."""

    def __init__(self, *connections: list[Any]) -> None:
        self._connections, self.results, self.at = list(connections), list[str](), list[float]()
        self.is_over = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        jobs = self._connections.pop(0)
        for number, job in enumerate(jobs):
            if job == "wait":
                await self._read(reader)
                continue
            text = job if isinstance(job, bytes) else f"job {number} {json.dumps(job)}".encode()
            for part in (text[:20], text[20:]):  # not always whole
                writer.write(part)
                await writer.drain()
                await asyncio.sleep(0.01)
            if not isinstance(job, bytes):
                await self._read(reader)
        if not self._connections:
            self.is_over.set()
        writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> None:
        self.results.append((await reader.read(1460)).decode())
        self.at.append(time.monotonic())


def worked(site: Site, *connections: list[Any], secondary: bool = False) -> PeerServer:
    peer = PeerServer(*connections)

    async def work() -> None:
        async with await asyncio.start_server(peer.serve, "127.0.0.1", 0) as server:
            address = server.sockets[0].getsockname()
            one = Worker(site.desk, address, secondary, site.log.append)
            working = asyncio.create_task(one.run())
            await asyncio.wait_for(peer.is_over.wait(), TIMEOUT)
            signal.raise_signal(signal.SIGINT)
            await asyncio.wait_for(working, TIMEOUT)

    asyncio.run(work())
    return peer


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_AGAIN_SECONDS", 0.0)


@pytest.mark.usefixtures("quick")
def test_jobs_are_done_one_by_one_in_one_message_each(monkeypatch: pytest.MonkeyPatch) -> None:
    site = new_site()

    async def at_once(size: int, words: list[str], since: int, seconds: float) -> Any:
        return analysed(size, words, since, math.inf)

    monkeypatch.setattr(site.desk.analyst, "game", at_once)
    move = {"size": 4, "movesHistory": "b2 c3", "move": "c2", "moveIndex": 2, "color": "black"}
    position = {"size": 11, "color": "black", "black": "d5", "white": ""}
    jobs = [
        BENCHMARK,
        {"type": "analyze-position", "data": position},
        {"type": "analyze-move", "data": {**move, "isLastMoveOfGame": False}},
        {"type": "analyze-move", "data": {**move, "isLastMoveOfGame": True}},
        {"type": "analyze-move", "data": {**move, "move": "b2"}},
        {"type": "dance", "data": {}},
        7,
    ]
    peer = worked(site, jobs)
    for number, text in enumerate(peer.results):
        assert text.startswith(f"job_result {number} {{")
        assert text.isprintable()
    found = [json.loads(text.split(" ", 2)[2]) for text in peer.results]
    assert [each["success"] for each in found] == [True] * 4 + [False] * 3
    assert found[0]["data"] in [f"{column}{row}" for column in "abcd" for row in range(1, 5)]
    policy = found[1]["data"]["policy"]
    assert [len(row) for row in policy] == [11] * 11
    assert all(share == 0 or 0.0005 <= share == round(share, 3) for row in policy for share in row)
    assert "whiteWin" not in found[2]["data"]["move"]
    assert 0 <= found[3]["data"]["move"]["whiteWin"] <= 1
    assert found[3]["data"]["moveIndex"] == 2
    assert all(each["error"] for each in found[4:])
    assert all(after - before > 0.08 for before, after in pairwise(peer.at))
    site.desk.close()


@pytest.mark.usefixtures("quick")
def test_a_secondary_worker_says_so_and_connects_again_after_a_loss(site: Site) -> None:
    peer = worked(site, ["wait", BENCHMARK], ["wait", b"hello"], ["wait"], secondary=True)
    assert peer.results[0] == peer.results[2] == peer.results[3] == "set_secondary true"
    assert '"success":true' in peer.results[1]
    assert any("expected a job, got b'hello'" in line for line in site.log)


@pytest.mark.usefixtures("quick")
def test_an_address_that_does_not_answer_is_tried_again(site: Site) -> None:
    async def work() -> None:
        working = asyncio.create_task(Worker(site.desk, ("127.0.0.1", 1), False, tell).run())
        await asyncio.wait_for(is_enough.wait(), TIMEOUT)
        signal.raise_signal(signal.SIGINT)
        await working

    def tell(line: str) -> None:
        site.log.append(line)
        if len(site.log) == 2:
            is_enough.set()

    is_enough = asyncio.Event()
    asyncio.run(work())
    assert all("127.0.0.1:1" in line for line in site.log)
