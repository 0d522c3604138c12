"""Games between two people: seats, rules, links, and a restart of the server."""

from __future__ import annotations

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
from tests.web.conftest import THREE, WON, Game, NewGame, Post, Time, full_disk
from web.friends.rooms import Room, Table, new_token
from web.server.access_control import AccessControl
from web.server.agent_pool import AgentPool
from web.server.app import create_app
from web.server.requests import RequestError

pytestmark = pytest.mark.usefixtures("room")


def file_of(room: Room) -> Path:
    assert room._file is not None
    return room._file


def test_two_players_play_a_whole_game_by_their_tokens(new_game: NewGame) -> None:
    game = new_game(joined=False)
    assert game.see(game.red)["joined"] == [1, 0]
    game.join()
    assert game.see(game.black)["joined"] == [1, 1]
    for ply, action in enumerate(WON):
        game.move(ply, action)
    for token, you in ((game.red, 1), (game.black, 2), (game.watch, 0)):
        seen = game.see(token)
        assert (seen["you"], seen["view"]["winner"], seen["wins"]) == (you, 1, [1, 0])
        assert (seen["view"]["path"], seen["names"]) == ([1, 4, 7], ["Ada", ""])
        assert seen["position"]["actions"] == WON
    assert "over" in game.move(5, 2, 400)
    assert "over" in game.do(game.black, "resign", 400, ply=5)


def test_wrong_turns_illegal_moves_and_old_positions_are_refused(new_game: NewGame) -> None:
    game = new_game()
    assert "other player's turn" in game.move(0, 4, 400, game.black)
    for action in (-1, 9, 10**9):
        assert "legal" in game.move(0, action, 400)
    game.move(0, 4)
    assert "legal" in game.move(1, 4, 400)
    assert "other player's turn" in game.move(1, 5, 400, game.red)
    assert "changed" in game.move(0, 5, 400)
    assert "changed" in game.do(game.red, "resign", 400, ply=0)
    assert game.move(0, 4)["position"]["actions"] == [4], "it is sent again"


def test_a_drawn_game_is_over_and_nobody_has_won(post: Post) -> None:
    red = post("new_table", game={"name": "tic_tac_toe"}, player=1)["token"]
    invite = post("table", token=red)["friend"].rpartition("/")[2]
    game = Game(post, red, new_token(), invite=invite)
    game.join()
    for ply, action in enumerate([0, 1, 2, 4, 3, 5, 7, 6, 8]):
        game.move(ply, action)
    assert (game.see(red)["view"]["winner"], game.see(red)["wins"]) == (3, [0, 0])
    assert "over" in game.do(game.black, "resign", 400, ply=9)
    assert game.do(red, "rematch", ply=9)["offers"] == [1, 0]


def test_only_the_mover_is_offered_moves(new_game: NewGame) -> None:
    game = new_game(swap=True)
    moves = [len(game.see(each)["view"]["moves"]) for each in (game.red, game.black, game.watch)]
    assert moves == [9, 0, 0]
    swap = [each for each in game.move(0, 4)["view"]["moves"] if not each["cells"]]
    assert swap == []
    [swap] = [each for each in game.see(game.black)["view"]["moves"] if not each["cells"]]
    assert game.move(1, swap["action"])["view"]["history"][-1] == swap["name"]


def test_spectators_and_strangers_cannot_move(new_game: NewGame, post: Post) -> None:
    game = new_game()
    for what in ("move", "resign", "rematch", "name", "takeback", "grant", "refuse", "chat"):
        for token in (game.watch, game.invite):
            assert "spectators" in game.do(token, what, 400, action=4)
    for stranger in (new_token(), game.red[:-1]):
        assert "link" in game.do(stranger, "move", 400, action=4)
        assert "link" in post("table", 400, token=stranger)
    assert game.see(game.red)["position"]["actions"] == []


def test_no_seat_s_secret_is_told_and_the_invitation_only_to_its_maker(new_game: NewGame) -> None:
    game = new_game(joined=False)
    tokens = (game.red, game.black, game.watch, game.invite)
    assert [game.invite in json.dumps(game.see(each)) for each in tokens[::2]] == [True, False]
    game.join()
    for token in tokens:
        sent = json.dumps(game.see(token))
        assert [each for each in tokens if each in sent] == [game.watch], token


def test_a_link_gives_the_seat_once_and_then_shows_the_game(new_game: NewGame, time: Time) -> None:
    game = new_game(joined=False)
    for known in (game.red, game.watch, game.invite):
        assert "secret" in game.join(400, known)
    assert "another player" in game.post("join_table", 400, id=game.watch, seat=game.black)
    game.join()
    game.join()  # sent again, as the response was lost
    for other in (new_token(), game.red):
        assert "used" in game.join(400, other)
    time.now += 60
    assert game.see(game.invite)["you"] == 0
    assert game.see(game.red)["away"] == [0, None], "the seat's own page alone counts"
    assert game.see(game.black)["you"] == 2


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


def test_a_resigned_game_is_over_and_a_rematch_needs_both(new_game: NewGame) -> None:
    game = new_game()
    assert "finished" in game.do(game.red, "rematch", 400)
    game.move(0, 4)
    assert game.do(game.red, "resign", ply=1)["view"]["winner"] == 2
    assert "over" in game.move(1, 0, 400)
    assert game.do(game.red, "rematch", ply=1)["offers"] == [1, 0]
    assert game.do(game.red, "rematch", ply=1)["view"]["winner"] == 2
    black = game.do(game.black, "rematch", ply=1)["rematch"]
    red, watch = (game.see(each)["rematch"] for each in (game.red, game.watch))
    assert len({red, black, watch, game.red, game.black, game.watch}) == 6
    again = game.see(black)
    assert (again["you"], again["wins"], again["names"]) == (1, [1, 0], ["", "Ada"])
    assert (again["view"]["winner"], again["offers"], again["resigned"]) == (0, [0, 0], 0)
    assert (game.see(red)["you"], game.see(watch)["you"]) == (2, 0)
    game.move(0, 4, token=black)
    game.move(1, 0, token=red)
    old = game.see(game.red)
    assert (old["position"]["actions"], old["view"]["winner"]) == ([4], 2), "it stays in the room"
    assert game.do(game.red, "rematch", ply=1)["rematch"] == red, "there is one rematch"
    listed = game.post("own_tables", seats=[game.black, game.red])["tables"]
    assert [each["rematch"] for each in listed] == [black, red], "a browser that was closed"
    other = new_game()
    assert other.see(other.red)["rematch"] == ""


def test_a_player_who_stops_asking_is_away_since_then(new_game: NewGame, time: Time) -> None:
    game = new_game(joined=False)
    game.see(game.invite)
    assert game.see(game.watch)["away"] == [0, None]
    game.join()
    game.see(game.black)
    assert game.see(game.watch)["away"] == [0, 0]
    time.now += 5
    game.see(game.red)
    time.now += 60
    assert game.see(game.watch)["away"] == [60, 65]
    assert game.see(game.black)["away"] == [60, 0]


def test_a_page_that_knows_the_version_is_sent_presence_alone(new_game: NewGame) -> None:
    game = new_game(joined=False)
    seen = game.see(game.red)
    later = game.see(game.red, version=seen["version"])
    assert later.keys() == {"version", "away", "left", "runs", "said"}
    game.join()
    assert "view" in game.see(game.red, version=seen["version"]), "the friend has joined"


def test_names_are_one_printable_line(new_game: NewGame, post: Post) -> None:
    game = new_game()
    shown = game.do(game.black, "name", name="  <b>\x1b[31m\u202ex\n ")["names"][1]
    assert shown == r"<b>\x1b[31m\u202ex"
    game.do(game.black, "name", 400, name="x" * 31)
    assert len(game.do(game.black, "name", name="\x1b" * 30)["names"][1]) <= 30


def test_a_restart_keeps_games_and_secrets(new_game: NewGame, pool: AgentPool, room: Room) -> None:
    game = new_game(swap=True)
    game.move(0, 4)
    before = game.see(game.red)
    file = file_of(room)
    if sys.platform != "win32":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, "it holds secrets"
    pool.room = Room(file)
    after = game.see(game.red)
    assert (after.pop("away"), before.pop("away")) == ([0, None], [0, None])
    assert after == before
    assert (pool.room.assistant, pool.room.access) == (room.assistant, room.access)
    assert game.move(1, 0)["version"] > before["version"]


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


def test_a_browser_is_told_whose_turn_it_is(new_game: NewGame, post: Post, time: Time) -> None:
    first, second, waiting = new_game("1 day"), new_game(), new_game(joined=False)
    for ply, action in enumerate((4, 1, 0)):
        first.move(ply, action)
    first.do(first.red, "name", name="Ann")
    time.now += 60
    seats = [first.black, second.red, waiting.red, second.watch, new_token()]
    seen = post("own_tables", seats=seats)
    assert seen["ids"] == [first.watch, second.watch, waiting.watch]
    assert seen["left"] == [86_340, None, None]
    told = [[each[key] for key in ("other", "joined", "you", "to_play")] for each in seen["tables"]]
    assert told == [["Ann", True, 2, 2], ["", True, 1, 1], ["", False, 1, 1]]
    second.do(second.black, "resign")
    later = post("own_tables", seats=seats, version=seen["version"])
    [changed] = later["tables"]
    assert (changed["id"], changed["winner"], changed["to_play"]) == (second.watch, 1, 0)
    assert first.see(first.watch)["away"] == [60, 60], "its own page is not open"


def test_what_cannot_be_written_is_no_change(
    new_game: NewGame, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_the_assistant_sees_changed_games(new_game: NewGame, post: Post, room: Room) -> None:
    first, second = new_game(), new_game()
    seen = post("room", token=room.assistant)
    assert seen["ids"] == [first.watch, second.watch]
    assert [each["names"] for each in seen["tables"]] == [["Ada", ""]] * 2
    assert seen["here"] == [[True, False]] * 2
    assert not any(each in json.dumps(seen) for each in (first.red, first.black))
    assert post("room", token=room.assistant, version=seen["version"])["tables"] == []
    second.move(0, 4)
    [changed] = post("room", token=room.assistant, version=seen["version"])["tables"]
    assert (changed["id"], changed["moves"], changed["view"]["last"]) == (second.watch, 1, 4)
    for stranger in (first.red, first.watch, new_token()):
        assert "link" in post("room", 400, token=stranger)


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
