"""A tournament server that runs beside a test, with its messages."""

import asyncio
import functools
import logging
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from base.params import Params, load_params
from base.storage import read_jsonl
from oht_client.server.server import OHTServer
from oht_client.server.tls import ensure_certificate
from state_manager import game_names, game_schema
from tests.oht_client.raw_clients import Client, JSONClient, TextClient
from tests.project import wait_until

USUAL = (
    "oht.board_size=3",
    "oht_server.port=0",
    "oht_server.qualifiers_port=0",
    "oht_server.league_port=0",
    "oht_server.opponents=[random,'mcts:simulations=5']",
    "oht_server.verification_games=5",
    "oht_server.official_games=3",
    "oht_server.qualifiers_move_limit=300",
)


def home_params(*overrides: str) -> Params:
    schemas = SimpleNamespace(names=game_names, schema=game_schema)
    return load_params(None, [*USUAL, *overrides], game_schemas=schemas)


@functools.cache
def certificate_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="certificate-"))
    ensure_certificate(folder)
    return folder


class Home:
    """A server in a thread; ``messages`` are the lines for the operator."""

    def __init__(self, server: OHTServer, folder: Path, messages: list[str]) -> None:
        self.ports, self.certificate = server.ports, server.certificate
        self.messages, self.folder = messages, folder

    @property
    def results(self) -> list[dict[str, Any]]:
        return read_jsonl(self.folder / "results.jsonl")

    def connect(self, port: str, **keywords: Any) -> Client:
        kind = TextClient if port == "text" else JSONClient
        return kind(self.ports[port], self.certificate, **keywords)

    def play(self, port: str, **keywords: Any) -> Client:
        client = self.connect(port, **keywords)
        client.run()
        return client

    def count(self, text: str) -> int:
        return sum(text in line for line in self.messages)

    def wait_for(self, text: str, count: int = 1) -> None:
        wait_until(lambda: self.count(text) >= count, self.messages)


@contextmanager
def running(folder: Path, *overrides: str, may_fail: bool = False) -> Iterator[Home]:
    shutil.copytree(certificate_folder(), folder, dirs_exist_ok=True)
    messages, warnings = list[str](), list[str]()
    server = OHTServer(home_params(*overrides), folder, messages.append)
    loop, stop, started = asyncio.new_event_loop(), asyncio.Event(), threading.Event()

    async def serve() -> None:
        try:
            await server.start()
        finally:
            started.set()
        await stop.wait()
        await server.stop()

    def run() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(serve())

    listener = logging.Handler(logging.WARNING)
    listener.emit = lambda record: warnings.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger("asyncio").addHandler(listener)
    thread = threading.Thread(target=run)
    thread.start()
    started.wait()
    try:
        yield Home(server, folder, messages)
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        logging.getLogger("asyncio").removeHandler(listener)
    # In its debug mode, asyncio counts the seconds of its tasks.
    assert [each for each in warnings if not each.startswith("Executing ")] == []
    assert may_fail or not [line for line in messages if "the server failed" in line]
