"""A desk that plays fast, over HTTP without a network."""

import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from agents import foreign
from agents.agent import Agent
from online.playhex import bots
from online.playhex.bots import Bot
from online.playhex.server import Desk
from state_manager import State, StateManager
from tests.project import TIMEOUT

BOTS = {
    "full": Bot("anet:best", "random"),
    "exact": Bot("exact", "exact"),
    "judged": Bot("mcts:judge=true", "mcts:judge=true"),
    "searching": Bot("mcts:best,judge=true", "mcts"),
    "slow": Bot("random", "random"),
    "broken": Bot("random", "random"),
}


class Site:
    """A site of PlayHex that asks a desk, and what the desk says."""

    def __init__(self, desk: Desk, log: list[str]) -> None:
        self.desk, self.log = desk, log
        self.http = TestClient(desk.app(), raise_server_exceptions=False)

    def post(self, path: str, body: Any, status: int = 200) -> str:
        content = body if isinstance(body, str | bytes) else json.dumps(body)
        response = self.http.post(path, content=content)
        assert response.status_code == status, response.text
        return response.text

    def move(self, history: str, size: int = 3, engine: str = "exact", **more: Any) -> str:
        game = {"size": size, "movesHistory": history, "swapRule": more.pop("swap", False)}
        return self.post("/calculate-move", {"game": game, "ai": {"engine": engine, **more}})


def new_site(another: str = "", log: list[str] | None = None) -> Site:
    """Return a site whose bots have a tenth of a second."""
    log = [] if log is None else log
    return Site(Desk(BOTS, 0.1, False, another, log.append), log)


@pytest.fixture(scope="module")
def shared() -> Iterator[Site]:
    site = new_site()
    with site.http:
        yield site
    site.desk.close()


@pytest.fixture
def site(shared: Site) -> Site:
    shared.log.clear()
    return shared


class Slow:
    """Agents that choose the last cell once they may; ``asked`` counts their searches."""

    def __init__(self) -> None:
        self.may, self.asked = threading.Event(), 0

    def __call__(self, game: StateManager) -> Agent:
        def choose(state: State) -> int:
            self.asked += 1
            assert self.may.wait(TIMEOUT)
            return int(game.legal_actions(state)[-1])

        return foreign(choose, "slow")


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Slow]:
    agents = Slow()
    monkeypatch.setattr(bots, "make_agent", lambda spec, game, *_, **__: agents(game))
    yield agents
    agents.may.set()
