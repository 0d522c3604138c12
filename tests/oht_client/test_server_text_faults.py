"""Faults of clients of the first generation."""

from __future__ import annotations

import contextlib
import socket
import ssl
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from oht_client.server.tls import ensure_certificate
from tests.oht_client.home import Home, running
from tests.oht_client.raw_clients import TextClient, dial, first_free_cell
from tests.oht_client.text_sessions import (
    PASSWORD,
    log_in,
    play,
    scripted_user,
    up_to_the_first_move,
)

HISTORIC = "The read operation timed out"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with running(tmp_path_factory.mktemp("home")) as server:
        yield server


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
        client.connect_to_server(scripted_user("kari"), lambda prompt: PASSWORD)
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


def test_a_list_is_as_good_as_a_tuple_and_blanks_do_not_matter(home: Home) -> None:
    def choose(state: Sequence[int]) -> object:
        row, column = first_free_cell(state)
        return f"  [ {row},{column} , ]\r\n"

    assert play(home, "kari", choose=choose).score is not None


def test_a_reset_connection_is_a_client_that_has_left(home: Home) -> None:
    client = log_in(home, "kari", "Resetter")
    up_to_the_first_move(client)
    reset(client.sock)
    home.wait_for("Resetter: 5 games, 0 won, 0 illegal actions, score 0.0 (disconnected)")


def reset(sock: ssl.SSLSocket) -> None:
    """Reset a connection, with unread bytes."""
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
        home.wait_for(
            "a client left before it played: disconnected" if answers < 4 else "(disconnected)"
        )
        assert play(home, "kari").score is not None


def test_a_late_move_ends_the_session_with_the_historic_text(tmp_path: Path) -> None:
    with running(tmp_path, "oht_server.move_limit=0.2") as home:
        client = log_in(home, "kari", "Late")
        up_to_the_first_move(client)
        assert client.receive() == HISTORIC
        assert client.receive() == ""
        client.sock.close()
        home.wait_for("Late: 5 games, 0 won, 0 illegal actions, score 0.0 (no answer within 0.2")


def test_a_silent_client_is_cut_during_the_log_in(tmp_path: Path) -> None:
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


def test_garbage_within_tls_records_does_no_harm(home: Home) -> None:
    client = log_in(home, "kari", "Garbler")
    up_to_the_first_move(client)
    raw = socket.socket(fileno=client.sock.detach())
    raw.sendall(b"\x17\x03\x03\x00\x20" + b"\x5a" * 32)
    home.wait_for("Garbler: 5 games, 0 won, 0 illegal actions, score 0.0 (disconnected)")
    raw.close()
    assert play(home, "kari").score is not None
