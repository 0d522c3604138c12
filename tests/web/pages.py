"""The program that serves the page, and what tests look for on a page in a real browser."""

import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, Route, expect

from tests.project import ROOT, TIMEOUT

expect.set_options(timeout=1000 * TIMEOUT)
Open = Callable[..., Page]
QUICK = """
const wait = setTimeout;
const quick = (ms) => (ms < 1000 ? ms : ms / (ms < 10_000 ? 5 : 50));
globalThis.setTimeout = (work, ms, ...more) => wait(work, quick(ms), ...more);
globalThis.Worker = class extends Worker {
  constructor(url) {
    super(url);
    setInterval(() => this.dispatchEvent(new Event("message")), 200);
  }
};
"""
"""A page that asks the server every second or two asks five times as often; others, fifty."""
BOARD = "main > section:not([hidden]) .board-area"
"""The place of the first board in the open tab."""


class Server:
    """The program, as a process that may be killed and started again at the same port."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder, self.port, self.options = folder, "0", options
        self.start()

    def start(self) -> None:
        self.errors = (self.folder / "errors.txt").open("a+")
        command = [sys.executable, str(ROOT / "main.py"), "serve", "--port", self.port]
        self.process = subprocess.Popen(
            [*command, "game.size=3", *self.options],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
        )
        assert self.process.stdout is not None
        line, of_room = self.process.stdout.readline(), self.process.stdout.readline()
        self.port = re.findall(r":(\d+)/", line)[0]
        self.room = f"#{of_room.partition('#')[2].strip()}"
        self.link = f"http://127.0.0.1:{self.port}/"
        # Chromium would end the page's process for about:blank, and begin another one afterwards.
        self.nothing = f"{self.link}static/icon.svg"

    def kill(self) -> None:
        assert self.process.stdout is not None
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.errors.seek(0)
        with self.errors:
            assert "Traceback" not in self.errors.read()

    def page(self) -> str:
        with urllib.request.urlopen(self.link, timeout=TIMEOUT) as response:
            return str(response.read().decode())

    def post(self, name: str, **question: Any) -> Any:
        body = json.dumps(question).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.link}api/{name}", body, headers)
        with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
            return json.load(response)


def cell(page: Page, number: int) -> Locator:
    return page.locator(f"section:not([hidden]) [data-cell='{number}']")


def taken(page: Page, number: int) -> None:
    """Wait until the board has a number of stones."""
    expect(page.locator(f"{BOARD} .cell.taken")).to_have_count(number)


def stones(page: Page) -> list[int]:
    taken = page.locator(f"{BOARD} .cell.taken")
    return [int(str(each.get_attribute("data-cell"))) for each in taken.all()]


def holds(page: Page, *cells: int) -> None:
    """Wait until exactly these cells are taken."""
    taken(page, len(cells))
    assert stones(page) == sorted(cells)


def play(page: Page, *cells: int) -> None:
    """Click on cells, and wait for each stone."""
    for each in cells:
        cell(page, each).click()
        expect(cell(page, each)).to_have_class(re.compile("taken"))


def status(page: Page) -> Locator:
    return page.locator("section:not([hidden]) .status")


def reason(page: Page) -> Locator:
    return page.locator("main > section:not([hidden]) .reason").first


def go(page: Page, fragment: str) -> None:
    """Go to an address of the page, without loading it anew."""
    page.evaluate("(fragment) => { location.hash = fragment; }", fragment)


def unfold(page: Page, title: str) -> None:
    page.click(f"summary:has-text('{title}')")


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def saved(page: Page, button: str = "#save-sgf") -> Path:
    with page.expect_download() as download:
        page.click(button)
    return download.value.path()


def choose(page: Page, red: str, black: str) -> None:
    choose_player(page, 1, red)
    choose_player(page, 2, black)


def choose_player(page: Page, number: int, title: str) -> None:
    """Choose who plays a colour; a level's text begins with its title, and its rating follows."""
    option = page.locator(f"#player-{number} option", has_text=re.compile(f"^{title}(,|$)"))
    page.select_option(f"#player-{number}", option.get_attribute("value"))


class Held:
    """Holds the requests of a page that match a pattern, until they are let go."""

    def __init__(self, page: Page, pattern: str) -> None:
        self.routes, self.is_shut = list[Route](), True
        page.route(pattern, self._take)

    def _take(self, route: Route) -> None:
        if self.is_shut:
            self.routes.append(route)
        else:
            route.continue_()

    def let_go(self) -> None:
        """Send the requests that wait, and hold no other."""
        self.is_shut = False
        while self.routes:
            self.routes.pop(0).continue_()
