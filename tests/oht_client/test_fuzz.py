"""Thousands of broken messages, and one client that plays on undisturbed."""

from __future__ import annotations

import contextlib
import itertools
import random
import socket
import struct
from pathlib import Path

import pytest

from tests.oht_client.home import Home, running
from tests.oht_client.raw_clients import JSONClient, TextClient, dial

SEED = 4
ACTIONS, FRAMES, TEXTS, HANDSHAKES = 1920, 80, 60, 20

JSON_TEXTS = [
    "[0, 1]",
    '["0", "1"]',
    '{"row": 0}',
    "true",
    "null",
    '"x"',
    "1e999",
    "-0",
    "[[0, 1]]",
]
PLAIN_TEXTS = ["(0, 1)", "[0, 1]", "kari", "Y", "Welcome", "{}", "(" * 60, "-1", "np.int64(1)"]


def broken_text(text: str, rng: random.Random) -> bytes:
    """Return a text with some of its bytes changed, lost, added or repeated."""
    data = bytearray(text.encode())
    for _ in range(rng.randint(1, 4)):
        place = rng.randint(0, len(data))
        kind = rng.randrange(5)
        if kind == 0:
            data[place:place] = rng.randbytes(rng.randint(1, 6))
        elif kind == 1:
            del data[place : place + rng.randint(1, 3)]
        elif kind == 2:
            data[place : place + 1] = rng.choice([b"[", b"]", b",", b"9", b"\x00", b"\xff", b"\\"])
        elif kind == 3:
            data[place:place] = data
        else:
            data = bytearray(rng.randbytes(rng.randint(0, 40)))
    return bytes(data[:1000])


def framed(body: bytes) -> bytes:
    """Return a whole frame."""
    return struct.pack("<i", len(body)) + body


def torn_frame(rng: random.Random) -> bytes:
    """Return an incomplete frame, or several frames."""
    kind = rng.randrange(4)
    if kind == 0:
        return rng.randbytes(rng.randint(1, 200))
    if kind == 1:
        return struct.pack("<i", rng.choice([-1, 65_537, 2**31 - 1, -(2**31)])) + rng.randbytes(9)
    whole = framed(broken_text(rng.choice(JSON_TEXTS), rng))
    return whole[: rng.randint(1, len(whole))] if kind == 2 else whole * rng.randint(1, 30)


def log_in(client: JSONClient) -> None:
    """Answer both questions of the second generation."""
    for answer in ("fuzz", False):
        client.receive()
        client.send(answer)


def send_broken_actions(home: Home, games: int, rng: random.Random) -> int:
    """Play a session with broken messages alone; return how many the server refused.

    Most are sent in advance. Some are legal moves by chance; further messages replace them.
    """
    client = JSONClient(home.ports["json"], home.certificate)
    log_in(client)
    messages = (framed(broken_text(rng.choice(JSON_TEXTS), rng)) for _ in itertools.count())
    refused, in_advance = 0, games
    with client.sock:
        client.sock.sendall(b"".join(itertools.islice(messages, in_advance)))
        while (message := client.receive())["topic"] != "finish":
            if message["topic"] == "request_action":
                in_advance -= 1
                if in_advance < 0:
                    client.sock.sendall(next(messages))
            refused += message["topic"] == "message"
    return refused


def send_torn_frames(home: Home, rng: random.Random) -> None:
    """Go part of the way through the second generation's dialogue, then send a torn frame."""
    port, questions = rng.choice([("json", 2), ("league", 1)])
    client = JSONClient(home.ports[port], home.certificate)
    with client.sock, contextlib.suppress(OSError):
        for answer in ("fuzz", False)[: rng.randint(0, questions)]:
            client.receive()
            client.send(answer)
        client.sock.sendall(torn_frame(rng))
        if rng.randrange(2):
            client.sock.settimeout(0.005)
            while client.sock.recv(4096):
                pass


def send_broken_texts(home: Home, rng: random.Random) -> None:
    """Go part of the way through the first generation's dialogue, then send a broken text."""
    client = TextClient(home.ports["text"], home.certificate)
    with client.sock, contextlib.suppress(OSError):
        for answer in ["kari", "secret", "Fuzz", "n"][: rng.randrange(6)]:
            client.receive()
            client.sock.sendall(answer.encode())
        client.sock.sendall(broken_text(rng.choice(PLAIN_TEXTS), rng) or b" ")
        if rng.randrange(2):
            client.sock.settimeout(0.005)
            while client.receive():
                pass


def break_a_handshake(home: Home, rng: random.Random) -> None:
    """Send bytes that are not TLS, from the start or after the handshake."""
    port = rng.choice(list(home.ports.values()))
    if rng.randrange(2):
        with socket.create_connection(("127.0.0.1", port)) as plain:
            plain.sendall(rng.randbytes(rng.randint(1, 300)))
    else:
        encrypted = dial(port, home.certificate)
        with socket.socket(fileno=encrypted.detach()) as plain:
            plain.sendall(b"\x17\x03\x03" + rng.randbytes(rng.randint(1, 300)))


def test_thousands_of_broken_messages_harm_no_other_client(tmp_path: Path) -> None:
    rng = random.Random(SEED)
    sessions = 8
    games = ACTIONS // sessions
    with running(
        tmp_path,
        f"oht_server.verification_games={games}",
        "oht_server.qualifiers_move_limit=null",
        "oht_server.answer_limit=600",
        "oht_server.opponents=[random]",
    ) as home:
        witness = JSONClient(home.ports["json"], home.certificate, auth="witness")
        neighbour = TextClient(home.ports["text"], home.certificate)
        refused = sum(send_broken_actions(home, games, rng) for _ in range(sessions))
        for count, attack in (
            (FRAMES, send_torn_frames),
            (TEXTS, send_broken_texts),
            (HANDSHAKES, break_a_handshake),
        ):
            for _ in range(count):
                attack(home, rng)
        assert refused + FRAMES + TEXTS + HANDSHAKES >= 2_000
        witness.run()
        assert witness.score is not None
        assert witness.notices == []
        home.wait_for(f"0 illegal actions, score {witness.score}")
        answers = {"username": "kari", "player-name": "Neighbour", "qualify": "n"}
        with pytest.raises(SystemExit):
            neighbour.connect_to_server(
                lambda prompt: next(answers[word] for word in answers if word in prompt),
                lambda prompt: "password",
            )
        assert neighbour.score is not None
        home.wait_for(f"0 illegal actions, score {neighbour.score}")
