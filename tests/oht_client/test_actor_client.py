from __future__ import annotations

import inspect
import json
import logging
import os
import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from oht_client import ActorClient, HexActorClient, SessionOptions
from tests.oht_client.json_tournament import (
    CALLS,
    EMPTY,
    FINISH,
    GAME,
    LATER,
    LOG_IN,
    NOTHING,
    SCORE,
    SERIES_OVER,
    TOKEN,
    WHOLE,
    Certificates,
    Dialogue,
    Message,
    run,
    speak,
)
from tests.oht_client.scripted_server import (
    Peer,
    Recorder,
    first_free_cell,
    frame,
    scripted_server,
)
from tests.project import ROOT


def test_a_session_calls_the_hooks_in_order(certificates: Certificates) -> None:
    player = Recorder()
    assert run(certificates, speak(WHOLE), player) == 100.0
    assert player.calls == CALLS


def test_the_league_is_on_its_own_port_and_needs_no_score(certificates: Certificates) -> None:
    player = Recorder()
    league: Dialogue = [LOG_IN[0], *GAME, ([*SERIES_OVER, FINISH], NOTHING)]
    assert run(certificates, speak(league), player, mode="league") is None
    assert player.calls == CALLS[:-1]


def test_there_is_no_other_mode(certificates: Certificates) -> None:
    client = HexActorClient(Recorder(), cert=str(certificates[0]))
    with pytest.raises(ValueError, match="expected mode qualifiers or league, got 'training'"):
        client.run("training")
    with pytest.raises(RuntimeError, match="expected a connection"):
        _ = client.sock


def test_the_course_s_interface_is_kept() -> None:
    parameters = inspect.signature(ActorClient.__init__).parameters
    assert [name for name, kind in parameters.items() if kind.kind is not kind.KEYWORD_ONLY] == [
        *("self", "host", "port", "cert", "auth", "echo", "qualify"),
        *("api_port", "league_port", "log_fmt"),
    ]


def defaults(**environment: str) -> dict[str, object]:
    """Return the attributes of a client that is made in such an environment."""
    program = (
        "import json; from oht_client import ActorClient; c = ActorClient();"
        "names = 'host port cert auth echo api_port league_port'.split();"
        "found = {name: getattr(c, name) for name in names} | c.answers;"
        "print(json.dumps(found | {'level': c.logger.level}))"
    )
    inherited = {name: value for name, value in os.environ.items() if "IT3105" not in name}
    output = subprocess.check_output(
        [sys.executable, "-c", program], env=inherited | environment, cwd=ROOT
    )
    found: dict[str, object] = json.loads(output)
    return found


def test_the_defaults_are_the_course_s() -> None:
    assert defaults() == {
        "host": "it3105.idi.ntnu.no",
        "port": "33000",
        "cert": str(ROOT / "oht_client" / "server.crt"),
        "auth": None,
        "echo": "0",
        "qualify": None,
        "api_port": "32000",
        "league_port": "30000",
        "level": logging.INFO,
    }


def test_the_environment_is_read_as_the_course_s_client_reads_it() -> None:
    assert defaults(
        IT3105_HOST="a.host",
        IT3105_PORT="1",
        IT3105_CERT="a.crt",
        IT3105_AUTH="a token",
        IT3105_ECHO="Yes",
        IT3105_QUALIFY="0",
        IT3105_API_PORT="2",
        IT3105_LeAGUE_PORT="3",
    ) == {
        "host": "a.host",
        "port": "1",
        "cert": "a.crt",
        "auth": "a token",
        "echo": "Yes",
        "qualify": "0",
        "api_port": "2",
        "league_port": "3",
        "level": logging.DEBUG,
    }


class Loose(ActorClient):
    """Overrides hooks as students do, and calls what a base class offers them."""

    def handle_get_action(self, state: Sequence[int]) -> tuple[int, int]:
        """Return any move."""
        assert self.sock.getpeername()[0] == "127.0.0.1"
        return super().handle_get_action(state)


def test_hooks_that_are_not_overridden_log_and_play_any_move(certificates: Certificates) -> None:
    told: list[str] = []
    actions: list[list[int]] = []

    def script(peer: Peer) -> None:
        for messages, answer in WHOLE:
            peer.say_json(*messages)
            if isinstance(answer, list):
                actions.append(peer.hear_json())
            elif answer is not NOTHING:
                assert peer.hear_json() == answer

    with scripted_server(certificates, script) as port:
        client = Loose(
            *("localhost", port, str(certificates[0]), TOKEN),
            qualify="NO",
            options=SessionOptions(tell=told.append),
        )
        assert client.run() == 100.0
    for state, (row, column) in zip((EMPTY, LATER), actions, strict=True):
        assert state[1 + 3 * row + column] == 0
    assert told[:4] == [
        f"Connecting to localhost:{port}",
        "Hello",
        "Authenticating...",
        "Using default answer: qualify=NO",
    ]
    assert told[4].startswith("Series start: unique_id=-200 series_id=2 player_map=[[-200, 2]")
    assert told[-2:] == ["Tournament over: score=100.0", "Connection closed"]


def test_a_session_can_be_followed_by_another(certificates: Certificates) -> None:
    with scripted_server(certificates, speak(WHOLE)) as port:
        client = HexActorClient(
            Recorder(), host="localhost", port=port, cert=str(certificates[0]), auth=TOKEN,
            qualify=0,
        )  # fmt: skip
        assert [client.run(), client.run()] == [100.0, 100.0]


# Each example is a tournament, so that shrinking one that fails would take minutes.
@settings(max_examples=20, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(st.integers())
def test_packets_may_be_cut_and_joined_anywhere(certificates: Certificates, seed: int) -> None:
    generator = random.Random(seed)

    def script(peer: Peer) -> None:
        for messages, answer in WHOLE:
            data = b"".join(frame(message) for message in messages)
            while data:
                length = generator.choice((1, 2, 3, 5, 50, 500))
                peer.say(data[:length])
                data = data[length:]
            if answer is not NOTHING:
                assert peer.hear_json() == answer

    player = Recorder()
    assert run(certificates, script, player) == 100.0
    assert player.calls == CALLS


def test_a_long_message_within_bounds_is_read(certificates: Certificates) -> None:
    told: list[str] = []
    long = {"topic": "message", "message": "x" * 65_000, "level": "of its own"}
    assert run(certificates, speak([([long, FINISH], NOTHING)]), tell=told.append) is None
    assert told[1] == "x" * 65_000


@pytest.mark.parametrize(
    ("typed", "sent"),
    [("yes", True), ("Y", True), ("1", True), (" TRUE ", True), ("n", False), ("F", False)],
)
def test_a_question_is_put_to_a_person(certificates: Certificates, typed: str, sent: bool) -> None:
    asked: list[str] = []

    def ask(prompt: str) -> str:
        asked.append(prompt)
        return typed

    dialogue = [(LOG_IN[1][0], sent), ([FINISH], NOTHING)]
    assert run(certificates, speak(dialogue), qualify=None, ask=ask) is None
    assert asked == ["Qualify? (3 attempts left) [y/n] "]


def test_a_question_is_put_with_its_keyword(certificates: Certificates) -> None:
    question = {"topic": "question", "question": "qualify", "prompt": "For real?"}
    asked: list[str] = []

    def ask(prompt: str) -> str:
        asked.append(prompt)
        return "y"

    dialogue: Dialogue = [([question], True), ([FINISH], NOTHING)]
    assert run(certificates, speak(dialogue), qualify=None, ask=ask) is None
    assert asked == ["qualify: For real? [y/n] "]


@pytest.mark.parametrize("auth", [TOKEN, None, ""])
@pytest.mark.parametrize("listened_to", [False, True])
def test_no_log_shows_the_token_though_it_shows_all_else(
    certificates: Certificates,
    auth: str | None,
    listened_to: bool,
    capsys: pytest.CaptureFixture[str],
) -> None:
    told: list[str] = []
    echo: Message = {"topic": "message", "message": f"You are {TOKEN}.", "level": "WARNING"}
    dialogue: Dialogue = [LOG_IN[0], ([echo], NOTHING), *GAME, ([SCORE, FINISH], NOTHING)]
    asked: list[str] = []

    def ask_secret(prompt: str) -> str:
        asked.append(prompt)
        return f"{TOKEN}\n"

    tell = told.append if listened_to else None
    run(certificates, speak(dialogue), auth=auth, echo="yes", ask_secret=ask_secret, tell=tell)
    log = "\n".join(told) if listened_to else capsys.readouterr().err
    assert "Sending: <token>" in log
    assert "You are <token>." in log
    assert "Sending: (0, 0)" in log
    assert "Received: {'topic': 'request_action'" in log
    assert TOKEN not in log
    assert asked == ([] if auth else ["Enter API token: "])


def test_without_echo_traffic_is_not_logged(
    certificates: Certificates, capsys: pytest.CaptureFixture[str]
) -> None:
    run(certificates, speak(WHOLE), echo=False, log_fmt="log: %(message)s")
    log = capsys.readouterr().err
    assert "log: Hello\n" in log
    assert "Received" not in log


@pytest.mark.parametrize("kind", [np.int64, np.int8])
def test_numpy_s_integers_are_sent_as_plain_ones(
    certificates: Certificates, kind: Callable[[int], Any]
) -> None:
    player = Recorder(lambda state: [kind(number) for number in first_free_cell(state)])
    assert run(certificates, speak(WHOLE), player) == 100.0
