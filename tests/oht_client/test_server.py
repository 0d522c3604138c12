"""The whole server: start, stop, records, and recovery from errors."""

import asyncio
import contextlib
import socket
import ssl
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock

import pytest

from base.storage import read_jsonl
from oht_client.server.server import OHTServer
from online.errors import AddressError, TournamentError
from tests.oht_client.home import home_params, running
from tests.oht_client.raw_clients import Client, first_free_cell
from tests.project import TIMEOUT


def server_in(folder: Path, *overrides: str) -> OHTServer:
    """Return a server that is not yet started, and whose lines are dropped."""
    return OHTServer(home_params(*overrides), folder, lambda line: None)


def test_a_port_that_is_taken_is_one_clear_error_and_nothing_is_left_open(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        server = server_in(tmp_path, f"oht_server.league_port={port}")
        words = f"^oht_server.league_port: expected a free port, got {port}[^\n]*$"
        with pytest.raises(TournamentError, match=words):
            asyncio.run(server.start())
    for other in server.ports.values():
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", other)).close()


@pytest.mark.parametrize(
    ("host", "error", "words"),
    [
        *((host, TournamentError, "port: cannot listen on") for host in ("1.2.3.4.5", "a" * 70)),
        *((host, AddressError, "host: expected .* IPv6") for host in ("::", "::1", "fe80::1%eth0")),
    ],
)
def test_a_wrong_host_is_one_error(
    tmp_path: Path, host: str, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=rf"^oht_server\.{words}[^\n]*$"):
        asyncio.run(server_in(tmp_path, f"oht_server.host='{host}'").start())


def test_a_silent_connection_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oht_client.server.server._HANDSHAKE_SECONDS", 0.1)
    with running(tmp_path) as home:
        address = ("127.0.0.1", home.ports["text"])
        with socket.create_connection(address, TIMEOUT) as mute:
            home.wait_for("no TLS: no handshake within 0.1 seconds")
            assert mute.recv(1024) == b""
        socket.create_connection(address).close()
        home.wait_for("no TLS: disconnected")


def test_every_game_is_kept_at_its_end_and_belongs_to_a_result(tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").write_text('{"name": "first"}\n{"na')  # of a crash
    with running(tmp_path) as home:
        client = home.play("json")
        home.wait_for("score")
        games = read_jsonl(tmp_path / "games.jsonl")
        first, result = home.results
    assert (first["name"], result["name"], result["played"]) == ("first", "guest 1", 5)
    assert [[game["winner"], game["end_state"]] for game in games] == client.calls("game_over")
    assert sum(game["winner"] == 1 for game in games) == result["wins"]
    assert [game["starting_player"] for game in games] == [1, 2, 1, 2, 1]
    for game in games:
        assert game["tournament"] == result["started"] <= result["ended"]
        assert (game["players"], game["board_size"]) == (["guest 1", "random"], 3)
        board, player = [0] * 9, game["starting_player"]
        for row, column in game["moves"]:
            board[3 * row + column], player = player, 3 - player
        assert board == game["end_state"][1:]


def test_results_that_cannot_be_kept_are_one_clear_error(tmp_path: Path) -> None:
    for name in ("results.jsonl", "games.jsonl"):
        (tmp_path / name / name).mkdir(parents=True)
        with pytest.raises(TournamentError, match=rf"{name}: cannot be written: "):
            asyncio.run(server_in(tmp_path / name).start())


def test_a_full_disk_ends_no_tournament(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = Mock(side_effect=OSError(28, "No space left on device"))
    monkeypatch.setattr("base.storage.log.AppendLog.append", full)
    with running(tmp_path) as home:
        assert home.play("json").score is not None
        for name in ("games", "results"):
            home.wait_for(f"{name}.jsonl: cannot be written: No space left on device")
        assert home.count("cannot be written") == 2  # of six


def test_an_opponent_that_fails_ends_the_session_and_not_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with running(tmp_path, may_fail=True) as home:
        with monkeypatch.context() as patched:
            patched.setattr("agents.random.RandomAgent.choose_action", lambda self, state: 1 // 0)
            assert home.play("json").messages[-1] == ("error", "the server has failed")
        home.wait_for("a session ended because the server failed")
        assert home.play("json").score is not None
    assert "ZeroDivisionError" in caplog.text


def test_stopping_cuts_every_connection_and_keeps_unfinished_tournaments(tmp_path: Path) -> None:
    before, go_on = set(threading.enumerate()), threading.Event()

    def stay(client: Client, games: int, there: threading.Event) -> None:
        """Play some games, then stay until the server has stopped."""

        def choose(state: Sequence[int]) -> object:
            if len(client.calls("game_over")) == games:
                there.set()
                go_on.wait(TIMEOUT)
            return first_free_cell(state)

        client.choose = choose
        with contextlib.suppress(OSError):
            client.run()

    with ThreadPoolExecutor() as pool:
        with running(tmp_path, "oht_server.qualifiers_move_limit=null") as home:
            mute = socket.create_connection(("127.0.0.1", home.ports["text"]), TIMEOUT)
            silent = home.connect("json")
            league, practice = threading.Event(), threading.Event()
            for port, games, there in (("league", 1, league),) * 2 + (("json", 2, practice),):
                pool.submit(stay, home.connect(port), games, there)
            assert league.wait(TIMEOUT)
            assert practice.wait(TIMEOUT)
            waiting = home.connect("league", auth="two")
            waiting.step()
            home.wait_for("comes to the league", count=3)
        go_on.set()
    for sock in (waiting.sock, silent.sock, mute):
        with sock, contextlib.suppress(ConnectionResetError, ssl.SSLError):
            while sock.recv(1024):
                pass
    assert set(threading.enumerate()) <= before

    assert all(result["left"] == "the server was stopped" for result in home.results)
    assert all(result["score"] is None for result in home.results)
    found = sorted((result["kind"], result["games"]) for result in home.results)
    assert found == [("league", 1), ("league", 1), ("verification", 2)]
    assert sum(kept["wins"] for kept in home.results if kept["kind"] == "league") == 1
    assert {result["server"] for result in home.results} == {
        f"127.0.0.1:{home.ports[port]}" for port in ("league", "json")
    }
    assert home.count("the verification tournament is ended after 2 of 5 games") == 1


def test_stopping_twice_or_before_the_start_does_no_harm(tmp_path: Path) -> None:
    async def stop_twice() -> None:
        await server_in(tmp_path).stop()
        server = server_in(tmp_path)
        await server.start()
        await server.stop()
        await server.stop()

    asyncio.run(stop_twice())
