"""``oht`` and ``oht-server``, each in a process of its own, as in two terminals."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from tests.commands.conftest import Call, finished, spawn, tree, untrained
from tests.project import Patch, Words

GAMES = 6
SERVER = (
    *("oht.board_size=3", "oht_server.port=0", "oht_server.qualifiers_port=0"),
    *("oht_server.league_port=0", f"oht_server.verification_games={GAMES}"),
    *("oht_server.official_games=4", "oht_server.official_attempts=1"),
    "oht_server.qualifiers_move_limit=30",  # less than the display's delay of 60 below
    "oht_server.opponents=[random,mcts:simulations=3]",
)
CLIENT = ("oht.board_size=3", "oht.agent=random", "display.delay=0")
WITH_NET = ("--net", "net.pt", "oht.board_size=3", "oht.agent=anet", "display.delay=0")
SECRET = "a-secret-of-mine"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tournament")
    untrained(str(folder / "net.pt"), size=3)
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[dict[str, str]]:
    child = spawn(folder, "oht-server", *SERVER)
    child.expect(r"protocol 1 +127.0.0.1:(\d+)")
    first = child.match.group(1)
    child.expect(r"protocol 2 +127.0.0.1:(\d+), league 127.0.0.1:\d+")
    second = child.match.group(1)
    child.expect("Now, elsewhere")
    yield {"1": f"localhost:{first}", "2": f"localhost:{second}"}
    child.kill(signal.SIGINT)
    assert "Traceback" not in finished(child, status=130)


def results(folder: Path) -> list[dict[str, object]]:
    lines = (folder / "runs/oht-server/results.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def newest(folder: Path) -> Path:
    return max(folder.glob("runs/oht-2*"), key=lambda run: (run.stat().st_mtime_ns, run.name))


def log_in(child: pexpect.spawn[str]) -> None:
    child.expect("username")
    child.sendline("somebody")
    child.expect("password")
    child.waitnoecho()
    child.sendline(SECRET)
    child.expect("player-name")
    child.sendline("Ada")


def check_equal_on_both_sides(folder: Path, output: str, games: int) -> None:
    mine = json.loads((newest(folder) / "result.json").read_text())
    theirs = results(folder)[-1]
    assert mine["score"] == theirs["score"] == pytest.approx(100 * mine["won"] / games, abs=0.01)
    assert mine["illegal_actions"] == theirs["illegal_actions"] == 0
    assert mine["won"] + mine["lost"] == games
    kept = (newest(folder) / "games.jsonl").read_text().splitlines()
    assert len(kept) == games
    games_won = (line["winner"] == line["series_id"] for line in map(json.loads, kept))
    assert sum(games_won) == mine["won"]
    assert f"Score: {mine['score']:g} ({mine['won']} of {games} games won)" in output
    assert "Illegal actions: 0." in output
    assert "Traceback" not in output


def test_a_verification_by_protocol_1_keeps_no_secret(folder: Path, server: dict[str, str]) -> None:
    child = spawn(folder, "oht", "--verify", "--server", server["1"], *WITH_NET)
    log_in(child)
    output = finished(child)
    check_equal_on_both_sides(folder, output, GAMES)
    assert SECRET not in output
    for name, content in tree(folder).items():
        assert SECRET.encode() not in content, name
        assert b"somebody" not in content, name
    assert results(folder)[-1]["name"] == "Ada"
    assert "series 2, against player 2002" in output
    # The display shows the first game of each series, and not the others.
    assert len(set(re.findall(r"series \d, game \d of 3", output))) == 2


@pytest.fixture
def second(folder: Path, server: dict[str, str], monkeypatch: Patch, call: Call) -> tuple[str, ...]:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("IT3105_AUTH", SECRET)
    monkeypatch.setenv("IT3105_QUALIFY", "1")  # a verification stays one
    return "oht", "--verify", "--protocol", "2", "--server", server["2"], *CLIENT


def test_no_display_costs_a_move_and_no_board_is_too_large_for_it(
    call: Call, folder: Path, second: Words
) -> None:
    for board_size in (3, 4):  # the server's, and another
        output = call.output(*second, f"oht.board_size={board_size}", "display.delay=60")
        check_equal_on_both_sides(folder, output, GAMES)
        kept = results(folder)[-1]
        assert (kept["left"], kept["kind"]) == ("", "verification")
        assert ("WARNING: the server plays on 3x3" in output) == (board_size == 4)


def test_a_full_disk_hides_no_score_and_is_a_failure(call: Call, second: Words) -> None:
    resource = pytest.importorskip("resource", reason="Windows has no such limit")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300, before[1]))  # bytes of a file
    try:
        result = call(*second, "display.mode=off")
    finally:  # not around pytest's own messages
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (result.status, result.errors) == (1, "")
    assert result.output.count("WARNING: a game is not kept: File too large") == 1
    assert "WARNING: the result is not kept: File too large" in result.output
    assert f" of {GAMES} games and the result." in result.output.splitlines()[-1]
    assert "result.json" not in result.output
    assert "Score: " in result.output


def test_an_official_attempt_is_counted(call: Call, folder: Path, server: dict[str, str]) -> None:
    call.patch.chdir(folder)
    words = ("oht", "--official", "--server", server["1"], "--nickname", "Bob", *CLIENT)
    result = call(*words, typed="perhaps\n")
    assert "Type yes to go on: " in result.output
    assert (result.status, "no official attempt was used" in result.errors) == (2, True)

    typed = f"yes\nsomebody\n{SECRET}\n"
    output = call.output(*words, typed=typed)
    check_equal_on_both_sides(folder, output, 8)
    kept = results(folder)[-1]
    assert (kept["kind"], kept["attempt"], kept["attempts_left"]) == ("official", 1, 0)
    assert json.loads((newest(folder) / "result.json").read_text())["attempts_left"] == 0
    assert "Official attempts left after this one: 0" in output

    result = call(*words, typed=typed)
    assert (result.status, "attempt" in result.errors) == (1, True)
    assert "No game was played." in result.output


def test_ctrl_c_keeps_the_finished_games(folder: Path, server: dict[str, str]) -> None:
    agent = ("oht.agent=mcts", "oht.move_time_limit=0.1")
    words = ["--net", "net.pt", "oht.board_size=3", *agent, "display.mode=off"]
    child = spawn(folder, "oht", "--verify", "--server", server["1"], *words)
    log_in(child)
    child.expect("won [12], lost")
    child.kill(signal.SIGINT)
    output = finished(child, status=130)
    assert "The tournament was broken off" in output
    assert "Traceback" not in output
    kept = (newest(folder) / "games.jsonl").read_text().splitlines()
    assert 1 <= len(kept) < GAMES
    assert json.loads((newest(folder) / "result.json").read_text())["score"] is None
