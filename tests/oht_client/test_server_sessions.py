"""Sessions of clients of both generations on a whole server, over real TLS."""

from __future__ import annotations

import contextlib
import logging
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from oht_client.server.tls import ensure_certificate
from tests.oht_client.home import Home, running
from tests.oht_client.raw_clients import (
    PASSWORD,
    ClientError,
    JSONClient,
    TextClient,
    dial,
    first_free_cell,
)

HISTORIC = "The read operation timed out"
KINDS = {"text": TextClient, "json": JSONClient}

both = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with running(tmp_path_factory.mktemp("home")) as server:
        yield server


def connected(home: Home, kind: str, **keywords: Any) -> Any:
    """Return a client that is connected."""
    return KINDS[kind](home.ports[kind], home.certificate, **keywords)


def play(home: Home, kind: str, **keywords: Any) -> Any:
    """Play to the end, as the course's client does."""
    client = connected(home, kind, **keywords)
    client.run()
    return client


def refusal(home: Home, kind: str, **keywords: Any) -> str:
    """Play until the server refuses; return its last message."""
    client = connected(home, kind, **keywords)
    try:
        client.run()
    except ClientError as error:
        return str(error)
    return str(client.prompts[-1])


def test_the_course_s_client_plays_a_whole_verification_tournament(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = TextClient(home.ports["text"], home.certificate)
    answers = {"username": "kari", "player-name": "Kari's net", "qualify": "n"}
    monkeypatch.setattr(
        "builtins.input", lambda prompt: next(answers[word] for word in answers if word in prompt)
    )
    monkeypatch.setattr("getpass.getpass", lambda prompt: PASSWORD)
    with pytest.raises(SystemExit) as end:
        client.connect_to_server()
    assert end.value.code is None
    words = ("username", "password", "player-name", "qualify", "Welcome")
    assert all(word in prompt for word, prompt in zip(words, client.prompts, strict=True))
    (first, second), over = client.calls("series_start"), client.calls("game_over")
    own = first[0]
    assert len(str(own)) == 7
    assert first == [own, 1, [(own, 1), (2001, 2)], 3, [3]]
    assert second == [own, 2, [(2002, 1), (own, 2)], 2, [3]]
    assert client.calls("game_start") == [[1], [2], [1], [1], [2]]
    won = sum(winner == 1 for winner, _ in over[:3]) + sum(winner == 2 for winner, _ in over[3:])
    assert all(state[0] == 3 - winner for winner, state in over)
    assert (client.score, type(client.score)) == (100 * won / 5, float)
    home.wait_for(f"Kari's net: 5 games, {won} won, 0 illegal actions, score {client.score}")
    kept = next(result for result in home.results if result["name"] == "Kari's net")
    assert (kept["protocol"], kept["kind"], kept["score"]) == (1, "verification", client.score)
    stats = [line for (line,) in client.calls("series_over")]
    wins = [next(wins for player, _, wins, _ in lines if player == own) for lines in stats]
    assert [series["wins"] for series in kept["series"]] == wins


def test_practice_is_one_series_against_a_random_player(home: Home) -> None:
    client = play(home, "json")
    assert client.topics[:3] == ["authentication", "question", "series_start"]
    assert client.topics[-3:] == ["series_over", "tournament_over", "finish"]
    assert client.calls("series_start") == [[-200, 1, [[-200, 1], [2001, 2]], 5, [3]]]
    assert client.calls("game_start") == [[1], [2], [1], [2], [1]]
    (([mine, theirs],),) = client.calls("series_over")
    assert mine[:2] == [-200, 1]
    assert mine[2:] == theirs[:1:-1]
    assert client.score == 100 * mine[2] / 5
    home.wait_for(f"5 games, {mine[2]} won, 0 illegal actions, score {client.score}")


@both
def test_official_attempts_are_counted_by_account_and_verification_is_not(
    tmp_path: Path, kind: str
) -> None:
    limits = ("oht_server.official_attempts=2", "oht_server.qualification_attempts=2")
    with running(tmp_path, *limits) as home:
        first = play(home, kind, auth="ola", qualify=True)
        assert "2 " in first.question
        starts = first.calls("series_start")
        assert [(start[1], start[3]) for start in starts] == [(1, 3), (2, 3)]
        assert "1 " in play(home, kind, auth="ola").question
        assert play(home, kind, auth="ola", qualify=True).score is not None
        assert "no attempts left" in refusal(home, kind, auth="ola", qualify=True)
        assert play(home, kind, auth="ola").score is not None
        assert "2 " in play(home, kind, auth="kari").question
        kinds = [result["kind"] for result in home.results]
    assert kinds == ["official", "verification", "official", "verification", "verification"]


def test_an_attempt_counts_unless_the_client_leaves_in_the_first_games(tmp_path: Path) -> None:
    def leave_after(home: Home, games: int) -> None:
        def choose(state: Sequence[int]) -> object:
            if len(client.calls("game_over")) == games:
                raise ConnectionAbortedError
            return first_free_cell(state)

        client = connected(home, "json", qualify=True, choose=choose)
        with pytest.raises(ConnectionAbortedError):
            client.run()

    with running(tmp_path, "oht_server.qualification_attempts=1") as home:
        for games in (0, 1):
            leave_after(home, games)
            home.wait_for("(disconnected)", count=1 + games)
            assert sum("the attempt is not counted" in line for line in home.messages) == 1 + games
        leave_after(home, 2)
        home.wait_for("(disconnected)", count=3)
        assert refusal(home, "json", qualify=True) == "no attempts left"
        kept = [(result["attempt"], result["attempts_left"]) for result in home.results]
        assert kept == [(None, 1), (None, 1), (1, 0)]


@pytest.mark.parametrize(("username", "password"), [(" ", PASSWORD), ("kari", " \n")])
def test_blanks_are_no_credentials(home: Home, username: str, password: str) -> None:
    words = refusal(home, "text", auth=username, password=password)
    assert "Invalid credentials" in words
    assert "username" not in words


@pytest.mark.parametrize("token", ["", " ", None, 7, True, ["x"], {"token": "x"}], ids=repr)
def test_a_malformed_token_is_refused(home: Home, token: object) -> None:
    assert refusal(home, "json", auth=token) == "expected an API token, a text"


def test_any_text_is_a_token(home: Home) -> None:
    for token in ("x", "\N{SNOWMAN}", "\ud800", "x" * 60_000):
        assert play(home, "json", auth=token).score is not None


@pytest.mark.parametrize("answer", ["yes", None, 1, 0, [], [True]], ids=repr)
def test_only_true_and_false_answer_the_question(home: Home, answer: object) -> None:
    assert refusal(home, "json", qualify=answer) == "expected true or false"


def test_an_answer_other_than_yes_costs_no_attempt(home: Home) -> None:
    for answer in ("n", "No", "?", "Yn", "yes please"):
        client = play(home, "text", auth="careful", qualify=answer)
        assert "You have 5 remaining attempts." in client.question
        assert client.score is not None


def test_any_nickname_is_accepted_and_never_sent_back(home: Home) -> None:
    name = "\x1b[31m Welcome username password \u202e" + "x" * 500
    client = play(home, "text", nickname=name)
    assert client.score is not None
    assert all("[31m" not in prompt for prompt in client.prompts)
    home.wait_for("[31m Welcome username password xxx")
    assert all(line.isprintable() and len(line) < 150 for line in home.messages)
    assert play(home, "text", nickname="\x00\x07").score is not None
    home.wait_for("nameless: 5 games")


@both
def test_no_secret_is_printed_kept_or_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    caplog.set_level(logging.DEBUG)
    with running(tmp_path) as home:
        play(home, kind, auth="secret user", qualify=True)
        play(home, kind, auth="secret user", choose=lambda state: "nonsense")
    written = [path.read_text() for path in tmp_path.iterdir()]
    for secret in ("secret user", PASSWORD):
        assert all(secret not in text for text in [*written, *home.messages, caplog.text])


ILLEGAL_TEXTS = {
    "(0, 3)": (0, 3),
    "[0, 1, 2]": [0, 1, 2],
    "((0, 1), 2)": ((0, 1), 2),
    f"({'9' * 900}, 1)": (int("9" * 900), 1),
    "(np.int64(1), np.int64(2))": "(np.int64(1), np.int64(2))",
    "(True, 0)": (True, 0),
    "'\\d'": "\\d",
    "1 + 2": "1 + 2",
    "[" * 999: "[" * 999,
    "-" * 999 + "1": "-" * 999 + "1",
    "__import__('os').getpid()": "__import__('os').getpid()",
}


@pytest.mark.parametrize(
    ("text", "action"), ILLEGAL_TEXTS.items(), ids=lambda value: str(value)[:30]
)
def test_an_illegal_text_is_shown_and_ends_the_session(
    home: Home, text: str, action: object
) -> None:
    client = play(home, "text", choose=lambda state: text)
    (_, state, _), (name, shown_state, shown) = client.hooks[-2:]
    assert (name, shown_state) == ("illegal_action", state)
    shown_whole = len(repr(action).encode()) <= 1024
    assert shown == action if shown_whole else str(shown).startswith(repr(action)[:80])
    assert client.score is None


@pytest.mark.parametrize("data", [b"\xff" * 1024, "☃".encode() * 341, b"'" * 1024])
def test_bytes_that_are_no_text_are_an_illegal_action(home: Home, data: bytes) -> None:
    client = connected(home, "text")
    state = client.first_request()
    client.sock.send(data)
    assert client.receive() == "Illegal action"
    assert client.value() == state
    assert isinstance(client.value(), str)
    assert client.receive() == ""
    client.sock.close()


def test_a_list_is_as_good_as_a_tuple_and_blanks_do_not_matter(home: Home) -> None:
    def choose(state: Sequence[int]) -> object:
        row, column = first_free_cell(state)
        return f"  [ {row},{column} , ]\r\n"

    assert play(home, "text", choose=choose).score is not None


@pytest.mark.parametrize("action", [None, [3, 0]], ids=repr)
def test_an_illegal_action_in_json_loses_the_game_and_the_series_goes_on(
    home: Home, action: object
) -> None:
    answers = iter([action])

    def choose(state: Sequence[int]) -> object:
        return next(answers, first_free_cell(state))

    client = play(home, "json", choose=choose)
    place = client.topics.index("message")
    assert client.topics[place - 1 : place + 2] == ["request_action", "message", "game_over"]
    assert "illegal action" in client.notices[0]
    assert len(client.notices) == 1
    (_, state, _), over = client.hooks[2:4]
    assert over == ("game_over", 2, state)
    assert len(client.calls("game_over")) == 5
    assert client.score is not None
    home.wait_for("1 illegal action, ")


@pytest.mark.parametrize("body", [b"[" * 990 + b"]" * 990, b"[" * 30_000, b"\xff\xfe", b""])
def test_a_whole_frame_of_anything_is_an_illegal_action(home: Home, body: bytes) -> None:
    client = connected(home, "json")
    client.first_request()
    client.sock.sendall(struct.pack("<i", len(body)) + body)
    assert [client.receive()["topic"] for _ in range(2)] == ["message", "game_over"]
    client.sock.close()


@pytest.mark.parametrize("length", [-1, -(2**31), 65_537, 2**31 - 1, 0x20544547])
def test_a_frame_of_an_impossible_length_ends_the_session(home: Home, length: int) -> None:
    client = connected(home, "json", auth=f"oversize {length}")
    client.first_request()
    client.sock.sendall(struct.pack("<i", length) + b"x" * 100)
    error = f"expected a length from 0 to 65536, got {length}"
    assert client.receive() == {"topic": "error", "error": error}
    client.sock.close()
    home.wait_for(f"5 games, 0 won, 0 illegal actions, score 0.0 ({error})")


def test_early_messages_answer_the_next_requests(home: Home) -> None:
    client = connected(home, "json")
    frames = [b'"token"', b"false", *([b"null"] * 5)]
    client.sock.sendall(b"".join(struct.pack("<i", len(frame)) + frame for frame in frames))
    topics = [client.receive()["topic"] for _ in range(3 + 4 * 5 + 3)]
    assert topics[-1] == "finish"
    client.sock.close()


@pytest.mark.parametrize(
    ("kind", "sent"), [("text", b""), ("json", b""), ("json", b"\x06\x00\x00\x00[0")]
)
def test_a_late_move_ends_the_session(tmp_path: Path, kind: str, sent: bytes) -> None:
    limits = ("oht_server.move_limit=0.2", "oht_server.qualifiers_move_limit=0.2")
    with running(tmp_path, *limits) as home:
        client = connected(home, kind)
        client.first_request()
        client.sock.sendall(sent)
        error = {"topic": "error", "error": "no answer within 0.2 seconds"}
        assert client.receive() == (HISTORIC if kind == "text" else error)
        assert client.sock.recv(1) == b""
        client.sock.close()
        home.wait_for(": 5 games, 0 won, 0 illegal actions, score 0.0 (no answer within 0.2")


@both
def test_a_silent_client_is_cut_during_the_log_in(tmp_path: Path, kind: str) -> None:
    with running(tmp_path, "oht_server.answer_limit=0.2") as home:
        client = connected(home, kind)
        client.receive()
        assert client.receive() == HISTORIC if kind == "text" else client.receive()["error"]
        assert client.sock.recv(1) == b""
        client.sock.close()
        home.wait_for("a client left before it played: no answer within 0.2 seconds")


@pytest.mark.parametrize(
    ("kind", "answers"),
    [*(("text", count) for count in range(5)), *(("json", count) for count in range(3))],
)
def test_a_client_may_leave_anywhere_in_the_log_in(home: Home, kind: str, answers: int) -> None:
    before = len(home.messages)
    client = connected(home, kind)
    client.log_in(answers)
    client.sock.close()
    is_early = answers < len(client.log_in_answers)
    words = "left before it played: disconnected" if is_early else "(disconnected)"
    home.wait_for(words, 1 + sum(words in line for line in home.messages[:before]))
    assert play(home, kind).score is not None


def garble(client: TextClient) -> None:
    """Send a TLS record of garbage."""
    with socket.socket(fileno=client.sock.detach()) as raw:
        raw.sendall(b"\x17\x03\x03\x00\x20" + b"\x5a" * 32)


def reset(client: TextClient) -> None:
    """Reset the connection, with unread bytes."""
    client.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    socket.socket(fileno=client.sock.detach()).close()


@pytest.mark.parametrize("leave", [garble, reset])
def test_a_broken_connection_is_a_client_that_has_left(
    home: Home, leave: Callable[[TextClient], None]
) -> None:
    name = leave.__name__
    client = connected(home, "text", nickname=name)
    client.first_request()
    leave(client)
    home.wait_for(f"{name}: 5 games, 0 won, 0 illegal actions, score 0.0 (disconnected)")
    assert play(home, "text").score is not None


def test_a_client_that_speaks_no_tls_or_nothing_at_all_does_no_harm(home: Home) -> None:
    address = ("127.0.0.1", home.ports["text"])
    with socket.create_connection(address), socket.create_connection(address) as plain:
        plain.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert play(home, "text").score is not None
        with contextlib.suppress(ConnectionResetError):
            while plain.recv(1024):
                pass


def test_a_client_with_another_certificate_refuses_the_server(home: Home, tmp_path: Path) -> None:
    other, _ = ensure_certificate(tmp_path)
    with pytest.raises(ssl.SSLCertVerificationError):
        dial(home.ports["text"], other)
    home.wait_for("a client could not connect: no TLS: it trusts another certificate")
    assert play(home, "text").score is not None


def test_many_clients_play_in_parallel_beside_a_stalled_one(tmp_path: Path) -> None:
    with running(tmp_path, "oht_server.verification_games=20") as home:
        stalled = connected(home, "text", nickname="Stalled")
        stalled.first_request()
        names = [f"number {number}" for number in range(8)]
        clients = [connected(home, "text", auth=name, nickname=name) for name in names]
        threads = [threading.Thread(target=client.run) for client in clients]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        home.wait_for("20 games, ", count=len(clients))
        scores = {name: client.score for name, client in zip(names, clients, strict=True)}
        assert {kept["name"]: kept["score"] for kept in home.results} == scores
        assert len({client.calls("series_start")[0][0] for client in clients}) == len(clients)
        stalled.sock.close()
        home.wait_for("Stalled: 20 games")
