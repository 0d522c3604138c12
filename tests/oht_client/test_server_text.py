"""The first generation's protocol, with clients over real TLS."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from oht_client.server.certificate import ensure_certificate
from oht_client.server.connection import Connection
from oht_client.server.text_wire import TextWire, _literal
from tests.oht_client.home import Home, running
from tests.oht_client.raw_clients import TextClient, dial, first_free_cell

PASSWORD = "correct horse battery staple"
HISTORIC = "The read operation timed out"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with running(tmp_path_factory.mktemp("home")) as server:
        yield server


def asker(username: str, nickname: str = "Nick", qualify: str = "n") -> Callable[[str], str]:
    """Return the person at the keyboard."""
    answers = {"username": username, "player-name": nickname, "qualify": qualify}

    def ask(prompt: str) -> str:
        return next(answer for word, answer in answers.items() if word in prompt)

    return ask


def play(
    home: Home,
    username: str,
    nickname: str = "Nick",
    qualify: str = "n",
    choose: Callable[[Sequence[int]], object] = first_free_cell,
    password: str = PASSWORD,
) -> TextClient:
    """Log in and play to the end, as the course's client does."""
    client = TextClient(home.ports["text"], home.certificate, choose)
    with pytest.raises(SystemExit):
        client.connect_to_server(asker(username, nickname, qualify), lambda prompt: password)
    return client


def calls(client: TextClient, hook: str) -> list[Any]:
    """Return the arguments of every call of one hook."""
    return [arguments for name, *arguments in client.hooks if name == hook]


def log_in(home: Home, username: str, nickname: str = "Nick", qualify: str = "n") -> TextClient:
    """Log in; the first message of the tournament is the next to come."""
    client = TextClient(home.ports["text"], home.certificate)
    for answer in (username, PASSWORD, nickname, qualify):
        client.receive()
        client.sock.send(answer.encode())
    assert "Welcome" in client.receive()
    return client


def up_to_the_first_move(client: TextClient) -> tuple[int, ...]:
    """Read until a move is wanted; return the state."""
    words = [client.receive() for _ in range(8)]
    assert (words[0], words[5]) == ("Series start", "Game start")
    state: tuple[int, ...] = tuple(map(int, words[7].strip("()").split(", ")))
    return state


def test_the_course_s_client_plays_a_whole_verification_tournament(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = TextClient(home.ports["text"], home.certificate)
    monkeypatch.setattr("builtins.input", asker("kari", "Kari's net"))
    monkeypatch.setattr("getpass.getpass", lambda prompt: PASSWORD)
    with pytest.raises(SystemExit) as end:
        client.connect_to_server()
    assert end.value.code is None
    words = ("username", "password", "player-name", "qualify", "Welcome")
    assert all(word in prompt for word, prompt in zip(words, client.prompts, strict=True))
    (first, second), over = calls(client, "series_start"), calls(client, "game_over")
    own, opponents = first[0], [2001, 2002]
    assert len(str(own)) == 7
    assert first == [own, 1, [(own, 1), (opponents[0], 2)], 3, [3]]
    assert second == [own, 2, [(opponents[1], 1), (own, 2)], 2, [3]]
    assert calls(client, "game_start") == [[1], [2], [1], [1], [2]]
    won = sum(winner == 1 for winner, _ in over[:3]) + sum(winner == 2 for winner, _ in over[3:])
    assert all(state[0] == 3 - winner for winner, state in over)
    assert (client.score, type(client.score)) == (100 * won / 5, float)
    home.wait_for(f"Kari's net: 5 games, {won} won, 0 illegal actions, score {client.score}")
    kept = next(result for result in home.results if result["nickname"] == "Kari's net")
    assert (kept["protocol"], kept["kind"], kept["score"]) == (1, "verification", client.score)
    stats = [line for (line,) in calls(client, "series_over")]
    wins = [next(wins for who, _, wins, _ in lines if who == own) for lines in stats]
    assert [series["wins"] for series in kept["series"]] == wins


def test_the_largest_board_fits_into_its_messages(tmp_path: Path) -> None:
    with running(tmp_path, "oht.board_size=13", "oht_server.opponents=[random]") as home:
        client = play(home, "kari")
    assert client.score is not None
    assert max(client.sizes) == 3 * (13 * 13 + 1)


class Sent:
    """A connection that only writes down what is sent."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []

    async def send(self, data: bytes) -> None:
        self.pieces.append(data)


def test_a_board_that_does_not_fit_into_a_message_is_refused() -> None:
    sent = Sent()
    wire = TextWire(cast(Connection, sent), None, 1.0)
    asyncio.run(wire.game_over(1, [1] + [0] * 18 * 18))
    with pytest.raises(ValueError, match="expected at most 1024 bytes, got 1086"):
        asyncio.run(wire.game_over(1, [1] + [0] * 19 * 19))
    assert max(map(len, sent.pieces)) == 975


@pytest.mark.parametrize(("username", "password"), [(" ", PASSWORD), ("kari", " \n"), ("\t", " ")])
def test_blanks_are_no_credentials(home: Home, username: str, password: str) -> None:
    client = play(home, username, password=password)
    assert "Invalid credentials" in client.prompts[-1]
    assert "username" not in client.prompts[-1]
    assert "password" not in client.prompts[-1]


def test_official_attempts_are_counted_by_user_name_and_verification_is_not(tmp_path: Path) -> None:
    with running(tmp_path, "oht_server.official_attempts=2") as home:
        first = play(home, "ola", "Ola", "Y")
        assert "You have 2 remaining attempts." in first.prompts[3]
        assert [num_games for _, _, _, num_games, _ in calls(first, "series_start")] == [3, 3]
        assert "You have 1 remaining attempt." in play(home, "ola", "Ola", "n").prompts[3]
        assert play(home, "ola", "another nickname", "y").score is not None
        refused = play(home, "ola", "Ola", "Y")
        assert refused.prompts[-1].startswith("Sorry")
        assert play(home, "ola", "Ola", "n").score is not None
        assert "You have 2 remaining attempts." in play(home, "kari", "Ola", "n").prompts[3]
        home.wait_for("Ola has no attempts left")
        kinds = [result["kind"] for result in home.results]
    assert kinds == ["official", "verification", "official", "verification", "verification"]


def test_what_is_not_clearly_a_yes_costs_no_attempt(home: Home) -> None:
    for answer in ("n", "No", "?", "Yn", "yes please"):
        client = play(home, "careful", qualify=answer)
        assert "You have 5 remaining attempts." in client.prompts[3]
        assert client.score is not None


def test_a_nickname_may_be_anything_and_is_never_sent_back(home: Home) -> None:
    name = "\x1b[31m Welcome username password \u202e" + "x" * 500
    client = play(home, "kari", name)
    assert client.score is not None
    assert all("[31m" not in prompt for prompt in client.prompts)
    home.wait_for("[31m Welcome username password xxx")
    assert all(line.isprintable() and len(line) < 150 for line in home.told)
    assert play(home, "kari", "\x00\x07").score is not None
    home.wait_for("nameless: 5 games")


def test_no_secret_is_told_kept_or_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with running(tmp_path) as home:
        play(home, "secret user", qualify="Y")
        play(home, "secret user", choose=lambda state: "nonsense")
    written = [path.read_text() for path in tmp_path.iterdir()]
    for secret in ("secret user", PASSWORD):
        assert all(secret not in text for text in [*written, *home.told, caplog.text])


ILLEGAL = {
    "(0, 3)": (0, 3),
    "(-1, 0)": (-1, 0),
    "[0, 1, 2]": [0, 1, 2],
    "7": 7,
    "()": (),
    "((0, 1), 2)": ((0, 1), 2),
    f"({'9' * 900}, 1)": (int("9" * 900), 1),
    "(np.int64(1), np.int64(2))": "(np.int64(1), np.int64(2))",
    "(True, 0)": "(True, 0)",
    "(1.0, 2.0)": "(1.0, 2.0)",
    "'\\d'": "'\\d'",
    "(1, 2": "(1, 2",
    "(1, 2)(1, 2)": "(1, 2)(1, 2)",
    "0777": "0777",
    "1 + 2": "1 + 2",
    "[" * 999: "[" * 999,
    "-" * 999 + "1": "-" * 999 + "1",
    "__import__('os').getpid()": "__import__('os').getpid()",
    "æøå \N{SNOWMAN}": "æøå \N{SNOWMAN}",
    "Tournament end": "Tournament end",
}


@pytest.mark.parametrize(("text", "action"), ILLEGAL.items(), ids=lambda value: str(value)[:30])
def test_an_illegal_action_is_shown_and_ends_the_session(
    home: Home, text: str, action: object
) -> None:
    client = TextClient(home.ports["text"], home.certificate, lambda state: text)
    with pytest.raises(SystemExit):
        client.connect_to_server(asker("kari"), lambda prompt: PASSWORD)
    (_, state, _), (name, shown_state, shown) = client.hooks[-2:]
    assert (name, shown_state) == ("illegal_action", state)
    shown_whole = len(repr(action).encode()) <= 1024
    assert shown == action if shown_whole else str(shown).startswith(repr(action)[:80])
    assert client.score is None


@pytest.mark.parametrize("data", [b"\xff" * 1024, b"\x00", "☃".encode() * 341, b"'" * 1024])
def test_bytes_that_are_no_text_are_an_illegal_action(home: Home, data: bytes) -> None:
    client = log_in(home, "kari")
    state = up_to_the_first_move(client)
    client.sock.send(data)
    assert client.receive() == "Illegal action"
    assert client.value() == state
    assert isinstance(client.value(), str)
    assert client.receive() == ""
    client.sock.close()


def test_an_occupied_cell_is_illegal_and_all_games_that_remain_are_lost(home: Home) -> None:
    client = play(home, "kari", "Repeater", choose=lambda state: (0, 0))
    assert client.hooks[-1][0] == "illegal_action"
    home.wait_for("Repeater: 5 games, 0 won, 1 illegal action, score 0.0 (sent an illegal action)")


def test_a_list_is_as_good_as_a_tuple_and_blanks_do_not_matter(home: Home) -> None:
    def choose(state: Sequence[int]) -> object:
        row, column = first_free_cell(state)
        return f"  [ {row},{column} , ]\r\n"

    assert play(home, "kari", choose=choose).score is not None


def test_only_plain_literals_reach_the_parser() -> None:
    for text, value in ILLEGAL.items():
        assert _literal(text) == value


def test_a_client_that_leaves_in_the_middle_loses_what_remains(home: Home) -> None:
    client = log_in(home, "kari", "Leaver")
    up_to_the_first_move(client)
    client.sock.close()
    home.wait_for("Leaver: 5 games, 0 won, 0 illegal actions, score 0.0 (disconnected)")


def test_a_reset_connection_is_a_client_that_has_left(home: Home) -> None:
    client = log_in(home, "kari", "Resetter")
    up_to_the_first_move(client)
    reset(client.sock)
    home.wait_for("Resetter: 5 games, 0 won, 0 illegal actions, score 0.0 (disconnected)")


def reset(sock: ssl.SSLSocket) -> None:
    """Cut a connection without a word, and with what has not been read."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    socket.socket(fileno=sock.detach()).close()


@pytest.mark.parametrize("answers", range(5))
def test_a_client_may_leave_anywhere_in_the_log_in(tmp_path: Path, answers: int) -> None:
    with running(tmp_path) as home:
        client = TextClient(home.ports["text"], home.certificate)
        for answer in ("kari", PASSWORD, "Nick", "n")[:answers]:
            client.receive()
            client.sock.send(answer.encode())
        client.sock.close()
        home.wait_for("disconnected")
        assert play(home, "kari").score is not None


def test_a_late_move_ends_the_session_with_the_historic_text(tmp_path: Path) -> None:
    with running(tmp_path, "oht_server.move_limit=0.2") as home:
        client = log_in(home, "kari", "Late")
        up_to_the_first_move(client)
        assert client.receive() == HISTORIC
        assert client.receive() == ""
        client.sock.close()
        home.wait_for("Late: 5 games, 0 won, 0 illegal actions, score 0.0 (no answer within 0.2")


def test_a_silent_client_is_not_waited_for_in_the_log_in(tmp_path: Path) -> None:
    with running(tmp_path, "oht_server.answer_limit=0.2") as home:
        client = TextClient(home.ports["text"], home.certificate)
        assert "username" in client.receive()
        assert client.receive() == HISTORIC
        assert client.receive() == ""
        client.sock.close()
        home.wait_for("protocol 1: a client left before it played: no answer within 0.2 seconds")


def test_a_client_that_speaks_no_tls_or_nothing_at_all_does_no_harm(home: Home) -> None:
    address = ("127.0.0.1", home.ports["text"])
    with socket.create_connection(address), socket.create_connection(address) as plain:
        plain.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert play(home, "kari").score is not None
        with contextlib.suppress(ConnectionResetError):
            while plain.recv(1024):
                pass


def test_a_client_with_another_certificate_refuses_the_server(home: Home, tmp_path: Path) -> None:
    other, _ = ensure_certificate(tmp_path)
    with pytest.raises(ssl.SSLCertVerificationError):
        dial(home.ports["text"], other)
    home.wait_for("a client could not connect: no TLS: it trusts another certificate")
    assert play(home, "kari").score is not None


def test_garbage_within_tls_s_own_records_does_no_harm(home: Home) -> None:
    client = log_in(home, "kari", "Garbler")
    up_to_the_first_move(client)
    raw = socket.socket(fileno=client.sock.detach())
    raw.sendall(b"\x17\x03\x03\x00\x20" + b"\x5a" * 32)
    home.wait_for("Garbler: 5 games, 0 won, 0 illegal actions, score 0.0 (disconnected)")
    raw.close()
    assert play(home, "kari").score is not None


def test_many_clients_play_at_once_and_a_stalled_one_hinders_nobody(tmp_path: Path) -> None:
    with running(tmp_path, "oht_server.verification_games=20") as home:
        stalled = log_in(home, "slow", "Stalled")
        up_to_the_first_move(stalled)
        clients = [TextClient(home.ports["text"], home.certificate) for _ in range(8)]

        def run(client: TextClient, name: str) -> None:
            with contextlib.suppress(SystemExit):
                client.connect_to_server(asker(name, name), lambda prompt: PASSWORD)

        threads = [
            threading.Thread(target=run, args=[client, f"number {number}"])
            for number, client in enumerate(clients)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        scores = {f"number {number}": client.score for number, client in enumerate(clients)}
        home.wait_for("20 games, ", count=len(clients))
        assert {kept["nickname"]: kept["score"] for kept in home.results} == scores
        ids = {calls(client, "series_start")[0][0] for client in clients}
        assert len(ids) == len(clients)
        stalled.sock.close()
        home.wait_for("Stalled: 20 games")


def test_each_message_is_one_write_and_waits_for_no_other(home: Home) -> None:
    """One ``recv`` for each of them is what every test here does; so this looks at the writes."""
    sent = Sent()
    wire = TextWire(cast(Connection, sent), None, 1.0)

    async def tournament() -> None:
        await wire.series_start(1234567, [(1234567, 1), (2020, 2)], 50, [6])
        await wire.game_start(2)
        await wire.game_over(2, [1, 0, 2])
        await wire.series_over([(1234567, 1, 0, 50), (2020, 2, 50, 0)])
        await wire.tournament_over(67.0)

    asyncio.run(tournament())
    assert [piece.decode() for piece in sent.pieces] == [
        "Series start",
        "1234567",
        "[(1234567, 1), (2020, 2)]",
        "50",
        "[6]",
        "Game start",
        "2",
        "Game end",
        "2",
        "(1, 0, 2)",
        "Series end",
        "[(1234567, 1, 0, 50), (2020, 2, 50, 0)]",
        "Tournament end",
        "67.0",
    ]
