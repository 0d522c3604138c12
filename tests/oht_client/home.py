"""A tournament server that runs beside a test, with its messages."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from base.params import Params, load_params
from oht_client.server.server import OHTServer
from state_manager import game_names, game_schema
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
    """Return parameters for a small server on free ports."""
    schemas = SimpleNamespace(names=game_names, schema=game_schema)
    return load_params(None, [*USUAL, *overrides], game_schemas=schemas)


class Home:
    """A server in a thread.

    Attributes:
        ports: See ``OHTServer``.
        certificate: See ``OHTServer``.
        messages: The lines for the operator.
        folder: Where the results are kept.
    """

    def __init__(self, server: OHTServer, folder: Path, messages: list[str]) -> None:
        self.ports = server.ports
        self.certificate = server.certificate
        self.messages = messages
        self.folder = folder

    @property
    def results(self) -> list[dict[str, Any]]:
        """The results that were kept."""
        lines = (self.folder / "results.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]

    def wait_for(self, text: str, count: int = 1) -> None:
        """Wait until ``count`` of the lines hold this text."""
        wait_until(lambda: sum(text in line for line in self.messages) >= count, self.messages)


class Listener(logging.Handler):
    """Collects the warnings of a library."""

    def __init__(self, records: list[object]) -> None:
        super().__init__(logging.WARNING)
        self._records = records

    def emit(self, record: logging.LogRecord) -> None:
        if not record.getMessage().startswith("Executing "):  # asyncio's debug mode counts seconds
            self._records.append(record.getMessage())


@contextmanager
def running(folder: Path, *overrides: str, may_fail: bool = False) -> Iterator[Home]:
    """Run a server; an error that it does not handle itself fails the test.

    Args:
        folder: Where it keeps its files.
        *overrides: Overrides of its parameters.
        may_fail: Whether errors of the server itself are allowed.
    """
    messages: list[str] = []
    unhandled: list[object] = []
    server = OHTServer(home_params(*overrides), folder, messages.append)
    started = threading.Event()
    stopping: list[Callable[[], object]] = []

    listener = Listener(unhandled)
    logging.getLogger("asyncio").addHandler(listener)

    async def serve() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: unhandled.append(context))
        stop = asyncio.Event()
        stopping.append(lambda: loop.call_soon_threadsafe(stop.set))
        try:
            await server.start()
        finally:
            started.set()
        await stop.wait()
        await server.stop()

    thread = threading.Thread(target=asyncio.run, args=[serve()])
    thread.start()
    started.wait()
    try:
        yield Home(server, folder, messages)
    finally:
        stopping[0]()
        thread.join()
        logging.getLogger("asyncio").removeHandler(listener)
    assert unhandled == []
    assert may_fail or not [line for line in messages if "the server failed" in line]
