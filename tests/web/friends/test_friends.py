"""Games between two people: files, limits and links; whole games are in ``friends.txt``."""

import json
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Barrier

import pytest
from starlette.testclient import TestClient

from base.storage import LockedError
from tests.web.conftest import THREE, WON, NewGame, Post, Time, full_disk
from web.friends.rooms import Room, Table, new_token
from web.server.access_control import AccessControl
from web.server.agent_pool import AgentPool
from web.server.app import create_app
from web.server.requests import RequestError

pytestmark = pytest.mark.usefixtures("room")


def file_of(room: Room) -> Path:
    assert room._file is not None
    return room._file


def test_of_many_who_open_a_link_at_once_one_has_the_seat(new_game: NewGame, room: Room) -> None:
    game = new_game(joined=False)
    seats = [new_token() for _ in range(8)]
    barrier = Barrier(len(seats))

    def join(seat: str) -> bool:
        barrier.wait()
        with suppress(RequestError):
            room.join(game.invite, seat)
            return True
        return False

    with ThreadPoolExecutor(len(seats)) as threads:
        joined = [*threads.map(join, seats)]
    assert joined.count(True) == 1
    assert game.see(seats[joined.index(True)])["you"] == 2


def test_the_file_keeps_links_for_its_owner_and_no_chat(new_game: NewGame, room: Room) -> None:
    game, file = new_game(), file_of(room)
    for token in (game.red, game.black):
        game.do(token, "chat", on=True)
    game.do(game.red, "say", text="hello")
    if sys.platform != "win32":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, "it holds secrets"
    assert "hello" not in file.read_text()
    again = Room(file)
    assert (again.assistant, again.access) == (room.assistant, room.access)


def test_games_of_an_older_server_go_on_and_an_unused_link_is_an_invitation(
    new_game: NewGame, pool: AgentPool, room: Room
) -> None:
    begun, waiting = new_game(), new_game(joined=False)
    file = file_of(room)
    saved = json.loads(file.read_text("utf-8"))
    for table in saved["tables"]:
        link = table.pop("invite")  # one token was both the link and the secret
        table["seats"][1] = link if table["watch"] == waiting.watch else begun.black
    file.write_text(json.dumps(saved), "utf-8")
    pool.room = Room(file)
    begun.move(0, 4)
    begun.move(1, 0)
    assert "spectators" in waiting.do(waiting.invite, "resign", 400)
    waiting.join()
    assert "used" in waiting.join(400, new_token())
    waiting.move(0, 4)
    assert waiting.move(1, 0)["position"]["actions"] == [4, 0]


def test_a_flag_falls_later(new_game: NewGame, time: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    game = new_game("3+2", 4, 1)
    time.now += 200
    monkeypatch.setattr("web.friends.rooms.os.chmod", full_disk)
    seen = game.see(game.red)
    assert (seen["left"], seen["flagged"], seen["away"]) == ([0, 180], 0, [0, 200])
    assert "No space left" in game.move(2, 0, 400)
    monkeypatch.undo()
    assert game.see(game.red)["flagged"] == 1


def test_what_is_unwritten_is_no_change(new_game: NewGame, monkeypatch: pytest.MonkeyPatch) -> None:
    game = new_game(joined=False)
    monkeypatch.setattr("web.friends.rooms.os.chmod", full_disk)
    for refused in (game.move(0, 4, 400), game.join(400)):
        assert "No space left" in refused
        assert not any(each in refused for each in ("Errno", "room", "/"))
    monkeypatch.undo()
    seen = game.see(game.red)
    assert (seen["position"]["actions"], seen["joined"]) == ([], [1, 0])
    game.join()


def test_a_game_that_cannot_be_played_is_left_out_of_the_file(
    new_game: NewGame, post: Post, pool: AgentPool, room: Room
) -> None:
    game, bad = new_game("none", 4), new_game()
    file = file_of(room)
    saved = json.loads(file.read_text("utf-8"))
    [spoilt] = [each for each in saved["tables"] if each["watch"] == bad.watch]
    for actions in ([999], [4, 4], [10**30], [*WON, 8]):
        spoilt["position"]["actions"] = actions
        file.write_text(json.dumps(saved), "utf-8")
        told: list[str] = []
        pool.room = Room(file, told.append)
        assert (len(told), "\n" in told[0]) == (1, False)
        assert post("room", token=room.assistant)["ids"] == [game.watch]
    game.move(1, 0)


def test_links_of_a_public_server_admit_a_friend_to_it(pool: AgentPool, room: Room) -> None:
    access = AccessControl.for_host("0.0.0.0", room.access)
    room.admission = f"?token={access.token}"
    app = create_app(pool, access, THREE)
    with TestClient(app, base_url="http://box.example", follow_redirects=False) as client:
        question = {"game": THREE, "player": 1}
        assert client.post("/api/new_table", json=question).status_code == 401
        client.get(f"/?token={access.token}")
        token = client.post("/api/new_table", json=question).json()["token"]
        link = client.post("/api/table", json={"token": token}).json()["friend"]
    with TestClient(app, base_url="http://box.example", follow_redirects=False) as friend:
        response = friend.get(link.partition("#")[0])
        assert (response.status_code, response.headers["location"]) == (303, "/")
        question = {"id": link.rpartition("/")[2], "seat": new_token()}
        assert friend.post("/api/join_table", json=question).status_code == 200
        response = friend.post("/api/table", json={"token": question["seat"]})
        assert response.json()["you"] == 2


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


def test_a_full_room_gives_up_no_game_that_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
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
