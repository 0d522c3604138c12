"""``oht --check``, and starts that fail."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest

from commands.tournament_display import _show
from oht_client.server.tls import ensure_certificate
from state_manager import State
from tests.commands.conftest import Call
from tests.oht_client.home import Home, running
from tests.oht_client.scripted_server import listening
from tests.oht_client.stand_ins import put_client
from tournaments.lineup import Lineup, TimedAgent, TimedMove
from tournaments.results import (
    Event,
    SeriesResult,
    TournamentRecord,
    TournamentResult,
)

AGENT = ("oht.board_size=3", "oht.agent=random", "oht.connect_attempts=1")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """A server for all tests here."""
    with running(tmp_path_factory.mktemp("home")) as home:
        yield home


def outcomes(output: str) -> dict[str, str]:
    """Return the outcome of each step."""
    return {name: outcome for outcome, name, *_ in map(str.split, output.splitlines())}


@pytest.mark.parametrize(("protocol", "port"), [("1", "text"), ("2", "json"), ("2", "league")])
def test_each_step_that_fits_gets_a_line_and_no_client_logs_in(
    call: Call, home: Home, protocol: str, port: str
) -> None:
    before = len(home.messages)
    server = f"localhost:{home.ports[port]}"
    words = ("--check", "--server", server, "--protocol", protocol, *AGENT)
    result = call("oht", *words, f"oht.certificate={home.certificate}")
    assert result.status == 0, result
    steps = ["agent", "certificate", "address", "port", "server", "moves"]
    assert outcomes(result.output) == dict.fromkeys(steps, "ok")
    assert "localhost is 127.0.0.1" in result.output
    assert "random on 3x3: at worst 0." in result.output
    home.wait_for("a client left before it played: disconnected", count=before + 1)
    assert len(home.messages[before:]) == 1  # there was one connection
    assert not Path("runs").exists()


def test_a_failed_step_is_reported_and_dependent_steps_are_skipped(call: Call, home: Home) -> None:
    other, _ = ensure_certificate(Path("other"))
    text = home.ports["text"]
    cases = [
        ((f"localhost:{text}", other), "ok ok ok ok FAILED ok", "not the expected one"),
        ((f"localhost:{text}", "none.crt"), "ok FAILED ok ok - ok", "none.crt: the server"),
        (("localhost:1", other), "ok ok ok FAILED - ok", "refused"),
        (("nowhere.invalid:1", other), "ok ok FAILED - - ok", "address"),
        (("nowhere.invalid:1", "none.crt"), "ok FAILED FAILED - - ok", "none.crt: the server"),
        ((f"{'a' * 70}:1", other), "ok ok FAILED - - ok", "not a host name"),
    ]
    for (server, certificate), expected, words in cases:
        result = call(
            "oht", "--check", "--server", server, *AGENT, f"oht.certificate={certificate}"
        )
        assert result.status == 1
        assert list(outcomes(result.output).values()) == expected.split(), result
        assert words in result.output
        assert result.errors == ""


def test_all_faults_are_reported_and_those_of_files_come_first(call: Call) -> None:
    words = ("--net", "none.pt", "oht.agent=anet", "oht.certificate=none.crt")
    server = ("--server", "nowhere.invalid:1", "oht.official_client=nowhere")
    result = call("oht", "--check", *server, *words)
    assert (result.status, result.errors) == (1, "")
    found = outcomes(result.output)
    assert list(found) == ["agent", "certificate", "client", "address", "port", "server", "moves"]
    assert list(found.values()) == [*["FAILED"] * 4, *["-"] * 3]
    for path in ("none.pt", "none.crt", "nowhere/BasicClientActorAbs.py"):
        assert path in result.output


def test_a_server_without_tls_fails_the_check(call: Call) -> None:
    ensure_certificate(Path("runs/oht-server"))
    with listening(lambda plain: plain.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as port:
        result = call("oht", "--check", "--server", f"localhost:{port}", *AGENT)
    assert outcomes(result.output)["server"] == "FAILED"
    assert "no TLS connection (WRONG_VERSION_NUMBER)" in result.output


@pytest.mark.parametrize(("seconds", "fault"), [(3.0, ""), (0.1, "no move after 1 s")])
def test_a_late_agent_fails_the_check(
    call: Call, home: Home, monkeypatch: pytest.MonkeyPatch, seconds: float, fault: str
) -> None:
    def choose(self: TimedAgent, state: State) -> TimedMove:
        return TimedMove(int((state[1:10] == 0).argmax()), seconds, fault)

    monkeypatch.setattr(TimedAgent, "choose_action", choose)
    server = f"localhost:{home.ports['text']}"
    words = ("--check", "--server", server, *AGENT, f"oht.certificate={home.certificate}")
    result = call("oht", *words, "oht.move_time_limit=1")
    assert result.status == 1
    assert outcomes(result.output)["moves"] == "FAILED"
    assert f"at worst {seconds:.2f} s of 1 s, {fault or 'that is too late'}" in result.output


@pytest.mark.parametrize(
    "words",
    [
        ("oht.certificate=none.crt",),
        ("oht.official_client=nowhere",),
        ("--net", "none.pt", "oht.agent=anet"),
        ("--server", "localhost"),
    ],
    ids=["certificate", "client", "net", "address"],
)
def test_a_bad_path_is_found_before_the_warm_up_and_the_question_about_an_attempt(
    call: Call, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("too early")

    monkeypatch.setattr(Lineup, "warm_up", fail)
    monkeypatch.setattr("builtins.input", fail)
    ensure_certificate(Path("runs/oht-server"))
    usual = ("--official", "--server", "localhost:1", "oht.board_size=3", "oht.agent=random")
    result = call("oht", *usual, *words)
    assert result.status in (1, 2)
    assert result.errors.count("\n") == 1
    assert list(Path("runs").glob("oht-2*")) == []


def test_the_check_imports_the_client_of_the_course(call: Call, home: Home) -> None:
    server = f"localhost:{home.ports['text']}"
    words = ("--check", "--server", server, *AGENT, f"oht.certificate={home.certificate}")
    result = call("oht", *words, "oht.official_client=course")
    assert outcomes(result.output)["client"] == "FAILED"
    assert "BasicClientActorAbs.py: expected the course's client there" in result.output
    put_client(1, Path("course"), home.certificate)
    result = call("oht", *words, "oht.official_client=course")
    assert outcomes(result.output)["client"] == "ok"
    assert result.status == 0


@pytest.mark.parametrize(("protocol", "forgiven"), [(1, ""), (2, " (one more, if the server ")])
def test_an_end_in_the_first_game_names_no_missing_file(
    protocol: int, forgiven: str, tmp_path: Path
) -> None:
    event = Event("localhost:1", protocol, kind="official", attempts_left=2)
    result = TournamentResult([SeriesResult(2001, 1, 4, 3, "net")], broken_off="late")
    display = Mock()
    record = TournamentRecord(tmp_path)
    record.finish(event, result)
    _show("Online Hex Tournament", result, event, display, record)
    lines = [call.args[0] for call in display.message.call_args_list]
    assert lines[0] == "The tournament was broken off in its first game."
    assert lines[1].startswith(f"Official attempts left after this one: 2{forgiven}")
    assert lines[2:] == [f"Illegal actions: 0. The result is in {tmp_path / 'result.json'}."]


def test_a_start_that_fails_leaves_no_folder(call: Call) -> None:
    ensure_certificate(Path("runs/oht-server"))
    result = call("oht", "--verify", "--server", "localhost:1", *AGENT, "display.mode=off")
    assert result.status == 1
    assert "cannot reach the server" in result.errors
    assert "No game was played." in result.output
    assert list(Path("runs").glob("oht-2*")) == []
