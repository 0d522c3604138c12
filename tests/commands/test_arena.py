"""``arena`` on a real server, and what it says when it cannot enter."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pexpect
import pytest

from tests.arena_client.hexgame_server import running_server
from tests.commands.conftest import Call
from tests.commands.test_oht import spawn


def test_two_of_us_play_and_the_result_is_kept_and_shown(call: Call, tmp_path: Path) -> None:
    words = "arena", "--size", "7", "--agent", "random", "--name", "Ada [red]", "display.delay=0"
    with running_server() as address:
        other = spawn(tmp_path, *words, "--server", address)
        other.expect("Waiting for an opponent")
        (slot,) = [
            line
            for line in call("arena", "--server", address, "--slots").output.splitlines()
            if "waits" in line
        ]
        number = slot.partition(":")[0].split()[1]
        done = call(*words[:1], *words[3:], "--server", address, "--slot", number)
        other.expect(pexpect.EOF)
        other.close()
    assert slot == f"slot {number}: 7x7, best of 1, random (Ada [red]) waits"
    assert (done.status, other.exitstatus) in ((0, 0),)
    assert "random (Ada [red])" in done.output
    assert "blue there and red here" in done.output
    runs = sorted((tmp_path / "runs").glob("arena-*"))
    assert len(runs) == 2
    result = json.loads((runs[-1] / "result.json").read_text())
    assert (result["kind"], result["name"], result["won"] + result["lost"]) == (
        "arena",
        "Ada [red]",
        1,
    )
    assert result["score"] == 100.0 * result["won"]
    shown = call("show", runs[-1])
    assert "random (Ada [red])" in shown.output
    assert call("show", runs[-1], "--sgf", "game.sgf").status == 0


def test_ctrl_c_says_how_to_return_and_keeps_the_token_out_of_files(tmp_path: Path) -> None:
    words = "arena", "--size", "7", "--agent", "random", "display.delay=0", "display.mode=off"
    with running_server() as address:
        left = spawn(tmp_path, *words, "--server", address)
        left.expect("Waiting for an opponent")
        left.kill(signal.SIGINT)
        left.expect(r"--reconnect (\d+)")
        number = left.match.group(1)
        left.expect(r"token, which works once: (\S+)")
        token = left.match.group(1)
        left.expect(pexpect.EOF)
        left.close()
        assert left.exitstatus == 130
        again = spawn(tmp_path, *words, "--server", address, "--reconnect", number)
    again.close(force=True)
    for file in tmp_path.rglob("*.json*"):
        assert token not in file.read_text()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--server", "localhost:33000"), "ws://localhost:8000"),
        (("--server", "http://localhost:8000"), "ws://localhost:8000"),
        (("--server", "ws://localhost:99999"), "ws://localhost:8000"),
        (("--server", "ws://127.0.0.1:9", "--slots"), "cannot reach the server"),
        (("--server", "ws://127.0.0.1:9", "--slot", "1", "--size", "7"), "leave out --size"),
        (("--server", "ws://127.0.0.1:9", "--slot", "1", "--forever"), "one series"),
        (("--server", "ws://127.0.0.1:9", "--agent", "nobody"), "nobody"),
        ((), "--server"),
    ],
)
def test_what_cannot_be_entered_is_one_line(
    call: Call, words: tuple[str, ...], expected: str
) -> None:
    refused = call("arena", *words)
    assert refused.status in (1, 2)
    assert expected in refused.errors
    assert "Traceback" not in refused.errors


def test_a_size_that_the_server_does_not_offer_is_its_own_line(call: Call, tmp_path: Path) -> None:
    with running_server() as address:
        refused = call("arena", "--server", address, "--size", "5", "--agent", "random")
    assert refused.status == 1
    assert "Unsupported board size" in refused.errors
    assert not (tmp_path / "runs").exists()
