"""The server of the page, called without a network; and one browser for all."""

from __future__ import annotations

import shutil
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from starlette.testclient import TestClient

from base.params import GameParams, Params, Section
from tests.project import TIMEOUT
from tests.web.pages import Open, Server
from web.friends.rooms import Room, new_token
from web.server.access_control import AccessControl
from web.server.agent_pool import AgentPool
from web.server.app import create_app

SEARCH = "mcts:simulations=50,time_limit=null"
THREE = {"name": "hex", "params": {"size": 3}}
Post = Callable[..., Any]


@pytest.fixture(scope="session")
def pool(tmp_path_factory: pytest.TempPathFactory) -> AgentPool:
    """Return a pool without runs of its own; pages may name one engine."""
    params = Params(game=GameParams(name="hex", options=Section()))
    return AgentPool(params, tmp_path_factory.mktemp("runs"), ["engine:true"])


@pytest.fixture(scope="session")
def client(pool: AgentPool) -> Iterator[TestClient]:
    """Return a client of a server for this machine only."""
    app = create_app(pool, AccessControl(), THREE)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client


@pytest.fixture(scope="session")
def post(client: TestClient) -> Post:
    """Return a function that posts a request and checks the status of the response."""

    def post(kind: str, status: int = 200, **question: Any) -> Any:
        response = client.post(f"/api/{kind}", json=question)
        assert response.status_code == status, response.text
        body = response.json()
        if status != 200:
            assert list(body) == ["error"]
            assert "\n" not in body["error"]
            return body["error"]
        return body

    return post


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return Chromium, without a window.

    Not for the session: while Playwright is there, ``asyncio.run`` fails in tests of other rooms.
    """
    names = "chromium", "chromium-browser", "google-chrome"
    chromium = next(filter(None, map(shutil.which, names)), None)
    if chromium is None:
        pytest.skip("no Chromium is installed; `make chromium` does that on Debian")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


def in_base64(text: str | bytes) -> str:
    """Return a file as the page sends it."""
    return b64encode(text.encode() if isinstance(text, str) else text).decode()


def position(*actions: int, size: int = 3, start: int = 1, **about: Any) -> dict[str, Any]:
    """Return a position of Hex, or of another game."""
    game = about.get("game", {"name": "hex", "params": {"size": size}})
    return {"game": game, "start": start, "actions": actions}


class Time:
    """Seconds that pass only when a test says so."""

    now = 1e9

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def room(pool: AgentPool, tmp_path: Path, time: Time) -> Room:
    """Give the pool a new room with a file, in which no time passes by itself."""
    pool.room = Room(tmp_path / "new" / "room.json", now=time)
    return pool.room


@dataclass
class Game:
    """A new game, with the tokens of red, of black, of spectators, and the friend's link."""

    post: Post
    red: str
    black: str
    watch: str = ""
    invite: str = ""

    def join(self, status: int = 200, seat: str = "") -> Any:
        return self.post("join_table", status, id=self.invite, seat=seat or self.black)

    def see(self, token: str, **more: Any) -> Any:
        return self.post("table", token=token, **more)

    def do(self, token: str, what: str, status: int = 200, **more: Any) -> Any:
        return self.post("table_action", status, token=token, what=what, **more)

    def move(self, ply: int, action: int, status: int = 200, token: str = "") -> Any:
        token = token or (self.red, self.black)[ply % 2]
        return self.do(token, "move", status, ply=ply, action=action)


NewGame = Callable[..., Game]


@pytest.fixture
def new_game(post: Post) -> NewGame:
    def new_game(clock: str = "none", joined: bool = True, **params: Any) -> Game:
        game = {"name": "hex", "params": {"size": 3, **params}}
        red = post("new_table", game=game, player=1, name="Ada", clock=clock)["token"]
        links = post("table", token=red)
        invite, watch = (links[key].rpartition("/")[2] for key in ("friend", "watch"))
        new = Game(post, red, new_token(), watch, invite)
        if joined:
            new.join()
        return new

    return new_game


NETS = Path(__file__).parents[2] / "nets"


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Start the program once for all tests in a browser."""
    server = Server(tmp_path_factory.mktemp("server"))
    yield server
    server.kill()


@pytest.fixture(scope="module")
def kept_pages() -> list[Page]:
    """Return the pages that the next test takes over, since a new one costs more than most of them.

    Each is a browser of its own.
    """
    return []


@pytest.fixture
def open_page(browser: Browser, server: Server, kept_pages: list[Page]) -> Iterator[Open]:
    """Return a function that opens the page; scripts may not fail.

    Each page is a browser of its own with an empty memory. A test that ends the server opens it
    with an option: only such a page is closed afterwards, and not left for the next test.
    """
    lent, own, errors = list[Page](), list[Page](), list[str]()

    def note(error: object) -> None:
        errors.append(str(error))

    def open_page(fragment: str = "", **how: Any) -> Page:
        kept = kept_pages and not how
        page = kept_pages.pop(0) if kept else browser.new_context(**how).new_page()
        page.set_default_timeout(1000 * TIMEOUT)
        (own if how else lent).append(page)
        page.on("pageerror", note)
        page.goto(f"{server.link}{fragment}")
        if not fragment:
            expect(page.locator("#player-2 option").first).to_be_attached()
        return page

    yield open_page
    for page in own:
        page.context.close()
    for page in lent:
        page.unroute_all(behavior="ignoreErrors")  # a handler may be at work
        page.goto(server.nothing)
        page.evaluate("localStorage.clear()")  # once the page has gone, which might still write
        page.remove_listener("pageerror", note)
    kept_pages[:0] = lent
    assert errors == []
