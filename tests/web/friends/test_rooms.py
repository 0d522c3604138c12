"""The room of games between two people: its limits, and its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from base.storage import LockedError
from tests.web.conftest import THREE
from web.friends.rooms import Room, Table, new_token
from web.server.requests import RequestError

WON = [1, 0, 4, 3, 7]


def a_table(joined: bool = True, actions: list[int] | None = None) -> Table:
    position = {"game": THREE, "actions": tuple(actions or ())}
    tokens = {"seats": (new_token(), new_token()), "watch": new_token()}
    both = (1, 1) if joined else (1, 0)
    about = {"position": position, "first": 0, "names": ("", ""), "joined": both}
    return Table.model_validate(about | tokens)


def test_a_damaged_file_is_set_aside(tmp_path: Path) -> None:
    file = tmp_path / "room.json"
    for number, text in enumerate(("", "{", '{"access": "x"}', "[" * 100_000)):
        file.write_text(text)
        told: list[str] = []
        assert Room(file, told.append).tables == []
        assert (len(told), "\n" in told[0], "damaged" in told[0]) == (1, False, True)
        assert len(list(tmp_path.glob("room.damaged*.json"))) == number + 1
        assert ("access: " in told[0]) == ("access" in text)


def test_one_server_alone_writes_a_room_and_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    file = tmp_path / "runs" / "room-8000.json"
    with Room.opened(file) as room:
        room.add(a_table())
        with pytest.raises(LockedError, match="runs"), Room.opened(file):
            pass
        with Room.opened(tmp_path / "runs" / "room-8001.json"):
            pass
    left = [file.with_name(f".room-{port}.{'0' * 16}.json") for port in (8000, 8001)]
    for each in left:
        each.touch()
    with Room.opened(file) as again:
        assert again.tables == room.tables
    assert [each.exists() for each in left] == [False, True]


def test_a_full_room_gives_up_unjoined_finished_and_abandoned_games_but_no_open_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("web.friends.rooms._MOST_GAMES", 4)
    room = Room()
    opened, abandoned = room.add(a_table()), room.add(a_table())
    finished, unjoined = room.add(a_table(actions=WON)), room.add(a_table(joined=False))
    room.visit(opened.seats[0])
    for gone in (unjoined, finished, abandoned):
        room.visit(room.add(a_table()).seats[1])
        assert gone.watch not in [each.watch for each in room.tables]
    with pytest.raises(RequestError, match="full"):
        room.add(a_table())
    assert opened in room.tables


def test_too_many_new_games_at_once_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1e9]
    monkeypatch.setattr("web.friends.rooms._MOST_NEW", 2)
    room = Room(now=lambda: now[0])
    for _ in range(2):
        room.add(a_table())
    with pytest.raises(RequestError, match="too many new games"):
        room.add(a_table())
    room.add(a_table(), "10.0.0.2")
    now[0] += 61.0
    room.add(a_table())
