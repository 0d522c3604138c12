"""The server of the hexgame arena, of the package ``hexgame-server``, on loopback."""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.project import TIMEOUT

_RUNNING = re.compile(r"running on http://(127\.0\.0\.1:\d+)")


@contextmanager
def running_server(port: int = 0, away: int = 1) -> Iterator[str]:
    """Run a server, yield its address, such as ``ws://127.0.0.1:8123``, and kill it at the end."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("HEX_")}
    environment["HEX_RECONNECT_TIMEOUT"] = str(away)
    words = [sys.executable, "-m", "hexgame_server", "--host", "127.0.0.1", "--port", str(port)]
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with log.open("wb") as out:
            server = subprocess.Popen(words, cwd=folder, env=environment, stdout=out, stderr=out)
        try:
            deadline = time.monotonic() + TIMEOUT
            while not (found := _RUNNING.search(log.read_text())):
                assert server.poll() is None, log.read_text()
                assert time.monotonic() < deadline, log.read_text()
                time.sleep(0.02)
            yield f"ws://{found[1]}"
        finally:
            server.kill()
            server.wait()
