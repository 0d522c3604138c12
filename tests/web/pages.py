"""The program that serves the page, and what tests look for on a page in a real browser."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.project import ROOT, TIMEOUT

expect.set_options(timeout=1000 * TIMEOUT)
Open = Callable[..., Page]


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
        """Return the text of the page."""
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


def stones(page: Page) -> list[int]:
    """Return the cells that are taken."""
    taken = page.locator("section:not([hidden]) .cell.taken")
    return [int(str(each.get_attribute("data-cell"))) for each in taken.all()]


def status(page: Page) -> Locator:
    return page.locator("section:not([hidden]) .status")


def choose(page: Page, red: str, black: str) -> None:
    choose_player(page, 1, red)
    choose_player(page, 2, black)


def choose_player(page: Page, number: int, title: str) -> None:
    """Choose who plays a colour; a level's text begins with its title, and its rating follows."""
    option = page.locator(f"#player-{number} option", has_text=re.compile(f"^{title}(,|$)"))
    page.select_option(f"#player-{number}", option.get_attribute("value"))
