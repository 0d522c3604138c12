"""Clients of the arena, each with a player that takes the first free cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from arena_client.client import ArenaClient, Entry
from state_manager import State, StateManager
from tests.project import TIMEOUT
from tests.tournaments.conftest import Diary, params_with
from tournaments.lineup import Lineup
from tournaments.player import TournamentPlayer
from tournaments.results import TournamentRecord


class FirstFree:
    name = "first free"

    def __init__(self, game: StateManager) -> None:
        self._game = game

    def choose_action(self, state: State) -> int:
        return int(self._game.legal_actions(state)[0])


class Client:
    """A client of the arena that plays in a thread, and its parts."""

    def __init__(self, entry: Entry, size: int, folder: Path, stack: ExitStack) -> None:
        folder.mkdir()
        lineup = stack.enter_context(closing(Lineup(params_with(), None, size)))
        self.record = stack.enter_context(closing(TournamentRecord(folder)))
        self.diary = Diary()
        self.player = TournamentPlayer(lineup, self.record, self.diary)
        self.arena = ArenaClient(entry, self.player, self.diary.tell)
        self._pool = stack.enter_context(ThreadPoolExecutor(1))

    def start(self) -> None:
        self._played = self._pool.submit(self.arena.play)

    @property
    def error(self) -> BaseException | None:
        """What ended it too early, if anything has; wait for the end."""
        return self._played.exception(TIMEOUT)


NewClient = Callable[[Entry, int], Client]


@pytest.fixture
def new_client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[NewClient]:
    monkeypatch.setattr("arena_client.connection.RETRY_PAUSE", 0.01)
    monkeypatch.setattr(
        "tournaments.lineup.make_agent", lambda spec, game, **options: FirstFree(game)
    )
    with ExitStack() as stack:

        def make(entry: Entry, size: int) -> Client:
            folder = tmp_path / f"client-{len(list(tmp_path.iterdir()))}"
            return Client(entry, size, folder, stack)

        yield make
