"""``playhex`` as a process: it answers, and ends by Ctrl-C with what it has."""

import json
import signal
import sys
from subprocess import PIPE, Popen
from urllib.request import Request, urlopen

import pytest

from oht_client.server.connection import listen
from online.errors import TournamentError
from tests.project import ROOT, TIMEOUT


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be asked to end there")
def test_a_server_answers_until_ctrl_c() -> None:
    words = [sys.executable, str(ROOT / "main.py"), "playhex", "--port", "0", "--bot", "ours=exact"]
    with Popen(words, cwd=ROOT, stdout=PIPE, stderr=PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip().rpartition("=")[2]
            game = {"size": 3, "movesHistory": "b2", "swapRule": True}
            body = json.dumps({"game": game, "ai": {"engine": "ours", "seconds": 60}}).encode()
            with urlopen(Request(f"{address}/calculate-move", body), timeout=TIMEOUT) as response:
                assert response.read() == b"swap-pieces"
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=TIMEOUT)
        finally:
            process.kill()
    assert process.returncode == 130
    assert not errors
    assert output.startswith("ours on 3x3, move 2: swap-pieces (")


@pytest.mark.skipif(sys.platform != "linux", reason="one program has a port there")
def test_a_port_is_shared_by_servers_that_all_say_so() -> None:
    with listen("--port", "localhost", 0, shared=True) as first:
        port = first.getsockname()[1]
        listen("--port", "localhost", port, shared=True).close()
        with pytest.raises(TournamentError, match="another program uses"):
            listen("--port", "localhost", port)
