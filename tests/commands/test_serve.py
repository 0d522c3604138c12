"""The command that serves the page; tests/web tests the page itself."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.conftest import Call
from tests.oht_client.home import wait_until
from tests.project import ROOT

BROWSER = """
import sys, pathlib
pathlib.Path("part").write_text(sys.argv[1])
pathlib.Path("part").rename("opened")
"""


def test_an_error_of_serve_is_one_line(call: Call) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        result = call("serve", "--port", port)
    words = f"--port: expected a free port, got {port}, which another program uses; try another "
    assert (result.status, result.errors.count("\n"), words in result.errors) == (1, 1, True)
    for host in ("a..b", "a" * 70):
        result = call("serve", "--port", "0", "--host", host)
        words = f"main.py serve: --port: cannot listen on {host}:0: "
        assert (result.status, result.errors.startswith(words)) == (1, True)
    assert "The page is at" not in result.output
    result = call("serve", "--agent", "oracle")
    assert (result.status, "expected a kind of agent" in result.errors) == (2, True)
    result = call("serve", "--port", "99999")
    assert (result.status, "expected a port from 0 to 65535" in result.errors) == (2, True)
    result = call("serve", "--watch", "nowhere")
    assert (result.status, "--watch: expected the folder of a run" in result.errors) == (2, True)
    result = call("serve", "--watch", ".", "--runs", ".")
    assert (result.status, "not allowed with" in result.errors) == (2, True)


def test_serve_opens_a_browser_on_the_run_that_it_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere" / "my run").mkdir(parents=True)
    (tmp_path / "browser.py").write_text(BROWSER)
    monkeypatch.setenv("BROWSER", f"{sys.executable} browser.py %s")
    words = [str(ROOT / "main.py"), "serve", "--port", "0", "--watch", "elsewhere/my run"]
    with subprocess.Popen(
        [sys.executable, *words], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            link = process.stdout.readline().removeprefix("The page is at ").strip()
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/#watch/my%20run", link)
            wait_until((tmp_path / "opened").exists)
        finally:
            process.kill()
    assert (tmp_path / "opened").read_text() == link
