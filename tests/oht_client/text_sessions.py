"""Sessions of the first generation's client, whole or up to some point."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.oht_client.home import Home
from tests.oht_client.raw_clients import TextClient, first_free_cell

PASSWORD = "correct horse battery staple"


def scripted_user(
    username: str, nickname: str = "Nick", qualify: str = "n"
) -> Callable[[str], str]:
    """Return the answers of a user at the keyboard."""
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
        client.connect_to_server(
            scripted_user(username, nickname, qualify), lambda prompt: password
        )
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
    """Read until a move is requested; return the state."""
    words = [client.receive() for _ in range(8)]
    assert (words[0], words[5]) == ("Series start", "Game start")
    state: tuple[int, ...] = tuple(map(int, words[7].strip("()").split(", ")))
    return state
