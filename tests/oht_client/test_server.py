"""The whole server: start, stop, and recovery from errors."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import ssl
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from base.storage import read_jsonl
from oht_client.server.server import OHTServer
from tests.oht_client.home import home_params, running
from tests.oht_client.raw_clients import ClientError, JSONClient, dial
from tests.project import ROOT, TIMEOUT
from tournaments.errors import AddressError, TournamentError


def server_in(folder: Path, *overrides: str) -> OHTServer:
    """Return a server that is not yet started, and whose lines are dropped."""
    return OHTServer(home_params(*overrides), folder, lambda line: None)


def test_a_port_that_is_taken_is_one_clear_error_and_nothing_is_left_open(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        server = server_in(tmp_path, f"oht_server.league_port={port}")
        expected = f"oht_server.league_port: expected a free port, got {port}, which another "
        with pytest.raises(TournamentError, match=f"^{expected}program uses; try another [^\n]*$"):
            asyncio.run(server.start())
    for other in server.ports.values():
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", other)).close()


@pytest.mark.parametrize("host", ["nowhere.invalid", "1.2.3.4.5", "a" * 70])
def test_a_malformed_host_is_one_clear_error(tmp_path: Path, host: str) -> None:
    with pytest.raises(
        TournamentError, match=r"^oht_server\.port: cannot listen on .*: ."
    ) as refused:
        asyncio.run(server_in(tmp_path, f"oht_server.host='{host}'").start())
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("host", ["::", "::1", "fe80::1%eth0"])
def test_an_address_unknown_to_clients_is_refused_with_an_alternative(
    tmp_path: Path, host: str
) -> None:
    expected = rf"^oht_server\.host: expected .*0\.0\.0\.0 .*, got '{host}': .* not support IPv6$"
    with pytest.raises(AddressError, match=expected):
        server_in(tmp_path, f"oht_server.host={host}")
    assert list(tmp_path.iterdir()) == []


def test_a_port_probe_is_reported_without_an_error(tmp_path: Path) -> None:
    with running(tmp_path) as home:
        for count, port in enumerate(home.ports.values(), start=1):
            dial(port, home.certificate).close()
            home.wait_for("a client left before it played: disconnected", count=count)
        socket.create_connection(("127.0.0.1", home.ports["text"])).close()
        home.wait_for("a client could not connect: no TLS: disconnected")


def test_every_game_is_kept_at_its_end_and_belongs_to_a_result(tmp_path: Path) -> None:
    with running(tmp_path) as home:
        client = JSONClient(home.ports["json"], home.certificate)
        client.run()
        home.wait_for("score")
        games = read_jsonl(tmp_path / "games.jsonl")
        (result,) = home.results
        ends = [hook[1:] for hook in client.hooks if hook[0] == "game_over"]
    assert [(game["winner"], game["end_state"]) for game in games] == ends
    assert sum(game["winner"] == 1 for game in games) == result["wins"]
    assert result["played"] == len(games) == 5
    assert [game["starting_player"] for game in games] == [1, 2, 1, 2, 1]
    for game in games:
        assert game["tournament"] == result["started"]
        assert (game["players"], game["board_size"]) == (["guest 1", "random"], 3)
        board = [0] * 9
        for ply, (row, column) in enumerate(game["moves"]):
            board[3 * row + column] = (
                game["starting_player"] if ply % 2 == 0 else (3 - game["starting_player"])
            )
        assert board == game["end_state"][1:]


def test_an_incomplete_result_from_a_crash_is_cut_off(tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").write_text('{"name": "first"}\n{"na')
    with running(tmp_path) as home:
        JSONClient(home.ports["json"], home.certificate).run()
        home.wait_for("score")
        assert [result["name"] for result in home.results] == ["first", "guest 1"]


def test_results_that_cannot_be_kept_are_one_clear_error(tmp_path: Path) -> None:
    for name in ("results.jsonl", "games.jsonl"):
        (tmp_path / name / name).mkdir(parents=True)
        with pytest.raises(TournamentError, match=rf"{name}: cannot be written: "):
            asyncio.run(server_in(tmp_path / name).start())


def test_a_full_disk_does_not_end_a_tournament(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("base.storage.log.AppendLog.append", full)
    with running(tmp_path) as home:
        client = JSONClient(home.ports["json"], home.certificate)
        client.run()
        assert client.score is not None
        for name in ("games", "results"):
            home.wait_for(f"{name}.jsonl: cannot be written: No space left on device")
        assert sum("cannot be written" in line for line in home.messages) == 2  # of six


def test_an_opponent_that_fails_ends_the_session_and_not_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with running(tmp_path, may_fail=True) as home:
        with monkeypatch.context() as patched:
            patched.setattr("agents.random.RandomAgent.choose_action", lambda self, state: 1 // 0)
            with pytest.raises(ClientError, match="the server has failed"):
                JSONClient(home.ports["json"], home.certificate).run()
        home.wait_for("a session ended because the server failed")
        client = JSONClient(home.ports["json"], home.certificate)
        client.run()
        assert client.score is not None
    assert "ZeroDivisionError" in caplog.text


def test_a_silent_connection_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oht_client.server.server._HANDSHAKE_SECONDS", 0.1)
    with (
        running(tmp_path) as home,
        socket.create_connection(("127.0.0.1", home.ports["text"])) as mute,
    ):
        home.wait_for("a client could not connect: no TLS: no handshake within 0.1 seconds")
        mute.settimeout(TIMEOUT)
        assert mute.recv(1024) == b""


def test_stopping_cuts_every_connection_in_every_state(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    with running(tmp_path, "oht_server.verification_games=1000") as home:
        waiting = JSONClient(home.ports["league"], home.certificate)
        waiting.receive()
        waiting.send("token")
        home.wait_for("comes to the league")
        silent = JSONClient(home.ports["json"], home.certificate)
        mute = socket.create_connection(("127.0.0.1", home.ports["text"]))
        playing = JSONClient(home.ports["json"], home.certificate)
        cut: list[Exception] = []

        def play() -> None:
            try:
                playing.run()
            except OSError as error:
                cut.append(error)

        player = threading.Thread(target=play)
        player.start()
        home.wait_for("verification")
    player.join()
    assert len(cut) == 1
    for sock in (waiting.sock, silent.sock, mute):
        sock.settimeout(TIMEOUT)
        with sock, contextlib.suppress(ConnectionResetError, ssl.SSLError):
            while sock.recv(1024):
                pass
    assert set(threading.enumerate()) <= before


def test_stopping_twice_or_before_the_start_does_no_harm(tmp_path: Path) -> None:
    async def stop_twice() -> None:
        await server_in(tmp_path).stop()
        server = server_in(tmp_path)
        await server.start()
        await server.stop()
        await server.stop()

    asyncio.run(stop_twice())


def test_importing_the_room_loads_nothing_heavy() -> None:
    code = (
        "import sys, json, oht_client, oht_client.server\n"
        "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert not {"torch", "numba", "cryptography", "pydantic", "asyncio"} & {*json.loads(ran.stdout)}
