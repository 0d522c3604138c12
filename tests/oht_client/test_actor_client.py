from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from oht_client.actor_client import ActorClient
from oht_client.transport import Server
from tests.oht_client.json_tournament import (
    CALLS,
    FINISH,
    GAME,
    KNOWN,
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
    script_of,
)
from tests.oht_client.scripted_server import (
    Peer,
    Recorder,
    first_free_cell,
    frame,
    scripted_server,
    session_options,
)


def test_a_session_calls_the_hooks_in_order(certificates: Certificates) -> None:
    player = Recorder()
    assert run(certificates, script_of(WHOLE), player) == 100.0
    assert player.calls == CALLS


def test_the_league_needs_no_score(certificates: Certificates) -> None:
    player = Recorder()
    league: Dialogue = [LOG_IN[0], *GAME, ([*SERIES_OVER, FINISH], NOTHING)]
    assert run(certificates, script_of(league), player, mode="league") is None
    assert player.calls == CALLS[:-1]


def test_a_session_can_be_followed_by_another(certificates: Certificates) -> None:
    with scripted_server(certificates, script_of(WHOLE)) as port:
        client = ActorClient(
            Recorder(), Server("localhost", port, certificates[0]), session_options(known=KNOWN)
        )
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
                peer.send(data[:length])
                data = data[length:]
            if answer is not NOTHING:
                assert peer.receive_json() == answer

    player = Recorder()
    assert run(certificates, script, player) == 100.0
    assert player.calls == CALLS


def test_a_long_message_within_bounds_is_read(certificates: Certificates) -> None:
    messages: list[str] = []
    long = {"topic": "message", "message": "x" * 65_000, "level": "of its own"}
    assert run(certificates, script_of([([long, FINISH], NOTHING)]), tell=messages.append) is None
    assert messages[1] == "x" * 65_000


@pytest.mark.parametrize(
    ("typed", "sent"),
    [("yes", True), ("Y", True), ("1", True), (" TRUE ", True), ("n", False), ("F", False)],
)
def test_a_question_is_shown_to_the_user(
    certificates: Certificates, typed: str, sent: bool
) -> None:
    prompts: list[str] = []

    def ask(prompt: str) -> str:
        prompts.append(prompt)
        return typed

    dialogue = [(LOG_IN[1][0], sent), ([FINISH], NOTHING)]
    assert run(certificates, script_of(dialogue), known={}, ask=ask) is None
    assert prompts == ["Qualify? (3 attempts left) [y/n] "]


def test_a_question_is_shown_with_its_keyword(certificates: Certificates) -> None:
    question = {"topic": "question", "question": "qualify", "prompt": "For real?"}
    prompts: list[str] = []

    def ask(prompt: str) -> str:
        prompts.append(prompt)
        return "y"

    dialogue: Dialogue = [([question], True), ([FINISH], NOTHING)]
    assert run(certificates, script_of(dialogue), known={}, ask=ask) is None
    assert prompts == ["qualify: For real? [y/n] "]


@pytest.mark.parametrize("known", [KNOWN, {}])
def test_no_message_shows_the_token(certificates: Certificates, known: dict[str, str]) -> None:
    messages: list[str] = []
    echo: Message = {"topic": "message", "message": f"You are {TOKEN}.", "level": "WARNING"}
    dialogue: Dialogue = [LOG_IN[0], ([echo], NOTHING), *GAME, ([SCORE, FINISH], NOTHING)]
    prompts: list[str] = []

    def ask_secret(prompt: str) -> str:
        prompts.append(prompt)
        return f"{TOKEN}\n"

    run(certificates, script_of(dialogue), known=known, ask_secret=ask_secret, tell=messages.append)
    assert "You are <token>." in messages
    assert TOKEN not in "".join(messages)
    assert prompts == ([] if known else ["Enter API token: "])


@pytest.mark.parametrize("kind", [np.int64, np.int8])
def test_numpy_s_integers_are_sent_as_plain_ones(
    certificates: Certificates, kind: Callable[[int], Any]
) -> None:
    player = Recorder(lambda state: [kind(number) for number in first_free_cell(state)])
    assert run(certificates, script_of(WHOLE), player) == 100.0
