"""The program that serves the page, as a process; and what holds the requests of a page."""

import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Route

from tests.project import ROOT, TIMEOUT

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
        with urllib.request.urlopen(self.link, timeout=TIMEOUT) as response:
            return str(response.read().decode())

    def post(self, name: str, **question: Any) -> Any:
        body = json.dumps(question).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.link}api/{name}", body, headers)
        with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
            return json.load(response)


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

    def let_go(self, **answer: Any) -> None:
        """Send the requests that wait, or give them an answer, and hold no other.

        The route stays: a request that comes while the last one is removed would never be sent.
        """
        self.is_shut = False
        while self.routes:
            route = self.routes.pop(0)
            route.fulfill(**answer) if answer else route.continue_()
