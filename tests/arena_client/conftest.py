"""Fixtures of the tests of the arena's client."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from arena_client.client import ArenaClient, Entry
from tests.arena_client.hexgame_server import running_server
from tests.tournaments.conftest import Diary, params_with
from tournaments.lineup import Lineup
from tournaments.player import TournamentPlayer
from tournaments.results import TournamentRecord


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a real server."""
    with running_server(away=5) as address:
        yield address


class Client:
    """A client that plays at random, its diary and its result.

    Attributes:
        error: What ended it too early, if anything has.
    """

    def __init__(self, entry: Entry, size: int, folder: Path, stack: ExitStack) -> None:
        folder.mkdir()
        self.folder, self.diary = folder, Diary()
        lineup = Lineup(params_with("oht.agent=random"), None, size)
        record = TournamentRecord(folder)
        for each in (lineup, record):
            stack.enter_context(closing(each))
        self.player = TournamentPlayer(lineup, record, self.diary)
        self.arena = ArenaClient(entry, self.player, self.diary.tell)
        self.error: Exception | None = None
        self._thread = threading.Thread(target=self._play)

    def start(self) -> None:
        """Play in a thread."""
        self._thread.start()

    def join(self) -> None:
        """Wait for the end."""
        self._thread.join()

    def _play(self) -> None:
        try:
            self.arena.play()
        except Exception as error:
            self.error = error


NewClient = Callable[..., Client]


@pytest.fixture
def new_client(tmp_path: Path) -> Iterator[NewClient]:
    """Return a function that makes clients, from an entry or a server's address."""
    with ExitStack() as stack:

        def make(entry: Entry | str, size: int = 7) -> Client:
            if isinstance(entry, str):
                entry = Entry(entry, query={"board_size": size, "series_length": 3})
            folder = tmp_path / f"client-{len(list(tmp_path.iterdir()))}"
            return Client(entry, size, folder, stack)

        yield make


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connect again at once."""
    monkeypatch.setattr("arena_client.connection.RETRY_PAUSE", 0.01)
