"""``oht`` on a server in this process: ``--check``, prompts that read a pipe, failed starts."""

import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest

from oht_client.server.tls import ensure_certificate
from online.lineup import Lineup, TimedAgent, TimedMove
from state_manager import State
from tests.commands.conftest import Call
from tests.oht_client.home import Home, running
from tests.oht_client.scripted_server import listening
from tests.oht_client.stand_ins import put_client
from tests.project import Words

AGENT = ("oht.board_size=3", "oht.agent=random", "oht.connect_attempts=1", "display.mode=off")
SECRET = "a-secret-of-mine"
STEPS = ["agent", "certificate", "client", "address", "port", "server", "moves"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with running(tmp_path_factory.mktemp("home")) as home:
        yield home


def on(home: Home, port: str = "text", protocol: int = 1) -> tuple[str, ...]:
    server = ("--server", f"localhost:{home.ports[port]}", "--protocol", str(protocol))
    return *server, *AGENT, f"oht.certificate={home.certificate}"


def outcomes(output: str) -> dict[str, str]:
    return {name: outcome for outcome, name, *_ in map(str.split, output.splitlines())}


@pytest.mark.parametrize(("protocol", "port"), [(1, "text"), (2, "json"), (2, "league")])
def test_each_good_step_is_a_line_without_a_log_in(
    call: Call, home: Home, protocol: int, port: str
) -> None:
    before = len(home.messages)
    output = call.output("oht", "--check", *on(home, port, protocol))
    assert outcomes(output) == {step: "ok" for step in STEPS if step != "client"}
    assert "localhost is 127.0.0.1" in output
    assert "random on 3x3: at worst 0." in output
    home.wait_for("a client left before it played: disconnected", count=before + 1)
    assert len(home.messages[before:]) == 1  # there was one connection
    assert not Path("runs").exists()


def test_a_failed_step_is_reported_and_dependent_steps_are_skipped(call: Call, home: Home) -> None:
    other, _ = ensure_certificate(Path("other"))
    text = f"localhost:{home.ports['text']}"
    files = ("--net", "none.pt", "oht.agent=anet", "oht.official_client=nowhere")
    no_file = ["none.pt", "none.crt", "nowhere/BasicClientActor"]
    with listening(lambda plain: plain.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as port:
        plain = f"localhost:{port}"
        for server, certificate, more, expected, said in (
            (text, other, (), "ok ok ok ok FAILED ok", ["not the expected one"]),
            (text, "none.crt", (), "ok FAILED ok ok - ok", ["none.crt: the server"]),
            ("localhost:1", other, (), "ok ok ok FAILED - ok", ["refused"]),
            ("nowhere.invalid:1", other, (), "ok ok FAILED - - ok", ["nowhere.invalid"]),
            (f"{'a' * 70}:1", other, (), "ok ok FAILED - - ok", ["not a host name"]),
            ("x.invalid:1", "none.crt", files, "FAILED FAILED FAILED FAILED - - -", no_file),
            (plain, other, (), "ok ok ok ok FAILED ok", ["no TLS connection (WRONG_VERSION_NUM"]),
        ):
            where = ("--server", server, *AGENT, f"oht.certificate={certificate}")
            result = call("oht", "--check", *where, *more)
            assert (result.status, result.errors) == (1, "")
            assert list(outcomes(result.output).values()) == expected.split(), result
            assert all(each in result.output for each in said)


@pytest.mark.parametrize(("seconds", "fault"), [(3.0, ""), (0.1, "no move after 1 s")])
def test_a_late_agent_fails_the_check(call: Call, home: Home, seconds: float, fault: str) -> None:
    def choose(self: TimedAgent, state: State) -> TimedMove:
        return TimedMove(int((state[1:10] == 0).argmax()), seconds, fault)

    call.patch.setattr(TimedAgent, "choose_action", choose)
    result = call("oht", "--check", *on(home), "oht.move_time_limit=1")
    assert result.status == 1
    assert outcomes(result.output)["moves"] == "FAILED"
    assert f"at worst {seconds:.2f} s of 1 s, {fault or 'that is too late'}" in result.output


def test_the_check_imports_the_client_of_the_course(call: Call, home: Home) -> None:
    words = ("oht", "--check", *on(home), "oht.official_client=course")
    output = call(*words).output
    assert outcomes(output)["client"] == "FAILED"
    assert "BasicClientActorAbs.py: expected the course's client there" in output
    put_client(1, Path("course"), home.certificate)
    assert outcomes(call.output(*words))["client"] == "ok"


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
def test_a_bad_path_is_found_before_the_warm_up_and_any_question(call: Call, words: Words) -> None:
    call.patch.setattr(Lineup, "warm_up", Mock(side_effect=AssertionError("too early")))
    call.patch.setattr("builtins.input", Lineup.warm_up)
    ensure_certificate(Path("runs/oht-server"))
    result = call("oht", "--official", "--server", "localhost:1", *AGENT, *words)
    assert result.status in (1, 2)
    assert result.errors.count("\n") == 1
    assert list(Path("runs").glob("oht-2*")) == []


def test_a_start_that_fails_leaves_no_folder(call: Call) -> None:
    ensure_certificate(Path("runs/oht-server"))
    result = call("oht", "--verify", "--server", "localhost:1", *AGENT)
    assert result.status == 1
    assert "cannot reach the server" in result.errors
    assert "No game was played." in result.output
    assert list(Path("runs").glob("oht-2*")) == []


def test_prompts_read_a_pipe_whose_end_is_an_error(call: Call, home: Home) -> None:
    words = ("oht", "--verify", *on(home))
    output = call.output(*words, typed=f"somebody\n{SECRET}\nAda\n")
    assert SECRET not in output
    prompts = [line for line in output.splitlines() if line.strip().endswith(":")]
    assert len(prompts) == 3, "each is on a line of its own"
    call.patch.setattr("sys.stdin", None)
    result = call(*words)
    sys.stdin.close()
    assert (result.status, result.errors.count("\n")) == (1, 1)
    assert result.errors.endswith(", but the input has ended\n")


@pytest.mark.parametrize(
    ("protocol", "port", "hint"),
    [(1, "json", "(protocol 2?)"), (2, "text", "does the server speak protocol 1?")],
)
def test_a_protocol_is_guessed(call: Call, home: Home, protocol: int, port: str, hint: str) -> None:
    result = call("oht", "--verify", *on(home, port, protocol), typed="")
    assert result.status == 1
    assert hint in result.errors
