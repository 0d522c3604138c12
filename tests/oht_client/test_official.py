"""The course's own client files, or stand-ins for them, replace our client."""

from __future__ import annotations

import logging
import os
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest

from base.params import OHTParams
from oht_client.answers import Answers, SessionOptions
from oht_client.client import find_client
from oht_client.errors import OfficialClientError
from oht_client.transport import Server
from tests.oht_client import json_tournament as second
from tests.oht_client import text_tournament as first
from tests.oht_client.scripted_server import (
    Peer,
    Recorder,
    no_prompt_expected,
    scripted_server,
)
from tests.oht_client.stand_ins import first_generation, second_generation
from tests.project import TIMEOUT
from tournaments.errors import TournamentError

Certificates = tuple[Path, Path]
Script = Callable[[Peer], None]
Protocol = Literal[1, 2]
Run = Callable[..., float | None]

WHOLE: dict[Protocol, Script] = {
    1: first.script_of(first.WHOLE),
    2: second.script_of(second.WHOLE, Peer.receive_json_in_two_packets),
}
"""Whole tournaments of either generation."""

KNOWN = {
    "username": "somebody",
    "password": "a secret",
    "player-name": "Nick",
    "qualify": "n",
    "stress": "n",
    "token": second.TOKEN,
}


def send_after_welcome(*messages: str) -> Script:
    """Return the script of a server of the first generation that then waits."""

    def script(peer: Peer) -> None:
        peer.send("Welcome", *messages)
        peer.wait_until_left()

    return script


def play(
    protocol: Protocol,
    folder: Path,
    server: Server,
    player: Recorder | None = None,
    answers: Answers | None = None,
    tell: Callable[[str], None] = lambda text: None,
    **oht: Any,
) -> float | None:
    """Play with the client in a folder."""
    params = OHTParams(
        protocol=protocol,
        official_client=str(folder),
        **{"silence_limit": TIMEOUT, **oht},
    )
    known = answers or Answers(KNOWN, no_prompt_expected, no_prompt_expected)
    options = SessionOptions(known, tell, silence_limit=params.silence_limit)
    return find_client(params, server)(player or Recorder(), options)


@pytest.fixture
def run(certificates: Certificates, tmp_path: Path) -> Run:
    """Return a function that plays with a scripted server: ``run(protocol, script, ...)``."""

    def run(protocol: Protocol, script: Script, **options: Any) -> float | None:
        with scripted_server(certificates, script) as port:
            (first_generation if protocol == 1 else second_generation)(tmp_path, certificates[0])
            server = Server("localhost", port, certificates[0])
            return play(protocol, tmp_path, server, **options)

    return run


@pytest.mark.parametrize(("protocol", "calls"), [(1, first.CALLS), (2, second.CALLS)])
def test_the_client_of_each_generation_plays_a_tournament(
    run: Run, protocol: Protocol, calls: list[Any]
) -> None:
    player = Recorder()
    assert run(protocol, WHOLE[protocol], player=player) == 100.0
    assert player.calls == calls


@pytest.mark.parametrize("protocol", [1, 2])
def test_the_official_client_leaves_the_process_unchanged(
    run: Run, tmp_path: Path, protocol: Protocol, capfd: pytest.CaptureFixture[str]
) -> None:
    before = Path.cwd(), dict(os.environ), sys.path[:], {*sys.modules}, socket.getdefaulttimeout()
    run(protocol, WHOLE[protocol])
    after = Path.cwd(), dict(os.environ), sys.path[:], {*sys.modules}, socket.getdefaulttimeout()
    assert after == before
    assert not sys.stdin.closed
    assert capfd.readouterr() == ("", "")
    name = "BasicClientActorAbs.py" if protocol == 1 else "ActorClient.py"
    assert {path.name for path in tmp_path.iterdir()} == {name, "server.crt"}


@pytest.mark.parametrize(("mode", "limit"), [("league", None), ("qualifiers", TIMEOUT)])
def test_the_wait_for_a_league_opponent_has_no_limit(
    run: Run, mode: str, limit: float | None
) -> None:
    limits: list[float | None] = []

    def ask(prompt: str) -> str:
        limits.append(socket.getdefaulttimeout())
        return second.TOKEN if "token" in prompt else "n"

    assert run(2, WHOLE[2], mode=mode, answers=Answers({}, ask, ask)) == 100.0
    assert limits == [limit] * 2


def test_the_silence_of_the_league_has_a_limit_once_a_series_has_begun(run: Run) -> None:
    def script(peer: Peer) -> None:
        peer.send_json(second.SERIES)
        peer.wait_until_left()

    with pytest.raises(TournamentError, match=r"no word from the server for 0\.5 seconds"):
        run(2, script, mode="league", silence_limit=0.5)


def test_prompts_are_answered_by_keyword_and_the_answers_are_recorded(run: Run) -> None:
    answers = Answers(KNOWN, no_prompt_expected, no_prompt_expected)
    stress: first.Dialogue = [(["Take part in the stress test?"], b"n")]
    script = first.script_of([*first.LOG_IN, *stress, *first.GAME, (first.END, None)])
    assert run(1, script, answers=answers) == 100.0
    assert (answers.name, answers.official) == ("Nick", False)


def test_given_answers_override_the_environment(
    run: Run, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("IT3105_AUTH", "another token")
    monkeypatch.setenv("IT3105_QUALIFY", "1")
    monkeypatch.setenv("IT3105_ECHO", "1")
    caplog.set_level(logging.DEBUG)
    messages: list[str] = []
    assert run(2, WHOLE[2], tell=messages.append) == 100.0
    assert "Authenticating..." in messages
    assert second.TOKEN not in caplog.text + "".join(messages)


def test_a_token_that_the_server_repeats_is_not_shown(run: Run) -> None:
    def script(peer: Peer) -> None:
        peer.send_json({"topic": "authentication"})
        token = peer.receive_json_in_two_packets()
        peer.send_json({"topic": "message", "message": f"hello {token}", "level": "INFO"})
        peer.send_json({"topic": "error", "error": f"nobody knows {token}"})

    messages: list[str] = []
    with pytest.raises(TournamentError, match=r"Error: nobody knows <token>$"):
        run(2, script, tell=messages.append)
    assert "hello <token>" in messages


@pytest.mark.parametrize("protocol", [1, 2])
@pytest.mark.parametrize("file", ["client", "folder"])
def test_a_missing_file_is_named(
    certificates: Certificates, tmp_path: Path, protocol: Protocol, file: str
) -> None:
    folder = tmp_path / "official"
    if file == "client":
        folder.mkdir()
    with pytest.raises(OfficialClientError, match=r"py: expected .*, got no such file$"):
        play(protocol, folder, Server("localhost", 1, certificates[0]))


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("import nothing_of_that_name", "ModuleNotFoundError: No module named"),
        ("class ActorClient", "SyntaxError"),
        ("exit()", "SystemExit"),
        ("class Another: pass", "expected a class ActorClient, got none"),
    ],
)
def test_a_file_that_is_no_client_is_one_clear_line(
    certificates: Certificates, tmp_path: Path, source: str, line: str
) -> None:
    second_generation(tmp_path, certificates[0])
    (tmp_path / "ActorClient.py").write_text(source)
    with pytest.raises(OfficialClientError, match=rf"ActorClient\.py: .*{line}") as caught:
        play(2, tmp_path, Server("localhost", 1, certificates[0]))
    assert "\n" not in str(caught.value)


def test_a_refused_move_is_reported(run: Run) -> None:
    player = Recorder()
    script = send_after_welcome(*first.SERIES, "Illegal action", first.LATER, "(0, 0)")
    assert run(1, script, player=player) is None
    assert player.calls[-1] == ("illegal_action", (1, 1, 2, *[0] * 7), (0, 0))


def test_an_absent_server_is_one_clear_line(certificates: Certificates, tmp_path: Path) -> None:
    with scripted_server(certificates, lambda peer: None) as port:
        pass
    folder = first_generation(tmp_path, certificates[0])
    with pytest.raises(TournamentError, match=r"broke down: ConnectionRefusedError.*refused$"):
        play(1, folder, Server("localhost", port, certificates[0]))


@pytest.mark.parametrize(
    ("protocol", "script", "line"),
    [
        (1, lambda peer: peer.send("Invalid credentials, bye"), "last words: Invalid credentials"),
        (1, lambda peer: peer.send("Sorry"), "no attempts left?"),
        (1, lambda peer: peer.send("What is your quest?"), "Unrecognized response from server"),
        (1, lambda peer: peer.send("Welcome", *first.SERIES), r"SyntaxError.* \(so it ends when"),
        (1, send_after_welcome("Series start", "x"), "ValueError"),
        (1, send_after_welcome(*first.SERIES, "The read operation timed out"), "came too late"),
        (1, send_after_welcome(*first.SERIES, "(1, 0, 0)"), "expected the state of a square board"),
        (1, send_after_welcome(*first.SERIES, "Game start", "7"), "expected a player"),
        (2, lambda peer: None, r"Received empty string \(so it ends when"),
        (2, lambda peer: peer.send_json({"topic": "error", "error": "no"}), "Error: no$"),
        (2, lambda peer: peer.send_json({"topic": "surprise"}), "unexpected message"),
        (2, lambda peer: peer.send_json({**second.SERIES, "game_params": []}), "board's size"),
    ],
)
def test_a_failure_gives_one_clear_line(
    run: Run, protocol: Protocol, script: Script, line: str
) -> None:
    with pytest.raises(TournamentError, match=line) as caught:
        run(protocol, script)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("protocol", [1, 2])
def test_silence_has_a_limit(run: Run, protocol: Protocol) -> None:
    with pytest.raises(TournamentError, match=r"no word from the server for 0\.5 seconds"):
        run(protocol, Peer.wait_until_left, silence_limit=0.5)


@pytest.mark.parametrize("fault", [KeyboardInterrupt, TournamentError, ZeroDivisionError, OSError])
def test_an_error_of_the_player_is_raised_unchanged_and_closes_the_connection(
    run: Run, fault: type[BaseException]
) -> None:
    left = threading.Event()

    def script(peer: Peer) -> None:
        peer.send("Welcome", *first.SERIES, first.EMPTY)
        peer.wait_until_left()
        left.set()

    def fail(state: Sequence[int]) -> tuple[int, int]:
        raise fault("mine")

    with pytest.raises(fault, match=r"^mine$"):
        run(1, script, player=Recorder(fail))
    assert left.wait(TIMEOUT)
