"""Sessions of clients of both generations on a whole server, over real TLS."""

import contextlib
import logging
import socket
import ssl
import struct
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from oht_client.server.tls import ensure_certificate
from tests.oht_client.home import Home, running
from tests.oht_client.raw_clients import PASSWORD, Client, dial, first_free_cell


def question(client: Client) -> str:
    return next(str(values) for topic, *values in client.messages if topic.startswith("qu"))


def test_a_verification_tournament_is_played_against_all_opponents(home: Home) -> None:
    def choose(state: Sequence[int]) -> object:
        row, column = first_free_cell(state)
        return f"  [ {row},{column} , ]\r\n"  # as good as a tuple

    client = home.play("text", name="Kari's net", choose=choose)
    topics = [topic for topic, *_ in client.messages]
    assert topics[:6] == [*client.answers, "Welcome", "series_start"]
    (first, second), over = client.calls("series_start"), client.calls("game_over")
    own = first[0]
    assert len(str(own)) == 7
    assert first == [own, [(own, 1), (2001, 2)], 3, [3]]
    assert second == [own, [(2002, 1), (own, 2)], 2, [3]]
    assert client.calls("game_start") == [[1], [2], [1], [1], [2]]
    won = sum(winner == 1 for winner, _ in over[:3]) + sum(winner == 2 for winner, _ in over[3:])
    assert all(state[0] == 3 - winner for winner, state in over)
    assert (client.score, type(client.score)) == (100 * won / 5, float)
    home.wait_for(f"Kari's net: 5 games, {won} won, 0 illegal actions, score {client.score}")
    kept = next(result for result in home.results if result["name"] == "Kari's net")
    assert (kept["protocol"], kept["kind"], kept["score"]) == (1, "verification", client.score)
    stats = [{row[0]: row[2] for row in rows} for (rows,) in client.calls("series_over")]
    assert [series["wins"] for series in kept["series"]] == [wins[own] for wins in stats]


def test_practice_is_one_series_against_a_random_player(home: Home) -> None:
    client = home.play("json")
    topics = [topic for topic, *_ in client.messages]
    assert topics[:3] == ["authentication", "question", "series_start"]
    assert topics[-3:] == ["series_over", "tournament_over", "finish"]
    assert client.calls("series_start") == [[-200, [[-200, 1], [2001, 2]], 5, [3]]]
    assert client.calls("game_start") == [[1], [2], [1], [2], [1]]
    (([(_, _, won, lost), theirs],),) = client.calls("series_over")
    assert (theirs, client.score) == ([2001, 2, lost, won], 100 * won / 5)
    home.wait_for(f"5 games, {won} won, 0 illegal actions, score {client.score}")


@pytest.mark.parametrize("kind", ["text", "json"])
def test_official_attempts_are_counted_by_account_and_no_secret_is_kept_or_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    caplog.set_level(logging.DEBUG)
    games = ("oht_server.official_games=1", "oht_server.verification_games=1")
    limits = ("oht_server.official_attempts=2", "oht_server.qualification_attempts=2")
    with running(tmp_path, *games, *limits) as home:
        first = home.play(kind, auth="secret user", qualify=True)
        assert "2 " in question(first)
        starts = first.calls("series_start")
        assert [(dict(players)[own], num) for own, players, num, _ in starts] == [(1, 1), (2, 1)]
        assert "1 " in question(home.play(kind, auth="secret user"))
        home.play(kind, auth="secret user", qualify=True, choose=lambda state: "nonsense")
        refused = home.play(kind, auth="secret user", qualify=True)
        assert "no attempts left" in refused.messages[-1][1]
        assert "2 " in question(home.play(kind, auth="kari"))
        home.wait_for("score", 4)
        kept = [(each["kind"], each["attempt"], each["attempts_left"]) for each in home.results]
    verification = "verification", None
    assert kept == [("official", 1, 1), (*verification, 1), ("official", 2, 0), (*verification, 2)]
    written = [path.read_text() for path in tmp_path.iterdir()]
    for secret in ("secret user", PASSWORD):
        assert all(secret not in text for text in [*written, *home.messages, caplog.text])


def test_a_client_that_leaves_keeps_its_wins_and_at_first_its_attempt(tmp_path: Path) -> None:
    def choose(state: Sequence[int]) -> object:
        if len(client.calls("game_over")) == games:
            raise ConnectionAbortedError
        return first_free_cell(state)

    expected: list[tuple[object, ...]] = []
    with running(tmp_path, "oht_server.qualification_attempts=1") as home:
        for games in range(3):
            client = home.connect("json", qualify=True, choose=choose)
            with pytest.raises(ConnectionAbortedError):
                client.run()
            home.wait_for("(disconnected)", count=1 + games)
            won = sum(winner == 1 for winner, _ in client.calls("game_over"))
            attempt = (1, 0) if games == 2 else (None, 1)
            expected.append((*attempt, games, [won, 0], [3 - won, 3], round(100 * won / 6, 2)))
        assert home.count("the attempt is not counted") == 2
        refused = home.play("json", qualify=True)
        assert refused.messages[-1] == ("error", "no attempts left")
        kept = [
            (
                *(result["attempt"], result["attempts_left"], result["played"]),
                *([series[side] for series in result["series"]] for side in ("wins", "losses")),
                result["score"],
            )
            for result in home.results
        ]
    assert kept == expected


TOKENS: tuple[object, ...] = ("", " ", None, 7, True, ["x"], {"token": "x"})
ANSWERS: tuple[object, ...] = ("yes", None, 1, 0, [], [True])


@pytest.mark.parametrize(
    ("kind", "answer", "words"),
    [
        ("text", {"auth": " "}, "Invalid credentials"),
        ("text", {"password": " \n"}, "Invalid credentials"),
        *(("json", {"auth": token}, "expected an API token") for token in TOKENS),
        *(("json", {"qualify": answer}, "expected true or false") for answer in ANSWERS),
    ],
    ids=str,
)
def test_a_log_in_with_a_malformed_answer_is_refused(
    home: Home, kind: str, answer: dict[str, Any], words: str
) -> None:
    last = home.play(kind, **answer).messages[-1][-1]
    assert words in last
    assert "username" not in last


HOSTILE = "\x1b[31m Welcome username \u202e" + "x" * 500


@pytest.mark.parametrize(
    ("kind", "answer", "shown"),
    [
        *(("json", {"auth": token}, "") for token in ("x", "\N{SNOWMAN}", "\ud800", "x" * 60_000)),
        *(("text", {"qualify": word}, "") for word in ("n", "No", "?", "Yn", "yes please")),
        ("text", {"name": "\x00\x07"}, "nameless comes"),
        ("text", {"name": HOSTILE}, "[31m Welcome username x"),
    ],
    ids=lambda value: ascii(value)[:30],
)
def test_any_text_is_a_token_or_a_name_and_only_a_clear_yes_costs_an_attempt(
    home: Home, kind: str, answer: dict[str, Any], shown: str
) -> None:
    client = home.connect(kind, **answer)
    client.first_request()
    client.sock.close()
    assert "5 remaining attempts" in question(client) or kind == "json"
    assert "[31m" not in str(client.messages)
    home.wait_for(shown)
    assert all(line.isprintable() and len(line) < 150 for line in home.messages)


ILLEGAL_TEXTS: dict[str | bytes, object] = {
    "(0, 3)": (0, 3),
    f"({'9' * 900}, 1)": (int("9" * 900), 1),
    "(np.int64(1), np.int64(2))": "(np.int64(1), np.int64(2))",
    "'\\d'": "\\d",
    "-" * 999 + "1": "-" * 999 + "1",
    "__import__('os').getpid()": "__import__('os').getpid()",
    b"\xff" * 1024: "\N{REPLACEMENT CHARACTER}" * 1024,
    "☃" * 341: "☃" * 341,
    "'" * 1024: "'" * 1024,
}


@pytest.mark.parametrize(("text", "action"), ILLEGAL_TEXTS.items(), ids=lambda it: str(it)[:30])
def test_an_illegal_text_ends_the_session(home: Home, text: str | bytes, action: object) -> None:
    client = home.connect("text")
    state = client.first_request()
    client.sock.send(text if isinstance(text, bytes) else text.encode())
    topic, shown_state, shown = client.receive()
    assert (topic, shown_state) == ("illegal_action", state)
    if len(repr(action).encode()) <= 1024:
        assert shown == action
    else:
        assert str(shown).startswith(repr(action)[:80])
    assert client.receive() == ("no keyword", "")
    client.sock.close()


BODIES = [b"null", b"[3, 0]", b"[" * 990 + b"]" * 990, b"[" * 30_000, b"\xff\xfe", b""]


@pytest.mark.parametrize("body", BODIES, ids=lambda body: str(body[:9]))
def test_an_illegal_action_in_json_loses_the_game_and_no_more(home: Home, body: bytes) -> None:
    client = home.connect("json")
    state = client.first_request()
    client.sock.sendall(struct.pack("<i", len(body)) + body)
    topic, notice, level = client.receive()
    assert (topic, level) == ("message", "ERROR")
    assert "illegal action" in notice
    assert client.receive() == ("game_over", 2, state)
    assert client.receive() == ("game_start", 2)
    client.sock.close()


def test_a_cell_that_is_taken_is_illegal(home: Home) -> None:
    client = home.play("json", choose=lambda state: (0, 0))
    assert [winner for winner, _ in client.calls("game_over")] == [2] * 5
    home.wait_for("5 games, 0 won, 5 illegal actions, score 0.0")


@pytest.mark.parametrize("length", [-1, -(2**31), 65_537, 2**31 - 1, 0x20544547])
def test_a_frame_of_an_impossible_length_ends_the_session(home: Home, length: int) -> None:
    client = home.connect("json", auth=f"oversize {length}")
    client.first_request()
    client.sock.sendall(struct.pack("<i", length) + b"x" * 100)
    error = f"expected a length from 0 to 65536, got {length}"
    assert client.receive() == ("error", error)
    client.sock.close()
    home.wait_for(f"5 games, 0 won, 0 illegal actions, score 0.0 ({error})")


def test_early_messages_answer_the_next_requests(home: Home) -> None:
    client, frames = home.connect("json"), [b'"token"', b"false", *([b"null"] * 5)]
    client.sock.sendall(b"".join(struct.pack("<i", len(frame)) + frame for frame in frames))
    topics = [client.receive()[0] for _ in range(3 + 4 * 5 + 3)]
    assert topics[-1] == "finish"
    client.sock.close()
    home.wait_for("5 illegal actions")


@pytest.mark.parametrize(
    ("limit", "kind", "sent", "words"),
    [
        ("answer_limit", "text", b"", "left before it played: "),
        ("answer_limit", "json", b"", "left before it played: "),
        ("move_limit", "text", b"", ": 5 games, 0 won, 0 illegal actions, score 0.0 ("),
        ("qualifiers_move_limit", "json", b"", ": 5 games, 0 won, 0 illegal actions, score 0.0 ("),
        ("qualifiers_move_limit", "json", b"\x06\x00\x00\x00[0", ": 5 games, 0 won"),
    ],
)
def test_late_clients_are_cut(
    tmp_path: Path, limit: str, kind: str, sent: bytes, words: str
) -> None:
    late = "no answer within 0.2 seconds"
    with running(tmp_path, f"oht_server.{limit}=0.2") as home:
        client = home.connect(kind)
        client.receive() if limit == "answer_limit" else client.first_request()
        client.sock.sendall(sent)
        assert client.receive()[1] == ("The read operation timed out" if kind == "text" else late)
        assert client.sock.recv(1) == b""
        client.sock.close()
        home.wait_for(words)
        home.wait_for(late)


def close(client: Client) -> None:
    client.sock.close()


def garble(client: Client) -> None:
    with socket.socket(fileno=client.sock.detach()) as raw:
        raw.sendall(b"\x17\x03\x03\x00\x20" + b"\x5a" * 32)


def reset(client: Client) -> None:
    """Reset the connection, with unread bytes."""
    client.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    socket.socket(fileno=client.sock.detach()).close()


@pytest.mark.parametrize(
    ("kind", "steps", "leave"),
    [
        *(("text", count, close) for count in range(5)),
        *(("json", count, close) for count in range(3)),
        ("text", 7, garble),
        ("text", 7, reset),
    ],
)
def test_a_client_may_leave_anywhere_and_in_any_way(
    home: Home, kind: str, steps: int, leave: Callable[[Client], None]
) -> None:
    client = home.connect(kind)
    is_early = steps < len(client.answers)
    words = "left before it played: disconnected" if is_early else "score 0.0 (disconnected)"
    before = home.count(words)
    for _ in range(steps):
        client.step()
    leave(client)
    home.wait_for(words, 1 + before)


def test_a_client_without_tls_or_trust_does_no_harm(home: Home, tmp_path: Path) -> None:
    address = ("127.0.0.1", home.ports["text"])
    other, _ = ensure_certificate(tmp_path)
    with socket.create_connection(address), socket.create_connection(address) as plain:
        plain.sendall(b"GET / HTTP/1.1\r\n\r\n")
        with pytest.raises(ssl.SSLCertVerificationError):
            dial(home.ports["text"], other)
        home.wait_for("a client could not connect: no TLS: it trusts another certificate")
        assert home.play("text").score is not None
        with contextlib.suppress(ConnectionResetError):
            while plain.recv(1024):
                pass


def test_many_clients_play_in_parallel_beside_a_stalled_one(tmp_path: Path) -> None:
    with running(tmp_path) as home, ThreadPoolExecutor() as pool:
        stalled = home.connect("text", name="Stalled")
        stalled.first_request()
        names = [f"number {number}" for number in range(4)]
        clients = list(pool.map(lambda name: home.play("text", auth=name, name=name), names))
        home.wait_for("5 games, ", count=len(clients))
        scores = {name: client.score for name, client in zip(names, clients, strict=True)}
        assert {kept["name"]: kept["score"] for kept in home.results} == scores
        assert len({client.calls("series_start")[0][0] for client in clients}) == len(clients)
        stalled.sock.close()
        home.wait_for("Stalled: 5 games")
