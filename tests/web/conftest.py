"""The server of the page, called without a network; and one browser for all."""

import shutil
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from starlette.testclient import TestClient

from base.params import GameParams, Params, Section
from tests.project import TIMEOUT
from tests.web.pages import QUICK
from tests.web.program import Open, Server
from web.friends.rooms import Room, new_token
from web.server.access_control import AccessControl
from web.server.agent_pool import AgentPool
from web.server.app import create_app

SEARCH = "mcts:simulations=50,time_limit=null"
NETS = Path(__file__).parents[2] / "nets"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
WON = [1, 0, 4, 3, 7]
"""A game on 3x3 that the player who begins wins."""
Post = Callable[..., Any]


def hex_game(size: int = 3, **more: Any) -> dict[str, Any]:
    return {"name": "hex", "params": {"size": size, **more}}


THREE = hex_game()


@pytest.fixture(scope="session")
def pool(tmp_path_factory: pytest.TempPathFactory) -> AgentPool:
    """Return a pool without runs of its own; pages may name one engine."""
    params = Params(game=GameParams(name="hex", options=Section()))
    runs = tmp_path_factory.mktemp("pool") / "runs"
    runs.mkdir()
    return AgentPool(params, runs, ["engine:true"])


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


_HERE, _RESOURCES = Path(__file__).parent, ExitStack()
_browsers, _kept = list[Browser](), list[Page]()


@pytest.fixture
def browser() -> Browser:
    """Return Chromium, without a window: one for all tests here that follow each other."""
    if not _browsers:
        names = "chromium", "chromium-browser", "google-chrome"
        chromium = next(filter(None, map(shutil.which, names)), None)
        if chromium is None:
            pytest.skip("no Chromium is installed; `make chromium` does that on Debian")
        chromes = _RESOURCES.enter_context(sync_playwright()).chromium
        _browsers.append(chromes.launch(executable_path=chromium, args=["--no-sandbox"]))
        _RESOURCES.callback(_browsers[0].close)
    return _browsers[0]


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Close the browser before other rooms: with Playwright, ``asyncio.run`` fails in them."""
    if nextitem is None or not nextitem.path.is_relative_to(_HERE):
        _RESOURCES.close()
        _browsers.clear()
        _kept.clear()


def in_base64(text: str | bytes) -> str:
    """Return a file as the page sends it."""
    return b64encode(text.encode() if isinstance(text, str) else text).decode()


def position(*actions: int, size: int = 3, start: int = 1, **about: Any) -> dict[str, Any]:
    """Return a position of Hex, or of another game."""
    return {"game": hex_game(size), "start": start, "actions": actions, **about}


def full_disk(*given: object) -> None:
    """Fail as a function does that writes to a full disk."""
    raise OSError(28, "No space left on device", "room.json")


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
    def new_game(clock: str = "none", *moves: int, joined: bool = True, **params: Any) -> Game:
        game = hex_game(**params)
        red = post("new_table", game=game, player=1, name="Ada", clock=clock)["token"]
        links = post("table", token=red)
        invite, watch = (links[key].rpartition("/")[2] for key in ("friend", "watch"))
        new = Game(post, red, new_token(), watch, invite)
        if joined:
            new.join()
        for ply, action in enumerate(moves):
            new.move(ply, action)
        return new

    return new_game


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Start the program once for all tests in a browser."""
    server = Server(tmp_path_factory.mktemp("server"))
    yield server
    server.kill()


@pytest.fixture
def open_page(browser: Browser, server: Server) -> Iterator[Open]:
    """Return a function that opens the page; scripts may not fail.

    Each page is a browser of its own with an empty memory. Later tests take it over, as a new one
    costs more than most of them, unless it is ``fresh`` or has an option other than its size.
    """
    lent, own, errors = list[Page](), list[Page](), list[str]()

    def note(error: object) -> None:
        errors.append(str(error))

    def open_page(fragment: str = "", fresh: bool = False, **how: Any) -> Page:
        size = how.pop("viewport", {"width": 1280, "height": 720})
        is_own = fresh or bool(how)
        if _kept and not is_own:
            page = _kept.pop()
        else:
            page = browser.new_context(**how).new_page()
            page.add_init_script(QUICK)
        (own if is_own else lent).append(page)
        page.set_default_timeout(1000 * TIMEOUT)
        page.set_viewport_size(size)
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
    _kept.extend(lent)
    assert errors == []
