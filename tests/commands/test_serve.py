"""The command that serves the page; tests/web tests the page itself."""

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
from tests.project import ROOT, TIMEOUT, Patch, wait_until
from tests.web.program import Server
from web.friends.rooms import Room

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

needs_signals = pytest.mark.skipif(
    sys.platform == "win32", reason="a process cannot be asked to end there"
)


def test_what_cannot_be_listened_to_is_one_line(call: Call, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        line = call.error("serve", "--port", port, status=1)
    assert f"--port: expected a free port, got {port}, which another program uses" in line
    for host in ("a..b", "a" * 70):
        line = call.error("serve", "--port", "0", "--host", host, status=1)
        assert f"--port: cannot listen on {host}:0: " in line
    file = tmp_path / "runs" / f"room-{port}.json"  # as of a server on another address
    with Room.opened(file):
        assert file.name in call.error("serve", "--port", port, "--runs", file.parent)


def test_serve_opens_a_browser_on_the_run_that_it_names(tmp_path: Path, monkeypatch: Patch) -> None:
    (tmp_path / "elsewhere" / "my run").mkdir(parents=True)
    (tmp_path / "browser.py").write_text(BROWSER)
    monkeypatch.setenv("BROWSER", f"{sys.executable} browser.py %s")
    words = [str(ROOT / "main.py"), "serve", "--port", "0", "--watch", "elsewhere/my run"]
    with subprocess.Popen(
        [sys.executable, *words], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            link = link_of(process)
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/#watch/my%20run", link)
            wait_until((tmp_path / "opened").exists)
        finally:
            process.kill()
    assert (tmp_path / "opened").read_text() == link


@needs_signals
def test_a_server_that_ends_in_the_middle_of_a_search_ends_in_order(tmp_path: Path) -> None:
    server = Server(tmp_path)
    question = {"position": {"game": {"name": "hex", "params": {"size": 5}}}}
    server.post("move", **question, agent="anet:best")
    with ThreadPoolExecutor(1) as client:
        word = (
            "mcts:best,simulations=1000000,time_limit=60,leaves=1,solver=false,static_proofs=false"
        )
        search = client.submit(server.post, "move", **question, agent=word)
        time.sleep(1)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(TIMEOUT) == 128 + signal.SIGTERM
        with pytest.raises(HTTPError, match="500") as caught:
            search.result()
        caught.value.close()
    server.kill()


def link_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().removeprefix("The page is at ").strip()


@needs_signals
@pytest.mark.parametrize("ctrl_c", [False, True], ids=["asked to end", "Ctrl-C again and again"])
def test_a_thread_that_loads_ends_before_python_unless_ctrl_c_comes_again(ctrl_c: bool) -> None:
    seconds = TIMEOUT if ctrl_c else 1.0
    command = [sys.executable, "-c", SLOW, "serve", "--port", "0", str(seconds)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=ROOT, text=True, **pipes) as process:  # type: ignore[call-overload]
        urlopen(link_of(process), timeout=TIMEOUT).close()
        process.send_signal(signal.SIGINT if ctrl_c else signal.SIGTERM)
        if ctrl_c:
            assert any(line.startswith("Ends when the nets are load") for line in process.stdout)
        while ctrl_c and process.poll() is None:
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, errors) == (-signal.SIGINT if ctrl_c else 143, "")
    assert output.endswith("warm\n") == (not ctrl_c)
