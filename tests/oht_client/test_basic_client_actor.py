from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from oht_client import text_reader
from oht_client.errors import OHTError
from tests.oht_client.scripted_server import Peer, Recorder, first_free_cell, no_prompt_expected
from tests.oht_client.text_tournament import (
    CALLS,
    EMPTY,
    END,
    GAME,
    LATER,
    SERIES,
    WHOLE,
    Certificates,
    answers,
    play,
    play_game,
    script_of,
)
from tests.project import TIMEOUT

pytestmark = pytest.mark.usefixtures("quick_log_in")


def test_a_tournament_calls_the_hooks_in_order(certificates: Certificates) -> None:
    player = Recorder()
    assert play(certificates, script_of(WHOLE), player) == 100.0
    assert player.calls == CALLS


@st.composite
def packets(draw: st.DrawFn, messages: Sequence[str]) -> list[bytes]:
    """Messages, cut and joined anywhere."""
    text = "".join(messages).encode()
    # A prompt shows its end by quiet alone, so that the welcome's keyword comes whole.
    first = len("Welcome") if text.startswith(b"Welcome") else 1
    places = draw(st.lists(st.integers(first, len(text) - 1), max_size=8, unique=True))
    cuts = [0, *sorted(places), len(text)]
    return [text[start:end] for start, end in itertools.pairwise(cuts)]


# Each example is a tournament, so that shrinking one that fails would take minutes.
@settings(max_examples=20, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(st.tuples(*(packets(messages) for messages, _ in [*GAME, (END, b"")])))
def test_packets_may_be_cut_and_joined_anywhere(
    certificates: Certificates, spoken: Sequence[Sequence[bytes]]
) -> None:
    def script(peer: Peer) -> None:
        for texts, (_, answer) in zip(spoken, [*GAME, (END, b"")], strict=True):
            peer.send(*texts)
            if answer:
                assert peer.receive() == answer

    player = Recorder()
    # The end of the connection shows the score's end.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_reader, "QUIET", TIMEOUT)
        assert play(certificates, script, player) == 100.0
    assert player.calls == CALLS


def test_prompts_may_come_in_pieces(
    certificates: Certificates, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_reader, "QUIET", 0.5)
    monkeypatch.setattr(text_reader, "PROMPT_SECONDS", TIMEOUT)
    prompts: list[str] = []

    def ask(prompt: str) -> str:
        prompts.append(prompt)
        return answers(prompt)

    def script(peer: Peer) -> None:
        peer.send("Please enter your user", "name: ")
        assert peer.receive() == b"somebody"
        peer.send("Do you want to qualify", "? You have 5 attempts. (Y/n)")
        assert peer.receive() == b"n"
        peer.send("Wel", "come", *END[-2:-1])

    with pytest.raises(OHTError, match="closed"):
        play(certificates, script, ask=ask)
    assert prompts == [
        "Please enter your username: ",
        "Do you want to qualify? You have 5 attempts. (Y/n) ",
    ]


def test_the_question_of_the_assignment_is_understood(certificates: Certificates) -> None:
    question = (
        "Do you want to attempt to play an official tournament? "
        "You have 5 remaining attempts. (Y/n)"
    )
    assert play(certificates, script_of([([question], b"n"), *GAME, (END, b"")])) == 100.0


@pytest.mark.parametrize(
    "messages",
    [
        ["Series start", "x"],
        ["Series start", "1.5", "[]"],
        ["Series start", "7", "[(8, 1), (9, 2)]", "1", "[3]"],
        ["Series start", "7", "[(7, 3), (9, 2)]", "1", "[3]"],
        ["Series start", "7", "[(7,), (9, 2)]", "1", "[3]"],
        ["Series start", "7", "[7, 9]", "1", "[3]"],
        ["Series start", "7", "[(7, 1), (9, 2)]", "1", "[]"],
        ["Series start", "7", "[(7, 1), (9, 2)]", "1", "['3']"],
        ["Series start", "7", "[(7, 1), (9, 2)]", "1", "[[[3]]]"],
        ["Series start", "7", "[(7, 1), (9, 2)]", "01", "[3]"],
        ["Series start", "9" * 5000, "[(7, 1), (9, 2)]", "1", "[3]"],
        [*SERIES, "Game start", "3"],
        [*SERIES, "Game start", "1", "(1, 0, 0)"],
        [*SERIES, "Game start", "1", "(1, 0, 0, 0, 1-2)"],
        [*SERIES, "Game start", "1", "(1, 0, 0, 0, (0))]"],
        [*SERIES, "Game start", "1", "(1, 0, 0, 0, __import__('os'))"],
        [*SERIES, "Game start", "1", "{1: 2}"],
        [*SERIES, "Game end", "0", EMPTY],
        [*SERIES, "Series end", "[(1, 2, 3)]"],
        [*SERIES, "Tournament end", "excellent"],
        [*SERIES, "Tournament end", "True"],
        [*SERIES, "Tournament end", "1e999"],
        [*SERIES, "Tournament end", "9" * 400],
        [*SERIES, "Game over", "1"],
        [*SERIES, "Nothing that the protocol knows"],
        [*SERIES, b"\xff\xfe\x00\x80"],
        [*SERIES, "(" * 100],
        [*SERIES, "(1" + ", 0" * 10_000],
        ["Welcome again" * 1000],
    ],
    ids=lambda messages: repr(messages[-1])[:30],
)
def test_an_impossible_message_gives_one_clear_line(
    certificates: Certificates, messages: list[str | bytes]
) -> None:
    with pytest.raises(OHTError, match=r"^expected [^\n]* from the server, got [^\n]*$") as caught:
        play_game(certificates, *messages, silence_limit=TIMEOUT)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("action", "reported"), [("(0, 0)", (0, 0)), ("nonsense(", "nonsense("), ("None", None)]
)
def test_a_refused_move_is_reported_and_ends_the_session(
    certificates: Certificates, action: str, reported: object
) -> None:
    player = Recorder()
    score = play_game(certificates, *SERIES, "Illegal action", LATER, action, player=player)
    assert score is None
    assert player.calls[-1] == ("illegal_action", (1, 1, 2, *[0] * 7), reported)


@pytest.mark.parametrize(
    "text",
    [
        "Invalid credentials, go away",
        "Sorry, no attempts left",
        "User did not want to participate in stress test.",
    ],
)
def test_the_refusal_of_a_server_is_quoted(certificates: Certificates, text: str) -> None:
    with pytest.raises(OHTError, match=text):
        play(certificates, lambda peer: peer.send(text), ask=no_prompt_expected)


def test_no_output_shows_the_password(
    certificates: Certificates, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    assert play(certificates, script_of(WHOLE)) == 100.0
    assert "Welcome to the tournament!" in caplog.text
    assert "a secret" not in caplog.text


def test_a_message_reaches_the_terminal_without_control_characters(
    certificates: Certificates,
) -> None:
    messages: list[str] = []
    with pytest.raises(OHTError):
        play(certificates, lambda peer: peer.send("Welcome\x1b[2J\n\x07back"), tell=messages.append)
    assert messages[1:] == ["Welcome [2J  back"]


@pytest.mark.parametrize("kind", [np.int64, np.int8])
def test_numpy_s_integers_are_sent_as_plain_ones(
    certificates: Certificates, kind: Callable[[int], Any]
) -> None:
    player = Recorder(lambda state: [kind(number) for number in first_free_cell(state)])
    assert play(certificates, script_of(WHOLE), player) == 100.0


@pytest.mark.parametrize("answer", [None, (1,), (1, 2, 3), (1.0, 2.0), "12"])
def test_a_move_that_is_no_pair_of_integers_is_an_error_of_the_player(
    certificates: Certificates, answer: object
) -> None:
    with pytest.raises(TypeError):
        play_game(certificates, *SERIES, EMPTY, player=Recorder(lambda state: answer))


def test_a_board_of_more_than_one_packet_is_read(certificates: Certificates) -> None:
    state = str((1, *[0] * 400)).encode()
    player = Recorder()
    with pytest.raises(OHTError, match="closed"):
        play_game(certificates, *SERIES, state[:1024], state[1024:], player=player)
    assert player.calls[-1] == ("get_action", (1, *[0] * 400))
