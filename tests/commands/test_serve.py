"""The command that serves the page; tests/web tests the page itself."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from tests.commands.conftest import Call
from tests.project import ROOT, TIMEOUT, wait_until
from tests.web.pages import Server
from web.rooms import Room

BROWSER = """
import sys, pathlib
pathlib.Path("part").write_text(sys.argv[1])
pathlib.Path("part").rename("opened")
"""

SLOW = """
import sys, time
from commands import serve
from main import run_and_exit

seconds = float(sys.argv.pop())

def warm_up(*given):
    time.sleep(seconds)
    print("warm")

serve._warm_up = warm_up
run_and_exit()
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
    result = call("serve", "--uploads")
    assert (result.status, "--uploads: expected --ladder DIR" in result.errors) == (2, True)


def test_two_servers_with_one_port_do_not_share_a_room(call: Call, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
    file = tmp_path / "runs" / f"room-{port}.json"  # as of a server on another address
    with Room.opened(file):
        result = call("serve", "--port", port, "--runs", file.parent)
    assert (result.status, result.errors.count("\n"), file.name in result.errors) == (2, 1, True)


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


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be asked to end there")
@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_ends_in_the_middle_of_a_search_ends_in_order(
    tmp_path: Path, stop: signal.Signals
) -> None:
    server = Server(tmp_path)
    question = {"position": {"game": {"name": "hex", "params": {"size": 5}}}}
    server.post("move", **question, agent="anet:best")
    with ThreadPoolExecutor(1) as client:
        word = (
            "mcts:best,simulations=1000000,time_limit=60,leaves=1,solver=false,static_proofs=false"
        )
        search = client.submit(server.post, "move", **question, agent=word)
        time.sleep(1)
        server.process.send_signal(stop)
        assert server.process.wait(TIMEOUT) == 128 + stop
        with pytest.raises(HTTPError, match="500") as caught:
            search.result()
        caught.value.close()
    server.kill()


def slow_server(seconds: float) -> subprocess.Popen[str]:
    """Serve in a process whose first thread loads for some seconds."""
    command = [sys.executable, "-c", SLOW, "serve", "--port", "0", str(seconds)]
    process = subprocess.Popen(
        command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    link = process.stdout.readline().removeprefix("The page is at ").strip()
    urlopen(link, timeout=TIMEOUT).close()
    return process


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be asked to end there")
def test_a_thread_that_loads_ends_before_python_does() -> None:
    with slow_server(1.0) as process:
        process.send_signal(signal.SIGTERM)
        output, errors = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, output[-5:], errors) == (143, "warm\n", "")


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be asked to end there")
def test_ctrl_c_again_does_not_wait_for_it() -> None:
    with slow_server(TIMEOUT) as process:
        assert process.stdout is not None
        process.send_signal(signal.SIGINT)
        assert any(line.startswith("Ends when the nets are loaded") for line in process.stdout)
        while process.poll() is None:
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
        output, errors = process.communicate()
    assert (process.returncode, "warm" in output, errors) == (-signal.SIGINT, False, "")
