from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

import pytest

from oht_client.errors import OHTError
from tests.oht_client.scripted_server import Peer, Recorder, first_free_cell, no_prompt_expected
from tests.oht_client.text_tournament import (
    CALLS,
    EMPTY,
    END,
    GAME,
    LOG_IN,
    MESSAGES,
    SERIES,
    WHOLE,
    Certificates,
    play,
    script_of,
)
from tests.project import TIMEOUT

pytestmark = pytest.mark.usefixtures("quick_log_in")


@pytest.mark.parametrize("cut", [Peer.cut, Peer.close_tls], ids=["cut", "closed"])
@pytest.mark.parametrize("half", [False, True], ids=["after", "within"])
@pytest.mark.parametrize("count", range(len(MESSAGES)))
def test_a_connection_that_ends_in_any_phase_gives_one_clear_line(
    certificates: Certificates, count: int, half: bool, cut: Callable[[Peer], None]
) -> None:
    def script(peer: Peer) -> None:
        sent = 0
        for messages, answer in WHOLE:
            for message in messages:
                if sent == count:
                    # A cut may lose earlier messages; half a score looks like a whole one.
                    if half and sent < len(MESSAGES) - 1:
                        peer.send(message[: len(message) // 2])
                    cut(peer)
                    return
                peer.send(message)
                sent += 1
            assert peer.receive() == answer

    player = Recorder()
    with pytest.raises(OHTError) as caught:
        play(certificates, script, player)
    assert "\n" not in str(caught.value)
    assert player.calls == CALLS[: len(player.calls)]
    if cut is Peer.close_tls and not half:
        needed = [len(MESSAGES) - len(END) + sent for sent in (3, 5)]
        kept = sum(call[0] in ("game_over", "series_over") for call in player.calls)
        assert kept == sum(count >= sent for sent in needed)


@pytest.mark.parametrize("count", [0, 3, 7, 10, 11, 12, 14, 17])
def test_silence_in_any_phase_has_a_limit(certificates: Certificates, count: int) -> None:
    def script(peer: Peer) -> None:
        left = count
        for messages, answer in WHOLE:
            peer.send(*messages[:left])
            left -= len(messages)
            if left <= 0:
                break
            assert peer.receive() == answer
        peer.wait_until_left()

    with pytest.raises(OHTError, match="no word from the server"):
        play(certificates, script, silence_limit=0.15)


def test_the_server_s_historic_message_about_time_is_understood(certificates: Certificates) -> None:
    has_left = threading.Event()

    def script(peer: Peer) -> None:
        peer.send("Welcome", *SERIES, "Game start", "1", EMPTY, "The read operation timed out")
        peer.sock.close()
        has_left.set()

    def think(state: Sequence[int]) -> tuple[int, int]:
        assert has_left.wait(TIMEOUT)
        return first_free_cell(state)

    with pytest.raises(OHTError, match="a move came too late"):
        play(certificates, script, Recorder(think))


def test_a_prompt_without_a_keyword_is_quoted(certificates: Certificates) -> None:
    def script(peer: Peer) -> None:
        peer.send("What is your quest?")
        peer.wait_until_left()

    with pytest.raises(OHTError, match=r"got 'What is your quest\?'"):
        play(certificates, script, ask=no_prompt_expected)


def test_an_empty_answer_is_never_sent(certificates: Certificates) -> None:
    typed = iter(["", "  ", "somebody"])
    dialogue = [LOG_IN[0], *GAME, (END, b"")]
    score = play(certificates, script_of(dialogue), ask=lambda prompt: next(typed))
    assert score == 100.0


@pytest.mark.parametrize("question", ["username: ", "password", "Do you want to qualify? (Y/n)"])
def test_the_client_leaves_a_server_that_prompts_forever(
    certificates: Certificates, question: str
) -> None:
    answers = []

    def script(peer: Peer) -> None:
        with suppress(OSError):
            peer.send(question)
            while answer := peer.receive():
                answers.append(answer)
                peer.send(question)

    known = {"username": "me", "password": "secret", "qualify": "n"}
    words = "^expected at most 20 questions from the server, got another: [^\n]*$"
    with pytest.raises(OHTError, match=words):
        play(certificates, script, known=known)
    assert len(answers) == 20


@pytest.mark.parametrize("number", ["-5", "0", "100001", "1" * 40])
def test_a_series_of_no_games_or_of_too_many_is_refused(
    certificates: Certificates, number: str
) -> None:
    def script(peer: Peer) -> None:
        start = [number if text == SERIES[3] else text for text in SERIES]
        peer.send("Welcome", *start)
        peer.wait_until_left()

    words = f"^expected a number of games, from 1 to 100000, from the server, got {number}$"
    player = Recorder()
    with pytest.raises(OHTError, match=words):
        play(certificates, script, player)
    assert player.calls == []


def test_the_client_leaves_a_server_that_begins_series_forever(
    certificates: Certificates, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("oht_client.basic_client_actor._MOST_IDLE", 30)

    def script(peer: Peer) -> None:
        with suppress(OSError):
            peer.send("Welcome")
            while True:
                peer.send(*SERIES)

    with pytest.raises(OHTError, match=r"^expected a game within 30 messages from the server, got"):
        play(certificates, script)


def leave_input(prompt: str) -> str:
    raise EOFError


@pytest.mark.parametrize("ask", [lambda prompt: "", leave_input])
def test_a_prompt_without_an_answer_ends_the_session(
    certificates: Certificates, ask: Callable[[str], str]
) -> None:
    def script(peer: Peer) -> None:
        peer.send("username")
        peer.wait_until_left()

    with pytest.raises(OHTError, match="expected an answer to 'username'"):
        play(certificates, script, ask=ask)


def test_an_answer_longer_than_one_read_of_the_server_is_refused(
    certificates: Certificates,
) -> None:
    def script(peer: Peer) -> None:
        peer.send("password")
        peer.wait_until_left()

    with pytest.raises(OHTError, match="at most 1024 bytes") as caught:
        play(certificates, script, ask_secret=lambda prompt: "a secret" * 1000)
    assert "secret" not in str(caught.value)


def test_ctrl_c_propagates_and_closes_the_connection(certificates: Certificates) -> None:
    left = threading.Event()

    def script(peer: Peer) -> None:
        peer.send("Welcome", *SERIES, EMPTY)
        assert peer.receive() == b"(0, 0)"
        os.kill(os.getpid(), signal.SIGINT)
        assert peer.receive() == b""
        left.set()

    with pytest.raises(KeyboardInterrupt):
        play(certificates, script)
    assert left.wait(TIMEOUT)
