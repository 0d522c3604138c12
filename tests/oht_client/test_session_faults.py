"""Servers of both generations that leave, fall silent, or send impossible messages."""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import pytest

from oht_client.transport import Connection
from tests.oht_client import json_tournament as second
from tests.oht_client import text_tournament as first
from tests.oht_client.json_tournament import FINISH, SERIES, TOKEN, WON, Dialogue, Message
from tests.oht_client.scripted_server import Peer, Recorder, first_free_cell, no_prompt_expected
from tests.project import TIMEOUT
from tournaments.errors import TournamentError

pytestmark = pytest.mark.usefixtures("quick_log_in")

Certificates = first.Certificates
QUESTION = second.LOG_IN[1][0][0]


@pytest.mark.parametrize("cut", [Peer.cut, Peer.close_tls], ids=["cut", "closed"])
@pytest.mark.parametrize("sent", [0.0, 0.1, 0.5], ids=["after", "begun", "half"])
@pytest.mark.parametrize(
    ("generation", "count"),
    [
        *((first, count) for count in range(len(first.MESSAGES))),
        *((second, count) for count in range(len(second.MESSAGES) - 1)),
    ],
)
def test_a_connection_that_ends_in_any_phase_gives_one_clear_line(
    certificates: Certificates,
    generation: Any,
    count: int,
    sent: float,
    cut: Callable[[Peer], None],
) -> None:
    def script(peer: Peer) -> None:
        left = count
        for messages, answer in generation.WHOLE:
            for message in map(generation.raw, messages):
                if left == 0:
                    # Half a score in text looks like a whole one.
                    if generation is second or count < len(first.MESSAGES) - 1:
                        peer.send(message[: int(sent * len(message))])
                    cut(peer)
                    return
                peer.send(message)
                left -= 1
            assert generation.reply(peer) == answer

    player = Recorder()
    with pytest.raises(TournamentError) as caught:
        generation.play(certificates, script, player)
    assert "\n" not in str(caught.value)
    assert player.calls == generation.CALLS[: len(player.calls)]
    if cut is Peer.close_tls and not sent:  # a cut may lose earlier messages
        assert "closed" in str(caught.value)
        kept = sum(call[0] in ("game_over", "series_over") for call in player.calls)
        assert kept == sum(count >= each for each in generation.KEPT)


@pytest.mark.parametrize("mode", ["qualifiers", "league"])
def test_a_connection_that_ends_after_all_games_loses_nothing(
    certificates: Certificates, mode: str
) -> None:
    messages: list[str] = []
    scores = [second.SCORE] if mode == "qualifiers" else []
    dialogue = [second.LOG_IN[0], *second.GAME, ([*second.SERIES_OVER, *scores], None)]
    script = second.script_of(dialogue)
    score = second.play(certificates, script, mode=mode, tell=messages.append)
    assert score == (100.0 if mode == "qualifiers" else None)
    assert messages[-1].startswith("All games are over, but localhost:")


@pytest.mark.parametrize(
    ("generation", "count"),
    [
        *((first, count) for count in (0, 3, 7, 10, 11, 12, 14, 17)),
        *((second, count) for count in range(len(second.MESSAGES))),
    ],
)
def test_silence_in_any_phase_has_a_limit(
    certificates: Certificates, monkeypatch: pytest.MonkeyPatch, generation: Any, count: int
) -> None:
    is_silent, receive = threading.Event(), Connection.receive

    def receive_or_wait(connection: Connection, most: int = 4096) -> bytes:
        while not is_silent.is_set():  # the script is late, not silent
            with suppress(TournamentError):
                return receive(connection, most)
        return receive(connection, most)

    def script(peer: Peer) -> None:
        left = count
        try:
            for messages, answer in generation.WHOLE:
                peer.send(*map(generation.raw, messages[:left]))
                left -= len(messages)
                if left < 0:
                    break
                assert generation.reply(peer) == answer
        finally:
            is_silent.set()
        peer.wait_until_left()

    monkeypatch.setattr(Connection, "receive", receive_or_wait)

    if generation.MESSAGES[count] is FINISH:
        assert generation.play(certificates, script, silence_limit=0.15) == 100.0
    else:
        with pytest.raises(TournamentError, match="no word from the server"):
            generation.play(certificates, script, silence_limit=0.15)


QUESTIONS = "expected at most 20 questions from the server, got another: "
MESSAGES = "expected a game within 30 messages from the server, got "


@pytest.mark.parametrize(
    ("generation", "begin", "messages", "words"),
    [
        *((first, [], [each], QUESTIONS) for each in ("username: ", "password", "qualify? (Y/n)")),
        (first, ["Welcome"], first.SERIES, MESSAGES),
        (second, [], [{"topic": "authentication"}], QUESTIONS),
        (second, [], [QUESTION], QUESTIONS),
        (second, [], [{"topic": "message", "message": "wait", "level": "INFO"}], MESSAGES),
        (second, [], [SERIES], MESSAGES),
    ],
)
def test_the_client_leaves_a_server_that_repeats_a_message_forever(
    certificates: Certificates,
    monkeypatch: pytest.MonkeyPatch,
    generation: Any,
    begin: list[str],
    messages: list[Any],
    words: str,
) -> None:
    monkeypatch.setattr("tournaments.session._MOST_IDLE", 30)

    def script(peer: Peer) -> None:
        with suppress(OSError):
            peer.send(*begin)
            while True:
                peer.send(*map(generation.raw, messages))
                if words == QUESTIONS and not peer.receive():
                    return

    with pytest.raises(TournamentError, match=f"^{words}[^\n]*$"):
        generation.play(certificates, script)


IMPOSSIBLE_TEXTS: list[list[Any]] = [
    ["Series start", "x"],
    ["Series start", "1.5", "[]"],
    ["Series start", "7", "[(8, 1), (9, 2)]", "1", "[3]"],
    ["Series start", "7", "[(7, 3), (9, 2)]", "1", "[3]"],
    ["Series start", "7", "[(7,), (9, 2)]", "1", "[3]"],
    ["Series start", "7", "[(7, 1), (9, 2)]", "1", "[]"],
    ["Series start", "7", "[(7, 1), (9, 2)]", "1", "['3']"],
    ["Series start", "7", "[(7, 1), (9, 2)]", "1", "[[[3]]]"],
    ["Series start", "7", "[(7, 1), (9, 2)]", "01", "[3]"],
    ["Series start", "7", "[(7, 1), (9, 2)]", "0", "[3]"],
    ["Series start", "9" * 5000, "[(7, 1), (9, 2)]", "1", "[3]"],
    *(
        [*first.SERIES, *each.split("|")]
        for each in (
            *("Game start|3", "Game start|1|(1, 0, 0)", "Game start|1|(1, 0, 0, 0, 1-2)"),
            *("Game start|1|(1, 0, 0, 0, (0))]", "Game start|1|{1: 2}"),
            "Game start|1|(1, 0, 0, 0, __import__('os'))",
            *("Game end|0|" + first.EMPTY, "Series end|[(1, 2, 3)]", "Game over|1"),
            *("Tournament end|excellent", "Tournament end|True", "Tournament end|1e999"),
            *("Tournament end|" + "9" * 400, "Nothing that the protocol knows"),
            *("(" * 100, "(1" + ", 0" * 10_000),
        )
    ),
    [*first.SERIES, b"\xff\xfe\x00\x80"],
    ["Welcome again" * 1000],
]


def without(key: str, message: Message) -> Message:
    return {name: value for name, value in message.items() if name != key}


IMPOSSIBLE_OBJECTS: list[object] = [
    *([], None, "finish", {}, {"topic": None}, {"topic": ["finish"]}),
    {"topic": "game_end", "winner": 1},
    *({"topic": each} for each in ("message", "question", "request_action", "error")),
    *(without(key, SERIES) for key in SERIES),
    *({**SERIES, "unique_player_id": each} for each in (5, True)),
    {**SERIES, "player_id_map": {}},
    *({**SERIES, "player_id_map": each} for each in ([[-200, 0], [999, 1]], [[-200], [999]])),
    *({**SERIES, "num_games": each} for each in ("many", -5, 0, 100_001, 10**30, True)),
    *({**SERIES, "game_params": each} for each in ([], [3.0])),
    *({"topic": "game_start", "start_player": each} for each in (0, True)),
    *(
        {"topic": "request_action", "state": each}
        for each in ([1, 0, 0], [1, 0, 0, 0, "0"], [[1], [0]])
    ),
    {"topic": "game_over", "winner": 3, "end_state": WON},
    {"topic": "game_over", "winner": 1},
    *(
        {"topic": "series_over", "stats": each}
        for each in ([[1, 2], [3, 4]], [[-200, 1, -1, 2], [9, 2, 2, -1]], [[-200, 1, 10**30, 0]])
    ),
    *(
        {"topic": "tournament_over", "score": each}
        for each in ("100", -5, 101, float("nan"), 10**400)
    ),
]


@pytest.mark.parametrize(
    ("generation", "messages"),
    [
        *((first, ["Welcome", *each]) for each in IMPOSSIBLE_TEXTS),
        *((second, [each]) for each in IMPOSSIBLE_OBJECTS),
    ],
    ids=lambda value: repr(value)[-40:],
)
def test_an_impossible_message_gives_one_clear_line(
    certificates: Certificates, generation: Any, messages: list[Any]
) -> None:
    def script(peer: Peer) -> None:
        peer.send(*map(generation.raw, messages))
        peer.wait_until_left()

    player = Recorder()
    with pytest.raises(
        TournamentError, match=r"^expected [^\n]* from the server, got [^\n]*$"
    ) as caught:
        generation.play(certificates, script, player)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("packet", "words"),
    [
        *(
            (struct.pack("<i", len(body)) + body, r"^expected (JSON|a JSON object) from .*, got ")
            for body in (
                *(b"{", b"\xff\xfe", b"{'topic': 1}", b"[" * 20_000, b"9" * 5000, b"finish"),
                b'"\xed\xa0\x80"',
            )
        ),
        *(
            (struct.pack("<i", length), r"expected a message of 1 to 65536 bytes.*protocol 1\?")
            for length in (0, -1, -(2**31), 64 * 1024 + 1, 2**31 - 1)
        ),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_a_frame_without_a_message_gives_one_clear_line(
    certificates: Certificates, packet: bytes, words: str
) -> None:
    def script(peer: Peer) -> None:
        peer.send(packet)
        peer.wait_until_left()

    with pytest.raises(TournamentError, match=words):
        second.play(certificates, script)


def test_an_error_of_the_server_is_reported_without_the_token(certificates: Certificates) -> None:
    error = {"topic": "error", "error": f"the token\n {TOKEN} is spent"}
    with pytest.raises(TournamentError, match=r"session: the token  <token> is spent$"):
        second.play(certificates, second.script_of([*second.LOG_IN, ([error], None)]))


REQUEST = {"topic": "request_action", "state": second.EMPTY}


@pytest.mark.parametrize(
    ("generation", "messages", "words"),
    [
        (
            first,
            ["Welcome", *first.SERIES, first.EMPTY, "The read operation timed out"],
            "a move came too late",
        ),
        (second, [REQUEST, {"topic": "error", "error": "too late"}], "too late"),
    ],
)
def test_the_last_words_of_a_server_are_read_although_it_has_left(
    certificates: Certificates, generation: Any, messages: list[Any], words: str
) -> None:
    has_left = threading.Event()

    def script(peer: Peer) -> None:
        peer.send(*map(generation.raw, messages))
        peer.sock.close()
        has_left.set()

    def think(state: Sequence[int]) -> tuple[int, int]:
        assert has_left.wait(TIMEOUT)
        return first_free_cell(state)

    with pytest.raises(TournamentError, match=words):
        generation.play(certificates, script, Recorder(think))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Invalid credentials, go away", "refused the log-in: 'Invalid credentials, go away"),
        ("Sorry, no attempts left", "Sorry, no attempts left"),
        ("User did not want to participate in stress test.", "User did not want to participate"),
        ("What is your quest?", r"got 'What is your quest\?'"),
    ],
)
def test_the_refusal_of_a_server_is_quoted(
    certificates: Certificates, text: str, words: str
) -> None:
    def script(peer: Peer) -> None:
        peer.send(text)
        peer.wait_until_left()

    with pytest.raises(TournamentError, match=words):
        first.play(certificates, script, ask=no_prompt_expected)


def test_an_empty_answer_is_never_sent(certificates: Certificates) -> None:
    typed = iter(["", "  ", "somebody"])
    script = first.script_of([first.LOG_IN[0], *first.WITHOUT_PROMPTS])
    assert first.play(certificates, script, ask=lambda prompt: next(typed)) == 100.0


def leave_input(prompt: str) -> str:
    raise EOFError


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda prompt: "", "expected an answer to 'password'"),
        (leave_input, "expected an answer to 'password'"),
        (lambda prompt: "a secret" * 1000, "at most 1024 bytes"),
    ],
)
def test_an_answer_that_cannot_be_sent_ends_the_session(
    certificates: Certificates, ask: Callable[[str], str], words: str
) -> None:
    def script(peer: Peer) -> None:
        peer.send("password")
        peer.wait_until_left()

    with pytest.raises(TournamentError, match=words) as caught:
        first.play(certificates, script, ask_secret=ask)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("answer", ["maybe", "yes please"])
def test_an_answer_that_is_neither_yes_nor_no_ends_the_session(
    certificates: Certificates, answer: str
) -> None:
    dialogue: Dialogue = [([QUESTION], None)]
    with pytest.raises(TournamentError, match="expected yes or no to 'Qualify"):
        second.play(certificates, second.script_of(dialogue), known={"qualify": answer})
