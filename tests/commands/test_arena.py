"""``arena`` on a real server, and what it says when it cannot enter."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.conftest import Call, finished, spawn
from tests.online.arena.hexgame_server import running_server


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running_server() as address:
        yield address


def test_two_of_us_play_and_keep_their_result(call: Call, tmp_path: Path, address: str) -> None:
    words = "arena", "--size", "7", "--agent", "random", "--name", "Ada [red]", "display.delay=0"
    other = spawn(tmp_path, *words, "--server", address)
    other.expect("Waiting for an opponent")
    slots = call.output("arena", "--server", address, "--slots").splitlines()
    (slot,) = [line for line in slots if "waits" in line]
    number = slot.partition(":")[0].split()[1]
    output = call.output(*words[:1], *words[3:], "--server", address, "--slot", number)
    finished(other)
    assert slot == f"slot {number}: 7x7, best of 1, random (Ada [red]) waits"
    assert "random (Ada [red])" in output
    assert "blue there and red here" in output
    runs = sorted((tmp_path / "runs").glob("arena-*"))
    assert len(runs) == 2
    result = json.loads((runs[-1] / "result.json").read_text())
    assert (result["kind"], result["name"]) == ("arena", "Ada [red]")
    assert result["won"] + result["lost"] == 1
    assert result["score"] == 100.0 * result["won"]
    assert "random (Ada [red])" in call.output("show", runs[-1])
    call.output("show", runs[-1], "--sgf", "game.sgf")


def test_ctrl_c_says_how_to_return_and_no_file_has_the_token(tmp_path: Path, address: str) -> None:
    words = "arena", "--size", "9", "--agent", "random", "display.delay=0", "display.mode=off"
    left = spawn(tmp_path, *words, "--server", address)
    left.expect("Waiting for an opponent")
    left.kill(signal.SIGINT)
    left.expect(r"--reconnect \d+")
    left.expect(r"token, which works once: (\S+)")
    token = left.match.group(1)
    finished(left, status=130)
    for file in tmp_path.rglob("*.json*"):
        assert token not in file.read_text()
