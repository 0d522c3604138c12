"""The choice of the server, the answers at log-in, and the reports of both sides."""

from __future__ import annotations

import io
import socket
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from base.params import OHTParams
from oht_client import transport
from oht_client.answers import Answers, SessionOptions
from oht_client.client import find_client, find_server
from oht_client.json_wire import receive_message
from oht_client.transport import Server
from tests.oht_client import json_tournament as second
from tests.oht_client.home import Home, home_params, running
from tests.oht_client.raw_clients import first_free_cell
from tests.oht_client.scripted_server import (
    Peer,
    no_prompt_expected,
    play_with,
    scripted_server,
    session_options,
)
from tests.oht_client.test_league import Meeting, leave
from tests.project import TIMEOUT
from tests.tournaments.conftest import Diary
from tournaments.errors import AddressError, ConnectionEndedError, TournamentError
from tournaments.lineup import Lineup
from tournaments.player import TournamentPlayer
from tournaments.results import TournamentRecord

Certificates = tuple[Path, Path]


@pytest.mark.parametrize(
    ("words", "address"),
    [
        ({}, "129.241.113.109:33000"),
        ({"protocol": 2}, "it3105.idi.ntnu.no:33000"),
        ({"protocol": 2, "mode": "league"}, "it3105.idi.ntnu.no:30000"),
        ({"server": "example.org:4"}, "example.org:4"),
    ],
)
def test_the_server_of_the_course_is_the_default(
    tmp_path: Path, words: dict[str, Any], address: str
) -> None:
    assert str(find_server(OHTParams(**words), tmp_path)) == address


def test_the_environment_variables_of_the_course_set_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"HOST": "a.host", "PORT": "1", "LeAGUE_PORT": "x"}.items():
        monkeypatch.setenv(f"IT3105_{name}", value)
    assert str(find_server(OHTParams(protocol=2), tmp_path)) == "a.host:1"
    with pytest.raises(AddressError, match=r"IT3105_LeAGUE_PORT: expected a port .*, got 'x'"):
        find_server(OHTParams(protocol=2, mode="league"), tmp_path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        *((text, "HOST:PORT such as") for text in ("localhost", ":33000", "localhost:0", "x:y")),
        ("localhost:65536", "HOST:PORT such as"),
        ("::1:33000", "not support IPv6"),
        ("[::1]:33000", "not support IPv6"),
    ],
)
def test_a_malformed_address_is_refused(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(AddressError, match=rf"oht\.server: expected .*{words}"):
        find_server(OHTParams(server=text), tmp_path)


def test_the_certificate_is_searched_for_in_the_usual_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def certificate(**words: Any) -> Path:
        return find_server(OHTParams(**words), tmp_path).certificate

    here = {"server": "127.0.0.1:1"}
    assert certificate(**here) == Path("server.crt")
    (tmp_path / "server.crt").touch()
    assert (
        certificate(**here) == certificate(official_client="x", **here) == tmp_path / "server.crt"
    )
    assert certificate() == Path("server.crt")
    assert certificate(official_client="x") == Path("x/server.crt")
    assert certificate(official_client="x", certificate="mine.crt") == Path("mine.crt")
    monkeypatch.setenv("IT3105_CERT", "variable.crt")
    assert certificate() == Path("server.crt")
    assert certificate(protocol=2, official_client="x") == Path("variable.crt")


@pytest.mark.parametrize("protocol", [1, 2])
def test_a_missing_certificate_is_reported_before_any_connection(
    tmp_path: Path, protocol: Any
) -> None:
    with pytest.raises(TournamentError, match=r"none\.crt: the server's certificate: no such file"):
        find_client(OHTParams(protocol=protocol), Server("localhost", 1, tmp_path / "none.crt"))


@pytest.mark.parametrize(
    ("reply", "official"), [("Y", True), ("yes", True), ("1", True), ("n", False), ("No", False)]
)
def test_the_answers_record_whether_an_attempt_was_requested(reply: str, official: bool) -> None:
    answers = Answers({"player-name": "Ada"}, lambda prompt: reply, no_prompt_expected)
    assert (answers.name, answers.official, answers.attempts_left) == (None, None, None)
    answers.ask("Choose a player-name: ")
    answers.ask("Do you want to attempt to qualify? (3 attempts left)")
    left = 2 if official else 3
    assert (answers.name, answers.official, answers.attempts_left) == ("Ada", official, left)
    answers.ask("Do you want to attempt to qualify? (0 attempts left)")
    assert answers.attempts_left == 0
    answers.ask("Do you want to attempt to qualify?")
    assert answers.attempts_left is None


def test_a_secret_is_read_from_a_pipe_without_output(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("s3cret\nmore\n"))
    answers = Answers({})
    assert answers.ask("Please enter your password: ") == "s3cret"
    output, errors = capfd.readouterr()
    assert "s3cret" not in output
    assert errors == ""
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    with pytest.raises(TournamentError, match="the input has ended"):
        answers.ask("Enter API token: ")


def test_prompted_secrets_are_redacted() -> None:
    answers = Answers({"password": "pass.word"}, no_prompt_expected, lambda prompt: "t0ken")
    assert answers.redacted("pass.word or t0ken") == "pass.word or t0ken"
    answers.ask("password: ")
    answers.ask("Enter API token: ")
    assert answers.redacted("pass.word or t0ken?") == "<token> or <token>?"


def test_a_connection_has_tcp_keepalive(certificates: Certificates) -> None:
    with scripted_server(certificates, Peer.wait_until_left) as port:
        server = Server("localhost", port, certificates[0])
        with closing(transport.connect(server, SessionOptions())) as connection:
            option = connection.tls_socket.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    assert option != 0


def test_a_timeout_of_the_system_is_a_cut_connection(
    certificates: Certificates, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Dead:
        """A socket whose other side has sent nothing for minutes."""

        def settimeout(self, seconds: float | None) -> None:
            assert seconds is None

        def recv(self, most: int) -> bytes:
            raise TimeoutError(110, "Connection timed out")

    connection = transport.Connection(Dead(), "localhost:1", 1.0)  # type: ignore[arg-type]
    connection.silence_limit = None
    with pytest.raises(ConnectionEndedError, match="was cut: Connection timed out"):
        receive_message(connection)


@pytest.mark.parametrize("mode", ["league", "qualifiers"])
def test_only_the_wait_for_a_league_opponent_has_no_limit(
    certificates: Certificates, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    limits: list[float | None] = []
    receive = transport.Connection.receive

    def note(self: transport.Connection, most: int = 4096) -> bytes:
        limits.append(self.silence_limit)
        return receive(self, most)

    monkeypatch.setattr(transport.Connection, "receive", note)
    messages: list[str] = []
    assert (
        second.play(certificates, second.script_of(second.WHOLE), mode=mode, tell=messages.append)
        == 100
    )
    assert (None in limits) == (mode == "league")
    assert limits[0] == limits[-1] == TIMEOUT
    assert any("Waiting for an opponent" in line for line in messages) == (mode == "league")


class Guest:
    """Our player, in the league."""

    def __init__(self, home: Home, folder: Path, choose: Any = None) -> None:
        params = home_params("oht.agent=random")
        folder.mkdir()
        self.record = TournamentRecord(folder)
        self.player = TournamentPlayer(Lineup(params, None), self.record, Diary())
        if choose is not None:
            self.player.handle_get_action = choose  # type: ignore[method-assign]
        self.server = Server("localhost", home.ports["league"], home.certificate)

    def play(self) -> None:
        with closing(self.record):
            try:
                options = session_options(known={"token": "ours"})
                play_with(2, self.server, self.player, options, "league")
            except KeyboardInterrupt as end:
                self.player.end(end, league=True)


def kept_result(home: Home, name: str) -> dict[str, Any]:
    """Return the result of a client that the server has kept."""
    home.wait_for(f"{name}: 3 games")
    return next(kept for kept in home.results if kept["name"] == name)


def test_the_remaining_client_reports_the_score_of_the_server(
    tmp_path: Path,
) -> None:
    with running(tmp_path / "home") as home:
        meeting = Meeting(home)
        meeting.enter("leaver", choose=leave)
        guest = Guest(home, tmp_path / "guest")
        guest.play()
        meeting.end()
        kept = kept_result(home, "guest 2")
    result = guest.player.result
    assert result.score == kept["score"] == 100.0
    assert (result.won, result.lost) == (kept["wins"], kept["games"] - kept["wins"]) == (3, 0)
    assert result.series[0].unplayed == 2


def test_the_leaving_client_reports_the_score_of_the_server(tmp_path: Path) -> None:
    def choose(state: Sequence[int]) -> tuple[int, int]:
        if guest.player.result.won + guest.player.result.lost == 1:
            raise KeyboardInterrupt
        return first_free_cell(state)

    with running(tmp_path / "home") as home:
        meeting = Meeting(home)
        stayer = meeting.enter("stayer")
        guest = Guest(home, tmp_path / "guest", choose)
        guest.play()
        meeting.end()
        kept = kept_result(home, "guest 2")
    result = guest.player.result
    assert result.score == kept["score"]
    assert stayer.score == pytest.approx(100 - kept["score"], abs=0.01)
    assert (result.won, result.lost) == (kept["wins"], kept["games"] - kept["wins"])
    assert (result.series[0].unplayed, result.broken_off) == (2, "interrupted")
