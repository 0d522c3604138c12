"""The choice of the server, and the answers at log-in."""

import io
from pathlib import Path
from typing import Any

import pytest

from base.params import OHTParams
from oht_client.answers import Answers
from oht_client.client import find_client, find_server
from oht_client.transport import Server
from online.errors import AddressError, TournamentError
from tests.oht_client.scripted_server import no_prompt_expected

LEAGUE = {"protocol": 2, "mode": "league"}
SERVER = r"oht\.server: expected HOST:PORT "
COURSE, PORT = "it3105.idi.ntnu.no", {"IT3105_LeAGUE_PORT": "x"}


@pytest.mark.parametrize(
    ("words", "variables", "address"),
    [
        ({}, {"IT3105_HOST": "a.host"}, "129.241.113.109:33000"),
        ({"protocol": 2}, {}, f"{COURSE}:33000"),
        (LEAGUE, {}, f"{COURSE}:30000"),
        ({"server": "example.org:4"}, {"IT3105_HOST": "a.host"}, "example.org:4"),
        ({"protocol": 2}, {"IT3105_HOST": "a.host", "IT3105_PORT": "1", **PORT}, "a.host:1"),
        (LEAGUE, PORT, "IT3105_LeAGUE_PORT: expected a port .*, got 'x'"),
        *(({"server": text}, {}, rf"{SERVER}such as") for text in ("localhost", ":33000")),
        *(({"server": f"x:{port}"}, {}, rf"{SERVER}such as") for port in ("0", "y", "65536")),
        *(({"server": f"{host}:1"}, {}, f"{SERVER}.*IPv6") for host in ("::1", "[::1]")),
    ],
)
def test_the_server_is_the_courses_unless_a_variable_or_a_word_sets_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: Any, variables: Any, address: str
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    if "expected" not in address:
        assert str(find_server(OHTParams(**words), tmp_path)) == address
    else:
        with pytest.raises(AddressError, match=address):
            find_server(OHTParams(**words), tmp_path)


def test_the_certificate_is_searched_for_in_the_usual_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def certificate(**words: Any) -> Path:
        return find_server(OHTParams(**words), tmp_path).certificate

    here = {"server": "127.0.0.1:1"}
    assert certificate(**here) == Path("server.crt")
    own = tmp_path / "server.crt"
    own.touch()
    assert certificate(**here) == certificate(official_client="x", **here) == own
    assert certificate() == Path("server.crt")
    assert certificate(official_client="x") == Path("x/server.crt")
    assert certificate(official_client="x", certificate="mine.crt") == Path("mine.crt")
    monkeypatch.setenv("IT3105_CERT", "variable.crt")
    assert certificate() == Path("server.crt")
    assert certificate(protocol=2, official_client="x") == Path("variable.crt")


@pytest.mark.parametrize("host", ["localhost", "host.invalid"])
def test_a_missing_certificate_is_reported_before_any_connection(host: str) -> None:
    with pytest.raises(TournamentError, match=r"none\.crt: .* no such file") as caught:
        find_client(OHTParams(), Server(host, 1, Path("none.crt")))
    assert ("oht-server makes one" in str(caught.value)) == (host == "localhost")


@pytest.mark.parametrize(
    ("reply", "official"), [("Y", True), ("yes", True), ("1", True), ("n", False), ("No", False)]
)
def test_the_answers_record_whether_an_attempt_was_requested(reply: str, official: bool) -> None:
    answers = Answers({"player-name": "Ada"}, lambda prompt: reply, no_prompt_expected)
    assert (answers.name, answers.official, answers.attempts_left) == (None, None, None)
    answers.ask("Choose a player-name: ")
    for left, expected in ((" (3 left)", 3 - official), (" (0 left)", 0), ("", None)):
        answers.ask(f"Do you want to attempt to qualify?{left}")
        assert answers.attempts_left == expected
    assert (answers.name, answers.official) == ("Ada", official)


def test_a_secret_is_read_from_a_pipe_and_never_shown(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("pass.word\nt0ken\n"))
    answers = Answers()
    assert answers.redacted("pass.word or t0ken") == "pass.word or t0ken"
    assert answers.ask("Please enter your password: ") == "pass.word"
    assert answers.ask("Enter API token: ") == "t0ken"
    assert answers.redacted("pass.word or t0ken?") == "<token> or <token>?"
    output, errors = capfd.readouterr()
    assert "pass.word" not in output
    assert errors == ""
    with pytest.raises(TournamentError, match="the input has ended"):
        answers.ask("Enter API token: ")
