"""Clients of the arena, each with a player that takes the first free cell."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from agents import Agent, foreign
from base.storage import read_jsonl
from online.arena.client import ArenaClient, Entry
from state_manager import StateManager
from tests.online.conftest import Team
from tests.project import TIMEOUT


def first_free(game: StateManager) -> Agent:
    return foreign(lambda state: int(game.legal_actions(state)[0]), "first free")


class Client:
    def __init__(self, entry: Entry, size: int, folder: Path, stack: ExitStack) -> None:
        team = Team(folder, stack)
        self.diary, self.folder = team.diary, folder
        self.player = team.player(size=size)
        self.arena = ArenaClient(entry, self.player, self.diary.tell)
        self._played = stack.enter_context(ThreadPoolExecutor(1)).submit(self.arena.play)

    @property
    def error(self) -> BaseException | None:
        """What ended it too early, if anything has; wait for the end."""
        return self._played.exception(TIMEOUT)

    @property
    def games(self) -> list[dict[str, Any]]:
        return read_jsonl(self.folder / "games.jsonl")


StartClient = Callable[[Entry, int], Client]


@pytest.fixture
def start_client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StartClient]:
    monkeypatch.setattr("online.arena.connection.RETRY_PAUSE", 0.01)
    made = "agents.make_agent"
    monkeypatch.setattr(made, lambda spec, game, **options: first_free(game))
    with ExitStack() as stack:
        yield lambda entry, size: Client(
            entry, size, tmp_path / f"client-{len(list(tmp_path.iterdir()))}", stack
        )
