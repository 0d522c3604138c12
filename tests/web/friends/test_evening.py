"""An evening with friends: clocks, takebacks, chat and the lobby; time passes at once."""

from __future__ import annotations

import json

import pytest

from tests.web.conftest import THREE, WON, NewGame, Post, Time, full_disk, hex_game
from web.friends.rooms import Room, new_token
from web.server.agent_pool import AgentPool

pytestmark = pytest.mark.usefixtures("room")


def test_the_server_keeps_the_clocks_and_a_flag_ends_the_game_whoever_asks(
    new_game: NewGame, time: Time, post: Post, room: Room
) -> None:
    game = new_game("3+2")
    game.see(game.black)
    for ply, action in enumerate((4, 1)):
        time.now += 100
        seen = game.move(ply, action)
    assert (seen["left"], seen["runs"]) == ([180, 180], 1), "it runs once both have moved"
    time.now += 30
    assert game.see(game.watch)["left"] == [150, 180]
    assert game.see(game.watch, version=seen["version"])["left"] == [150, 180]
    seen = game.move(2, 0)
    assert (seen["left"], seen["runs"]) == ([152, 180], 2), "a move adds two seconds"
    time.now += 179.5
    assert game.see(game.red)["left"] == [152, 0.5]
    time.now += 1
    shown = post("room", token=room.assistant)["tables"][0]
    assert shown["view"]["winner"] == 1, "the assistant asks first"
    for token in (game.red, game.black, game.watch):
        seen = game.see(token)
        assert (seen["view"]["winner"], seen["flagged"], seen["wins"]) == (1, 2, [1, 0])
        assert (seen["left"], seen["runs"], seen["view"]["moves"]) == ([152, 0], 0, [])
    assert "over" in game.move(3, 2, 400)


@pytest.mark.parametrize("what", ["move", "resign", "takeback", "grant", "refuse"])
def test_after_the_flag_a_player_can_do_nothing(new_game: NewGame, time: Time, what: str) -> None:
    game = new_game("10+5", 4, 1)
    time.now += 600
    assert "over" in game.do(game.red, what, 400, ply=2, action=0)
    seen = game.see(game.black)
    assert (seen["flagged"], seen["resigned"], seen["view"]["winner"]) == (1, 0, 2)


def test_each_move_has_a_day(new_game: NewGame, time: Time) -> None:
    game = new_game("1 day")
    for ply, action in enumerate((4, 1, 0, 8)):
        seen = game.move(ply, action)
        time.now += 80_000
    assert seen["left"] == [86_400, 86_400]
    assert game.see(game.red)["left"] == [6_400, 86_400]
    time.now += 6_400
    assert game.see(game.red)["flagged"] == 1


def test_a_game_that_is_over_is_not_timed_but_its_rematch(new_game: NewGame, time: Time) -> None:
    game = new_game("3+2", *WON)
    left = game.see(game.red)["left"]
    time.now += 1_000
    seen = game.see(game.red)
    assert (seen["left"], seen["runs"], seen["flagged"]) == (left, 0, 0)
    game.do(game.red, "rematch", ply=5)
    rematch = game.do(game.black, "rematch", ply=5)["rematch"]
    assert (game.see(rematch)["left"], game.see(rematch)["runs"]) == ([180, 180], 0)


def test_while_the_server_is_away_no_clock_runs(
    new_game: NewGame, time: Time, pool: AgentPool, room: Room
) -> None:
    game = new_game("3+2", 4, 1)
    time.now = 5.0
    pool.room = Room(room._file, now=time)
    assert (game.see(game.red)["left"], game.see(game.red)["runs"]) == ([180, 180], 1)
    time.now += 10
    assert game.see(game.red)["left"] == [170, 180]


def test_a_flag_can_fall_later(
    new_game: NewGame, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = new_game("3+2", 4, 1)
    time.now += 200
    monkeypatch.setattr("web.friends.rooms.os.chmod", full_disk)
    seen = game.see(game.red)
    assert (seen["left"], seen["flagged"], seen["away"]) == ([0, 180], 0, [0, 200])
    assert "No space left" in game.move(2, 0, 400)
    monkeypatch.undo()
    assert game.see(game.red)["flagged"] == 1


def test_a_move_is_taken_back_if_the_other_player_grants_it(new_game: NewGame, time: Time) -> None:
    game = new_game("3+2")
    assert "not moved" in game.do(game.red, "takeback", 400)
    for ply, action in enumerate((4, 1, 0)):
        game.move(ply, action)
    assert game.do(game.red, "takeback", ply=3)["takeback"] == 1
    assert game.do(game.red, "takeback", ply=3)["position"]["actions"] == [4, 1, 0]
    assert game.do(game.black, "refuse", ply=3)["takeback"] == 0
    game.do(game.red, "takeback", ply=3)
    assert "changed" in game.do(game.black, "grant", 400, ply=2)
    time.now += 7
    seen = game.do(game.black, "grant", ply=3)
    assert (seen["position"]["actions"], seen["takeback"], seen["runs"]) == ([4, 1], 0, 1)
    assert seen["left"][1] == 173, "black has thought for seven seconds"
    game.move(2, 8)
    game.move(3, 2)
    game.do(game.black, "takeback", ply=4)
    game.move(4, 7)
    assert game.see(game.black)["takeback"] == 0, "a move answers it"
    game.do(game.red, "takeback", ply=5)
    assert game.do(game.black, "grant", ply=5)["position"]["actions"] == [4, 1, 8, 2]
    game.do(game.red, "takeback", ply=4)
    seen = game.do(game.black, "grant", ply=4)
    assert seen["position"]["actions"] == [4, 1], "the reply is taken back, too"


def test_what_crosses_a_request_is_no_grant_and_no_request(new_game: NewGame) -> None:
    game = new_game("none", 4, 1)
    game.do(game.red, "takeback", ply=2)
    assert "answer" in game.do(game.black, "takeback", 400, ply=2), "two requests at once"
    assert game.do(game.black, "withdraw", ply=2)["takeback"] == 1, "its own was refused"
    game.do(game.red, "withdraw", ply=2)
    assert "no longer" in game.do(game.black, "grant", 400, ply=2)
    assert game.do(game.black, "refuse", ply=2)["takeback"] == 0
    game.do(game.black, "takeback", ply=2)
    assert "no longer" in game.do(game.black, "grant", 400, ply=2), "to grant is the other's"
    assert game.do(game.black, "refuse", ply=2)["takeback"] == 2
    assert game.see(game.red)["position"]["actions"] == [4, 1]


def test_a_swap_is_taken_back(new_game: NewGame) -> None:
    game = new_game("none", 5, swap=True)
    [swap] = [each for each in game.see(game.black)["view"]["moves"] if not each["cells"]]
    game.move(1, swap["action"])
    game.do(game.black, "takeback", ply=2)
    assert game.do(game.red, "grant", ply=2)["position"]["actions"] == [5]
    assert game.move(1, 4)["position"]["actions"] == [5, 4]


def test_players_chat_once_both_want_to_in_no_file(new_game: NewGame, room: Room) -> None:
    game = new_game()
    assert "off" in game.do(game.red, "say", 400, text="hello")
    assert game.do(game.red, "chat", on=True)["chats"] == [1, 0]
    assert "off" in game.do(game.red, "say", 400, text="hello")
    game.do(game.black, "chat", on=True)
    said = game.do(game.red, "say", text="  <b>hello</b>\u202e\n ")["said"]
    assert said == [{"player": 1, "text": r"<b>hello</b>\u202e"}]
    assert game.see(game.black, version=game.see(game.black)["version"])["said"] == said
    assert game.see(game.watch)["said"] == [], "spectators do not listen"
    game.do(game.black, "say", 400, text="x" * 121)
    game.do(game.black, "say", text=" ")
    for number in range(40):
        game.do(game.black, "say", text=str(number))
    said = game.see(game.red)["said"]
    assert (len(said), said[-1]) == (30, {"player": 2, "text": "39"})
    assert room._file is not None
    assert "hello" not in room._file.read_text()
    assert game.do(game.black, "chat", on=False)["said"] == []


def test_a_chat_is_forgotten_when_both_have_left(new_game: NewGame, time: Time) -> None:
    game, other = new_game(), new_game()
    for token in (game.red, game.black):
        game.do(token, "chat", on=True)
    game.do(game.red, "say", text="hello")
    time.now += 60
    assert len(game.see(game.black)["said"]) == 1, "the game goes on"
    game.do(game.black, "resign")
    game.do(game.red, "say", text="bye")
    time.now += 3
    assert len(game.see(game.black)["said"]) == 2
    time.now += 60
    other.see(other.red)
    assert game.see(game.black)["said"] == []


def test_one_client_joins_a_game_of_the_lobby(post: Post, new_game: NewGame, time: Time) -> None:
    new_game()
    asked = {"player": 2, "name": "Ada", "clock": "3+2", "listed": True}
    maker = post("new_table", game=hex_game(4), **asked)["token"]
    assert post("lobby")["tables"] == [], "its page is not there yet"
    post("table", token=maker)
    [shown] = post("lobby")["tables"]
    assert (shown["name"], shown["you"], shown["clock"]) == ("Ada", "red", "3+2")
    assert (shown["game"]["name"], shown["game"]["params"]["size"]) == ("hex", 4)
    assert maker not in json.dumps(shown)
    time.now += 60
    assert post("lobby")["tables"] == [], "its page is closed"
    link = post("table", token=maker)["friend"].rpartition("/")[2]
    time.now += 60
    seats = [new_token() for _ in range(3)]
    assert "gone" in post("join_table", 400, id=shown["id"], seat=seats[0])
    post("table", token=maker)
    post("join_table", id=shown["id"], seat=seats[0])
    assert post("table", token=seats[0])["you"] == 1
    assert "another player" in post("join_table", 400, id=shown["id"], seat=seats[1])
    assert "used" in post("join_table", 400, id=link, seat=seats[2]), "nor by the maker's link"
    assert (post("lobby")["tables"], post("table", token=maker)["friend"]) == ([], "")


def test_games_for_friends_are_not_in_the_lobby_nor_resigned_ones(
    new_game: NewGame, post: Post
) -> None:
    game = new_game()
    assert "another player" in post("join_table", 400, id=game.watch, seat=new_token())
    maker = post("new_table", listed=True, game=THREE)["token"]
    game.see(maker)
    assert len(post("lobby")["tables"]) == 1
    game.do(maker, "resign")
    assert post("lobby")["tables"] == []
