from __future__ import annotations

import os
import signal
import struct
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from oht_client.actor_client import ActorClient
from oht_client.answers import SessionOptions
from oht_client.errors import OHTError
from oht_client.transport import Server
from tests.oht_client.json_tournament import (
    CALLS,
    EMPTY,
    FINISH,
    GAME,
    LOG_IN,
    MESSAGES,
    NOTHING,
    SCORE,
    SERIES,
    SERIES_OVER,
    TOKEN,
    WHOLE,
    WON,
    Certificates,
    Dialogue,
    Message,
    run,
    run_packets,
    script_of,
)
from tests.oht_client.scripted_server import Peer, Recorder, first_free_cell, frame
from tests.project import TIMEOUT


@pytest.mark.parametrize("cut", [Peer.cut, Peer.close_tls], ids=["cut", "closed"])
@pytest.mark.parametrize("part", [0, 2, 10], ids=["after", "length", "body"])
@pytest.mark.parametrize("count", range(len(MESSAGES) - 1))
def test_a_connection_that_ends_in_any_phase_gives_one_clear_line(
    certificates: Certificates, count: int, part: int, cut: Callable[[Peer], None]
) -> None:
    def script(peer: Peer) -> None:
        sent = 0
        for messages, answer in WHOLE:
            for message in messages:
                if sent == count:
                    if part:
                        peer.send(frame(message)[:part])
                    cut(peer)
                    return
                peer.send_json(message)
                sent += 1
            assert peer.receive_json() == answer

    player = Recorder()
    with pytest.raises(OHTError, match=r"^localhost:\d+: [^\n]*(closed|cut)[^\n]*$"):
        run(certificates, script, player)
    assert player.calls == CALLS[: len(player.calls)]
    if cut is Peer.close_tls:
        kept = sum(call[0] in ("game_over", "series_over") for call in player.calls)
        assert kept == max(0, count - MESSAGES.index(SERIES_OVER[0]))


@pytest.mark.parametrize("mode", ["qualifiers", "league"])
def test_a_connection_that_ends_after_all_games_loses_nothing(
    certificates: Certificates, mode: str
) -> None:
    messages: list[str] = []
    ends: dict[str, list[Message]] = {"qualifiers": [*SERIES_OVER, SCORE], "league": SERIES_OVER}
    dialogue: Dialogue = [LOG_IN[0], *GAME, (ends[mode], NOTHING)]
    score = run(certificates, script_of(dialogue), mode=mode, tell=messages.append)
    assert score == (100.0 if mode == "qualifiers" else None)
    assert messages[-1].startswith("All games are over, but localhost:")


@pytest.mark.parametrize("count", range(len(MESSAGES)))
def test_silence_in_any_phase_has_a_limit(certificates: Certificates, count: int) -> None:
    def script(peer: Peer) -> None:
        left = count
        for messages, answer in WHOLE:
            peer.send_json(*messages[:left])
            left -= len(messages)
            if left < 0:
                break
            assert peer.receive_json() == answer
        peer.wait_until_left()

    if MESSAGES[count] is FINISH:
        assert run(certificates, script, silence_limit=0.15) == 100.0
    else:
        with pytest.raises(OHTError, match="no word from the server"):
            run(certificates, script, silence_limit=0.15)


def repeat(message: Message) -> Callable[[Peer], None]:
    def script(peer: Peer) -> None:
        with suppress(OSError):
            while True:
                peer.send_json(message)

    return script


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"topic": "authentication"}, "expected at most 20 questions from the server"),
        (LOG_IN[1][0][0], "expected at most 20 questions from the server, got another: 'Qualify"),
        ({"topic": "message", "message": "wait", "level": "INFO"}, "expected a game within 30 "),
        (SERIES, "expected a game within 30 messages from the server, got 'series_start'"),
    ],
)
def test_the_client_leaves_a_server_that_repeats_a_message_forever(
    certificates: Certificates, monkeypatch: pytest.MonkeyPatch, message: Message, words: str
) -> None:
    monkeypatch.setattr("oht_client.basic_client_actor._MOST_IDLE", 30)
    with pytest.raises(OHTError, match=f"^{words}[^\n]*$"):
        run(certificates, repeat(message))


def test_a_score_that_is_repeated_forever_counts(
    certificates: Certificates, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("oht_client.basic_client_actor._MOST_IDLE", 30)
    messages: list[str] = []
    assert run(certificates, repeat(SCORE), tell=messages.append) == 100.0
    assert messages[-1].startswith("All games are over, but expected a game within 30 messages")


def without(key: str, message: Message) -> Message:
    return {name: value for name, value in message.items() if name != key}


@pytest.mark.parametrize(
    "message",
    [
        [],
        None,
        "finish",
        {},
        {"topic": None},
        {"topic": ["finish"]},
        {"topic": "game_end", "winner": 1},
        {"topic": "message"},
        {"topic": "question"},
        *(without(key, SERIES) for key in SERIES),
        {**SERIES, "unique_player_id": 5},
        {**SERIES, "unique_player_id": True},
        {**SERIES, "player_id_map": {}},
        {**SERIES, "player_id_map": [[-200, 0], [999, 1]]},
        {**SERIES, "player_id_map": [[-200], [999]]},
        {**SERIES, "num_games": "many"},
        *({**SERIES, "num_games": number} for number in (-5, 0, 100_001, 10**30, True)),
        {**SERIES, "game_params": []},
        {**SERIES, "game_params": [3.0]},
        {"topic": "game_start", "start_player": 0},
        {"topic": "game_start", "start_player": True},
        {"topic": "request_action", "state": [1, 0, 0]},
        {"topic": "request_action", "state": [1, 0, 0, 0, "0"]},
        {"topic": "request_action", "state": [[1], [0]]},
        {"topic": "request_action"},
        {"topic": "game_over", "winner": 3, "end_state": WON},
        {"topic": "game_over", "winner": 1},
        {"topic": "series_over", "stats": [[1, 2], [3, 4]]},
        {"topic": "series_over", "stats": [[-200, 1, -1, 2], [999, 2, 2, -1]]},
        {"topic": "series_over", "stats": [[-200, 1, 10**30, 0], [999, 2, 0, 10**30]]},
        {"topic": "tournament_over", "score": "100"},
        {"topic": "tournament_over", "score": -5},
        {"topic": "tournament_over", "score": 101},
        {"topic": "tournament_over", "score": float("nan")},
        {"topic": "tournament_over", "score": 10**400},
        {"topic": "error"},
    ],
    ids=lambda message: repr(message)[-40:],
)
def test_an_impossible_message_gives_one_clear_line(
    certificates: Certificates, message: object
) -> None:
    with pytest.raises(OHTError, match=r"^expected [^\n]* from the server, got [^\n]*$") as caught:
        run_packets(certificates, frame(message))
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "body",
    [b"{", b"\xff\xfe", b"{'topic': 1}", b"[" * 20_000, b"9" * 5000, b"finish", b'"\xed\xa0\x80"'],
    ids=lambda body: repr(body)[:20],
)
def test_a_body_that_is_no_json_gives_one_clear_line(
    certificates: Certificates, body: bytes
) -> None:
    with pytest.raises(OHTError, match=r"^expected (JSON|a JSON object) from the server, got "):
        run_packets(certificates, struct.pack("<i", len(body)) + body)


@pytest.mark.parametrize("length", [0, -1, -(2**31), 64 * 1024 + 1, 2**31 - 1])
def test_a_length_out_of_bounds_is_refused_at_once(certificates: Certificates, length: int) -> None:
    with pytest.raises(
        OHTError,
        match=r"expected a message of 1 to 65536 bytes.*; does the server speak protocol 1\?",
    ):
        run_packets(certificates, struct.pack("<i", length))


def test_an_error_of_the_server_is_reported(certificates: Certificates) -> None:
    error = {"topic": "error", "error": f"the token\n {TOKEN} is spent"}
    with pytest.raises(OHTError, match=r"session: the token  <token> is spent$"):
        run(certificates, script_of([*LOG_IN, ([error], NOTHING)]))


def test_an_error_is_reported_although_the_server_has_closed_the_connection(
    certificates: Certificates,
) -> None:
    has_left = threading.Event()

    def script(peer: Peer) -> None:
        peer.send_json({"topic": "request_action", "state": EMPTY})
        peer.send_json({"topic": "error", "error": "too late"})
        peer.sock.close()
        has_left.set()

    def think(state: Sequence[int]) -> tuple[int, int]:
        assert has_left.wait(TIMEOUT)
        return first_free_cell(state)

    with pytest.raises(OHTError, match="too late"):
        run(certificates, script, Recorder(think))


def test_a_refused_move_is_reported_and_the_session_goes_on(certificates: Certificates) -> None:
    messages: list[str] = []
    notice: Message = {"topic": "message", "message": "Illegal\x07 action", "level": "ERROR"}
    whole: Dialogue = [*LOG_IN, *GAME, ([notice, *SERIES_OVER, SCORE, FINISH], NOTHING)]
    assert run(certificates, script_of(whole), tell=messages.append) == 100.0
    assert "Illegal  action" in messages


@pytest.mark.parametrize("answer", ["maybe", "yes please"])
def test_an_answer_that_is_neither_yes_nor_no_ends_the_session(
    certificates: Certificates, answer: str
) -> None:
    with pytest.raises(OHTError, match="expected yes or no to 'Qualify"):
        run(certificates, script_of([(LOG_IN[1][0], NOTHING)]), known={"qualify": answer})


def leave_input(prompt: str) -> str:
    raise EOFError


@pytest.mark.parametrize("ask", [lambda prompt: " ", leave_input])
def test_a_missing_token_ends_the_session(
    certificates: Certificates, ask: Callable[[str], str]
) -> None:
    dialogue = [([{"topic": "authentication"}], NOTHING)]
    with pytest.raises(OHTError, match="expected an answer to 'Enter API token"):
        run(certificates, script_of(dialogue), known={}, ask_secret=ask)


def test_an_absent_certificate_is_one_clear_line(tmp_path: Path) -> None:
    server = Server("localhost", 1, tmp_path / "server.crt")
    client = ActorClient(Recorder(), server, SessionOptions())
    with pytest.raises(OHTError, match="the server's certificate: no such file"):
        client.run()


def test_ctrl_c_propagates_and_closes_the_connection(certificates: Certificates) -> None:
    left = threading.Event()

    def script(peer: Peer) -> None:
        peer.send_json({"topic": "request_action", "state": EMPTY})
        assert peer.receive_json() == [0, 0]
        os.kill(os.getpid(), signal.SIGINT)
        assert peer.receive() == b""
        left.set()

    with pytest.raises(KeyboardInterrupt):
        run(certificates, script)
    assert left.wait(TIMEOUT)
