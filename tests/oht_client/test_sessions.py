"""The clients of both generations play, in front of a scripted server."""

from __future__ import annotations

import logging
import os
import random
import signal
import threading
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from oht_client import text_wire
from tests.oht_client import json_tournament as second
from tests.oht_client import text_tournament as first
from tests.oht_client.json_tournament import FINISH, KNOWN, LOG_IN, SCORE, TOKEN, Dialogue, Message
from tests.oht_client.scripted_server import Peer, Recorder
from tests.project import TIMEOUT
from tournaments.errors import TournamentError

pytestmark = pytest.mark.usefixtures("quick_log_in")

GENERATIONS = {"text": first, "JSON": second}

Certificates = first.Certificates


@pytest.mark.parametrize("generation", GENERATIONS.values(), ids=GENERATIONS)
def test_a_tournament_calls_the_hooks_in_order(
    certificates: Certificates, monkeypatch: pytest.MonkeyPatch, generation: Any
) -> None:
    monkeypatch.setattr("tournaments.session._MOST_IDLE", 5)  # in a row, not in all
    player = Recorder()
    script = generation.script_of(generation.WHOLE)
    assert generation.play(certificates, script, player) == 100.0
    assert player.calls == generation.CALLS


def test_the_league_needs_no_score(certificates: Certificates) -> None:
    player = Recorder()
    league: Dialogue = [LOG_IN[0], *second.GAME, ([*second.SERIES_OVER, FINISH], None)]
    assert second.play(certificates, second.script_of(league), player, mode="league") is None
    assert player.calls == second.CALLS[:-1]


# Each example is a tournament, so that shrinking one that fails would take minutes.
@settings(max_examples=30, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(st.integers(), st.sampled_from(list(GENERATIONS)))
def test_packets_may_be_cut_and_joined_anywhere(
    certificates: Certificates, seed: int, name: str
) -> None:
    rng, generation = random.Random(seed), GENERATIONS[name]

    def script(peer: Peer) -> None:
        for messages, answer in generation.WITHOUT_PROMPTS:
            data = b"".join(map(generation.raw, messages))
            # A prompt shows its end by quiet alone, so that the welcome's keyword comes whole.
            length = len("Welcome") if data.startswith(b"Welcome") else 1
            while data:
                length = max(length, rng.choice((1, 2, 3, 5, 50, 500)))
                peer.send(data[:length])
                data, length = data[length:], 1
            assert answer is None or generation.reply(peer) == answer

    player = Recorder()
    # The end of the connection shows the score's end.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_wire, "QUIET", TIMEOUT)
        assert generation.play(certificates, script, player) == 100.0
    assert player.calls == generation.CALLS


def test_prompts_may_come_in_pieces(
    certificates: Certificates, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_wire, "QUIET", 0.5)
    monkeypatch.setattr(text_wire, "PROMPT_SECONDS", TIMEOUT)
    prompts: list[str] = []

    def ask(prompt: str) -> str:
        prompts.append(prompt)
        return first.answers(prompt)

    def script(peer: Peer) -> None:
        peer.send("Please enter your user", "name: ")
        assert peer.receive() == b"somebody"
        peer.send("Do you want to qualify", "? You have 5 attempts. (Y/n)")
        assert peer.receive() == b"n"
        peer.send("Wel", "come", *first.END[-2:-1])

    with pytest.raises(TournamentError, match="closed"):
        first.play(certificates, script, ask=ask)
    assert prompts == [
        "Please enter your username: ",
        "Do you want to qualify? You have 5 attempts. (Y/n) ",
    ]


def test_the_question_of_the_assignment_is_understood(certificates: Certificates) -> None:
    question = "Do you want to attempt to play an official tournament? You have 5 remaining"
    script = first.script_of([([question], b"n"), *first.WITHOUT_PROMPTS])
    assert first.play(certificates, script) == 100.0


@pytest.mark.parametrize(
    ("typed", "sent"),
    [("yes", True), ("Y", True), ("1", True), (" TRUE ", True), ("n", False), ("F", False)],
)
@pytest.mark.parametrize(
    ("prompt", "shown"), [("Qualify? (3)", "Qualify? (3)"), ("For real?", "qualify: For real?")]
)
def test_a_question_is_shown_to_the_user_with_its_keyword(
    certificates: Certificates, typed: str, sent: bool, prompt: str, shown: str
) -> None:
    prompts: list[str] = []

    def ask(prompt: str) -> str:
        prompts.append(prompt)
        return typed

    question = {"topic": "question", "question": "qualify", "prompt": prompt}
    dialogue: Dialogue = [([question], sent), ([FINISH], None)]
    assert second.play(certificates, second.script_of(dialogue), known={}, ask=ask) is None
    assert prompts == [f"{shown} [y/n] "]


def test_a_long_message_within_bounds_is_read(certificates: Certificates) -> None:
    messages: list[str] = []
    long = {"topic": "message", "message": "x" * 65_000, "level": "of its own"}
    script = second.script_of([([long, FINISH], None)])
    assert second.play(certificates, script, tell=messages.append) is None
    assert messages[1] == "x" * 65_000


def test_no_output_shows_the_password(
    certificates: Certificates, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    assert first.play(certificates, first.script_of(first.WHOLE)) == 100.0
    assert "Welcome to the tournament!" in caplog.text
    assert "a secret" not in caplog.text


@pytest.mark.parametrize("known", [KNOWN, {}])
def test_no_message_shows_the_token(certificates: Certificates, known: dict[str, str]) -> None:
    messages: list[str] = []
    echo: Message = {"topic": "message", "message": f"You are {TOKEN}.", "level": "WARNING"}
    dialogue: Dialogue = [LOG_IN[0], ([echo], None), *second.GAME, ([SCORE, FINISH], None)]
    prompts: list[str] = []

    def ask_secret(prompt: str) -> str:
        prompts.append(prompt)
        return f"{TOKEN}\n"

    options: Any = {"known": known, "ask_secret": ask_secret, "tell": messages.append}
    second.play(certificates, second.script_of(dialogue), **options)
    assert "You are <token>." in messages
    assert TOKEN not in "".join(messages)
    assert prompts == ([] if known else ["Enter API token: "])


@pytest.mark.parametrize("generation", GENERATIONS.values(), ids=GENERATIONS)
def test_a_message_reaches_the_terminal_without_control_characters(
    certificates: Certificates, generation: Any
) -> None:
    text = "Welcome\x1b[2J\n\x07back"
    message = text if generation is first else {"topic": "message", "message": text}
    messages: list[str] = []
    script = generation.script_of([([message], None)])
    with pytest.raises(TournamentError):
        generation.play(certificates, script, tell=messages.append)
    assert messages[1:] == ["Welcome [2J  back"]


@pytest.mark.parametrize(
    ("action", "reported"), [("(0, 0)", (0, 0)), ("nonsense(", "nonsense("), ("None", None)]
)
def test_a_refused_move_is_reported_and_ends_a_tournament_of_texts(
    certificates: Certificates, action: str, reported: object
) -> None:
    player = Recorder()
    messages = ["Welcome", *first.SERIES, "Illegal action", first.LATER, action]
    assert first.play(certificates, first.script_of([(messages, None)]), player) is None
    assert player.calls[-1] == ("illegal_action", (1, 1, 2, *[0] * 7), reported)


def test_a_refused_move_is_reported_and_the_session_goes_on(certificates: Certificates) -> None:
    messages: list[str] = []
    notice: Message = {"topic": "message", "message": "Illegal action", "level": "ERROR"}
    end = [notice, *second.SERIES_OVER, SCORE, FINISH]
    script = second.script_of([*LOG_IN, *second.GAME, (end, None)])
    assert second.play(certificates, script, tell=messages.append) == 100.0
    assert "Illegal action" in messages


@pytest.mark.parametrize("generation", GENERATIONS.values(), ids=GENERATIONS)
def test_ctrl_c_propagates_and_closes_the_connection(
    certificates: Certificates, generation: Any
) -> None:
    left = threading.Event()

    def script(peer: Peer) -> None:
        texts = ["Welcome", *first.SERIES, first.EMPTY]
        request = {"topic": "request_action", "state": second.EMPTY}
        peer.send(*map(generation.raw, texts if generation is first else [request]))
        assert b"0, 0" in peer.receive()
        os.kill(os.getpid(), signal.SIGINT)
        assert peer.receive() == b""
        left.set()

    with pytest.raises(KeyboardInterrupt):
        generation.play(certificates, script)
    assert left.wait(TIMEOUT)
