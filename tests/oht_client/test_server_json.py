"""The second generation's protocol, with clients over real TLS."""

from __future__ import annotations

import json
import logging
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.oht_client.home import Home, running
from tests.oht_client.raw_clients import ClientError, JSONClient, first_free_cell

TOKEN = "0123456789abcdef0123456789abcdef"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with running(tmp_path_factory.mktemp("home"), "oht_server.qualification_attempts=1") as server:
        yield server


def client_of(home: Home, **keywords: Any) -> JSONClient:
    """Return a client that is connected."""
    return JSONClient(home.ports["json"], home.certificate, **keywords)


def play(home: Home, **keywords: Any) -> JSONClient:
    """Play to the end, as the course's client does."""
    client = client_of(home, **keywords)
    client.run()
    return client


def refusal(client: JSONClient) -> str:
    """Play until the server refuses; return its message, and check that it hangs up."""
    with pytest.raises(ClientError) as refused:
        client.run()
    return str(refused.value)


def calls(client: JSONClient, hook: str) -> list[Any]:
    """Return the arguments of every call of one hook."""
    return [arguments for name, *arguments in client.hooks if name == hook]


def up_to_the_first_move(client: JSONClient, qualify: bool = False) -> list[int]:
    """Log in and read until a move is requested; return the state."""
    assert client.receive()["topic"] == "authentication"
    client.send(client.auth)
    assert client.receive()["topic"] == "question"
    client.send(qualify)
    topics = [client.receive()["topic"] for _ in range(2)]
    assert topics == ["series_start", "game_start"]
    message = client.receive()
    assert message["topic"] == "request_action"
    state: list[int] = message["state"]
    return state


def test_practice_is_one_series_against_a_random_player(home: Home) -> None:
    client = play(home)
    assert client.topics[:3] == ["authentication", "question", "series_start"]
    assert client.topics[-3:] == ["series_over", "tournament_over", "finish"]
    ((own, series_id, player_map, *rest),) = calls(client, "series_start")
    assert (own, series_id, rest) == (-200, 1, [5, [3]])
    assert player_map == [[-200, 1], [2001, 2]]
    assert calls(client, "game_start") == [[1], [2], [1], [2], [1]]
    assert all(state[0] == 3 - winner for winner, state in calls(client, "game_over"))
    (([mine, theirs],),) = calls(client, "series_over")
    assert mine[:2] == [-200, 1]
    assert mine[2:] == theirs[:1:-1]
    assert client.score == 100 * mine[2] / 5
    home.wait_for(f"5 games, {mine[2]} won, 0 illegal actions, score {client.score}")


def test_qualifying_is_a_series_against_each_opponent_and_costs_an_attempt(tmp_path: Path) -> None:
    with running(tmp_path, "oht_server.qualification_attempts=2") as home:
        first = play(home, qualify=True)
        assert first.prompt == "Do you want to attempt to qualify? (2 attempts left)"
        starts = calls(first, "series_start")
        assert [series_id for _, series_id, *_ in starts] == [1, 2]
        assert starts[1][2] == [[2002, 1], [-200, 2]]
        assert [num_games for *_, num_games, _ in starts] == [3, 3]
        assert play(home, qualify=True).prompt.endswith("(1 attempt left)")
        assert refusal(client_of(home, qualify=True)) == "no attempts left"
        assert play(home, qualify=False).score is not None
        assert play(home, qualify=True, auth="another").score is not None
        kinds = [result["kind"] for result in home.results]
        names = [result["name"] for result in home.results]
    assert kinds == ["official", "official", "verification", "official"]
    assert names == ["guest 1", "guest 1", "guest 1", "guest 2"]


@pytest.mark.parametrize("token", ["", " ", None, 7, True, ["x"], {"token": "x"}], ids=repr)
def test_a_malformed_token_is_refused(home: Home, token: object) -> None:
    assert refusal(client_of(home, auth=token)) == "expected an API token, a text"


def test_any_text_is_a_token(home: Home) -> None:
    for token in ("x", "\N{SNOWMAN}", "\ud800", "x" * 60_000):
        assert play(home, auth=token).score is not None


@pytest.mark.parametrize("answer", ["yes", None, 1, 0, [], [True]], ids=repr)
def test_only_true_and_false_answer_the_question(home: Home, answer: object) -> None:
    assert refusal(client_of(home, qualify=answer)) == "expected true or false"


@pytest.mark.parametrize("action", [None, [3, 0]], ids=repr)
def test_an_illegal_action_loses_the_game_and_the_series_goes_on(
    home: Home, action: object
) -> None:
    answers = iter([action])

    def choose(state: Sequence[int]) -> object:
        return next(answers, first_free_cell(state))

    client = play(home, choose=choose)
    place = client.topics.index("message")
    assert client.topics[place - 1 : place + 2] == ["request_action", "message", "game_over"]
    assert "illegal action" in client.notices[0]
    assert len(client.notices) == 1
    (_, state, _), over = client.hooks[2:4]
    assert over == ("game_over", 2, state)
    assert len(calls(client, "game_over")) == 5
    assert client.score is not None
    home.wait_for("1 illegal action, ")


@pytest.mark.parametrize("depth", [900, 990, 1000, 30_000])
def test_nested_json_of_any_depth_is_an_illegal_action(home: Home, depth: int) -> None:
    client = client_of(home)
    up_to_the_first_move(client)
    send_frame(client, b"[" * depth + b"]" * depth)
    assert [client.receive()["topic"] for _ in range(2)] == ["message", "game_over"]
    client.sock.close()


def send_frame(client: JSONClient, body: bytes) -> None:
    """Send a frame whose body may be no JSON."""
    client.sock.sendall(struct.pack("<i", len(body)) + body)


@pytest.mark.parametrize("length", [-1, -(2**31), 65_537, 2**31 - 1, 0x20544547])
def test_a_frame_of_an_impossible_length_ends_the_session(home: Home, length: int) -> None:
    client = client_of(home, auth=f"oversize {length}")
    up_to_the_first_move(client)
    client.sock.sendall(struct.pack("<i", length) + b"x" * 100)
    message = client.receive()
    assert message == {
        "topic": "error",
        "error": f"expected a length from 0 to 65536, got {length}",
    }
    client.sock.close()
    home.wait_for(f"5 games, 0 won, 0 illegal actions, score 0.0 ({message['error']})")


def test_early_messages_answer_the_next_requests(home: Home) -> None:
    client = client_of(home)
    answers = [TOKEN, False, *([None] * 5)]
    frames = [json.dumps(answer).encode() for answer in answers]
    client.sock.sendall(b"".join(struct.pack("<i", len(frame)) + frame for frame in frames))
    topics = [client.receive()["topic"] for _ in range(3 + 4 * 5 + 3)]
    assert topics[-1] == "finish"
    client.sock.close()


def test_a_late_move_is_a_forced_disconnection(tmp_path: Path) -> None:
    with running(tmp_path, "oht_server.qualifiers_move_limit=0.2") as home:
        client = client_of(home)
        up_to_the_first_move(client)
        assert client.receive() == {"topic": "error", "error": "no answer within 0.2 seconds"}
        assert client.sock.recv(1) == b""
        client.sock.close()
        home.wait_for("guest 1: 5 games, 0 won, 0 illegal actions, score 0.0 (no answer within")


def test_a_silent_client_is_cut_during_the_log_in(tmp_path: Path) -> None:
    with running(tmp_path, "oht_server.answer_limit=0.2") as home:
        client = client_of(home)
        assert client.receive()["topic"] == "authentication"
        assert client.receive()["topic"] == "error"
        client.sock.close()
        home.wait_for("protocol 2: a client left before it played: no answer within 0.2 seconds")


@pytest.mark.parametrize("messages", range(3))
def test_a_client_may_leave_anywhere_before_it_plays(tmp_path: Path, messages: int) -> None:
    with running(tmp_path) as home:
        client = client_of(home)
        for answer in (TOKEN, False)[:messages]:
            client.receive()
            client.send(answer)
        client.sock.close()
        home.wait_for(
            "a client left before it played: disconnected" if messages < 2 else "(disconnected)"
        )
        assert play(home).score is not None


def test_an_attempt_counts_unless_the_client_leaves_in_the_first_games(tmp_path: Path) -> None:
    def leave_after(home: Home, games: int) -> None:
        client = client_of(home, qualify=True)

        def choose(state: Sequence[int]) -> object:
            if len(calls(client, "game_over")) == games:
                raise ConnectionAbortedError
            return first_free_cell(state)

        client.choose = choose
        with pytest.raises(ConnectionAbortedError):
            client.run()

    with running(tmp_path, "oht_server.qualification_attempts=1") as home:
        for games in (0, 1):
            leave_after(home, games)
            home.wait_for("(disconnected)", count=1 + games)
            assert sum("the attempt is not counted" in line for line in home.messages) == 1 + games
        leave_after(home, 2)
        home.wait_for("(disconnected)", count=3)
        assert refusal(client_of(home, qualify=True)) == "no attempts left"
        kept = [(result["attempt"], result["attempts_left"]) for result in home.results]
        assert kept == [(None, 1), (None, 1), (1, 0)]


def test_the_token_is_never_printed_kept_or_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with running(tmp_path) as home:
        play(home)
        play(home, qualify=True)
        refusal(client_of(home, qualify="no answer"))
        home.wait_for("left before it played")
    written = [path.read_text() for path in tmp_path.iterdir()]
    assert all(TOKEN not in text for text in [*written, *home.messages, caplog.text])
