"""The clients of both generations play, in front of a scripted server."""

import logging
import os
import random
import signal
import ssl
import threading
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oht_client.answers import keyword_of
from online.errors import TournamentError
from tests.oht_client.generations import FIRST, KNOWN, REQUEST, SECOND, TOKEN, Generation
from tests.oht_client.scripted_server import (
    Line,
    Recorder,
    play_with,
    scripted_server,
    session_options,
)
from tests.project import TIMEOUT

both = pytest.mark.parametrize("generation", [FIRST, SECOND], ids=["text", "JSON"])


@both
def test_a_tournament_calls_the_hooks_in_order_and_shows_no_secret(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, generation: Generation
) -> None:
    monkeypatch.setattr("online.session._MOST_IDLE", 5)  # in a row, not in all
    caplog.set_level(logging.DEBUG)
    player, messages = Recorder(), list[str]()
    assert generation.play(generation.whole, player, tell=messages.append) == 100.0
    assert player.calls == generation.calls
    shown = caplog.text + "".join(messages)
    assert ("Welcome to the tournament!" if generation is FIRST else "Hello") in shown
    assert not any(secret in shown for secret in (TOKEN, "a secret"))


@pytest.mark.parametrize("is_league", [True, False])
def test_the_league_needs_no_score_and_has_no_limit_for_an_opponent(is_league: bool) -> None:
    end = SECOND.end[1:] if is_league else SECOND.end
    dialogue = SECOND.dialogue(*SECOND.log_in, *SECOND.game, ([*SECOND.over, *end], None))
    line, player, messages = Line(dialogue), Recorder(), list[str]()
    score = SECOND.play(line, player, is_league, tell=messages.append)
    assert score == (None if is_league else 100.0)
    assert player.calls == SECOND.calls[: 6 if is_league else 7]
    assert (None in line.limits) == is_league
    assert line.limits[0] == line.limits[-1] == TIMEOUT
    assert any("Waiting for an opponent" in text for text in messages) == is_league


@given(st.integers(), st.sampled_from([FIRST, SECOND]))
def test_packets_may_be_cut_and_joined_anywhere(seed: int, generation: Generation) -> None:
    rng, player, dialogue = random.Random(seed), Recorder(), list[Any]()
    for messages, reply in generation.dialogue(
        *generation.game, ([*generation.over, *generation.end], None)
    ):
        data, packets = b"".join(messages), []
        # A prompt shows its end by quiet alone, so that the welcome's keyword comes whole.
        length = len("Welcome") if data.startswith(b"Welcome") else 1
        while data:
            length = max(length, rng.choice((1, 2, 3, 5, 50, 500)))
            packets.append(data[:length])
            data, length = data[length:], 1
        dialogue.append((packets, reply))
    assert generation.play(dialogue, player) == 100.0
    assert player.calls == generation.calls


def test_prompts_may_come_in_pieces_and_an_empty_answer_is_never_sent() -> None:
    ask = Mock(side_effect=["", "  ", "somebody", "n"])
    qualify = "Do you want to qualify? You have 5 attempts. (Y/n)"
    dialogue = FIRST.dialogue(
        (["Please enter your user", "name: "], "somebody"),
        ([qualify[:22], qualify[22:]], "n"),
        (["Wel", "come"], None),
    )
    with pytest.raises(TournamentError, match="closed"):
        FIRST.play(dialogue, known={}, ask=ask)
    name = "Please enter your username: "
    assert [each.args[0] for each in ask.call_args_list] == [name, name, name, f"{qualify} "]


ANSWERS = {"yes": True, "Y": True, "1": True, " TRUE ": True, "n": False, "F": False}


@pytest.mark.parametrize(
    ("prompt", "shown"), [("Qualify? (3)", "Qualify? (3)"), ("For real?", "qualify: For real?")]
)
def test_a_question_is_shown_to_the_user_with_its_keyword(prompt: str, shown: str) -> None:
    ask = Mock(side_effect=ANSWERS)
    question = {"topic": "question", "question": "qualify", "prompt": prompt}
    steps: list[Any] = [([question], answer) for answer in ANSWERS.values()]
    assert SECOND.play(SECOND.dialogue(*steps, (SECOND.end[1:], None)), known={}, ask=ask) is None
    assert {each.args[0] for each in ask.call_args_list} == {f"{shown} [y/n] "}


@pytest.mark.parametrize("known", [KNOWN, {}])
def test_no_message_shows_the_token_or_control_characters(known: dict[str, str]) -> None:
    echo = {"topic": "message", "message": f"You are\x1b[2J\n\x07{TOKEN}.", "level": "WARNING"}
    long = {"topic": "message", "message": "x" * 65_000, "level": "of its own"}
    error = {"topic": "error", "error": f"the token\n {TOKEN} is spent"}
    dialogue = SECOND.dialogue(*SECOND.log_in[:2], ([echo, long, error], None))
    messages, prompts = list[str](), list[str]()

    def ask_secret(prompt: str) -> str:
        prompts.append(prompt)
        return f"{TOKEN}\n"

    with pytest.raises(TournamentError, match=r"session: the token  <token> is spent$"):
        SECOND.play(dialogue, known=known, ask_secret=ask_secret, tell=messages.append)
    assert messages[-2:] == ["You are [2J  <token>.", "x" * 65_000]
    assert TOKEN not in "".join(messages)
    assert prompts == ([] if known else ["Enter API token: "])
    with pytest.raises(TournamentError):
        FIRST.play([([b"Welcome\x1b[2J\n\x07back"], None)], tell=messages.append)
    assert messages[-1] == "Welcome [2J  back"


@pytest.mark.parametrize(
    ("action", "reported"), [("(0, 0)", (0, 0)), ("nonsense(", "nonsense("), ("None", None)]
)
def test_a_refused_move_is_reported_and_ends_the_text_wire(action: str, reported: object) -> None:
    player, later = Recorder(), FIRST.calls[3][1]
    messages = [*FIRST.begin, "Illegal action", str(later), action]
    assert FIRST.play(FIRST.dialogue((messages, None)), player) is None
    assert player.calls[-1] == ("illegal_action", later, reported)


@both
def test_ctrl_c_propagates_and_closes_the_connection(
    certificates: tuple[Path, Path], generation: Generation
) -> None:
    left = threading.Event()

    def script(sock: ssl.SSLSocket) -> None:
        request = REQUEST if generation is SECOND else "(1, 0, 0, 0, 0)"
        for message in [*generation.begin, request]:
            sock.sendall(generation.raw(message))
        assert b"0, 0" in sock.recv(4096)
        os.kill(os.getpid(), signal.SIGINT)
        assert sock.recv(4096) == b""
        left.set()

    with scripted_server(certificates, script) as server, pytest.raises(KeyboardInterrupt):
        play_with(generation.protocol, server, Recorder(), session_options(known=KNOWN))
    assert left.wait(TIMEOUT)


KEYWORDS = {
    "username": ["Please enter your username: ", "Password of this username"],
    "password": ["Please enter your password: ", "Password: ", "Invalid credentials: bad password"],
    "Welcome": ["Welcome!", "Welcome, choose a player-name"],
    "Invalid credentials": ["Invalid credentials"],
    "player-name": ["Choose a player-name"],
    "qualify": [
        *("Do you want to qualify?", "QUALIFY?", "Sorry, you cannot qualify"),
        "Do you want to attempt to play an official tournament? (Y/n)",
    ],
    "stress": ["Take part in the stress test?"],
    "Sorry": ["Sorry, no attempts left"],
    "no stress": ["User did not want to participate in stress test."],
    "token": ["Enter API token: "],
    None: ["welcome", "What is your quest?", ""],
}


@pytest.mark.parametrize("keyword", KEYWORDS)
def test_a_prompt_is_recognised_by_its_first_keyword(keyword: str | None) -> None:
    assert {keyword_of(text) for text in KEYWORDS[keyword]} == {keyword}
