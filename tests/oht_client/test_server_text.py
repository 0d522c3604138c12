"""The first generation's protocol, with clients over real TLS."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.oht_client.home import Home, running
from tests.oht_client.raw_clients import TextClient
from tests.oht_client.text_sessions import (
    PASSWORD,
    calls,
    log_in,
    play,
    scripted_user,
    up_to_the_first_move,
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with running(tmp_path_factory.mktemp("home")) as server:
        yield server


def test_the_course_s_client_plays_a_whole_verification_tournament(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = TextClient(home.ports["text"], home.certificate)
    monkeypatch.setattr("builtins.input", scripted_user("kari", "Kari's net"))
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
    kept = next(result for result in home.results if result["name"] == "Kari's net")
    assert (kept["protocol"], kept["kind"], kept["score"]) == (1, "verification", client.score)
    stats = [line for (line,) in calls(client, "series_over")]
    wins = [next(wins for player, _, wins, _ in lines if player == own) for lines in stats]
    assert [series["wins"] for series in kept["series"]] == wins


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


def test_an_answer_other_than_yes_costs_no_attempt(home: Home) -> None:
    for answer in ("n", "No", "?", "Yn", "yes please"):
        client = play(home, "careful", qualify=answer)
        assert "You have 5 remaining attempts." in client.prompts[3]
        assert client.score is not None


def test_any_nickname_is_accepted_and_never_sent_back(home: Home) -> None:
    name = "\x1b[31m Welcome username password \u202e" + "x" * 500
    client = play(home, "kari", name)
    assert client.score is not None
    assert all("[31m" not in prompt for prompt in client.prompts)
    home.wait_for("[31m Welcome username password xxx")
    assert all(line.isprintable() and len(line) < 150 for line in home.messages)
    assert play(home, "kari", "\x00\x07").score is not None
    home.wait_for("nameless: 5 games")


def test_no_secret_is_printed_kept_or_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with running(tmp_path) as home:
        play(home, "secret user", qualify="Y")
        play(home, "secret user", choose=lambda state: "nonsense")
    written = [path.read_text() for path in tmp_path.iterdir()]
    for secret in ("secret user", PASSWORD):
        assert all(secret not in text for text in [*written, *home.messages, caplog.text])


def test_many_clients_play_in_parallel_beside_a_stalled_one(tmp_path: Path) -> None:
    with running(tmp_path, "oht_server.verification_games=20") as home:
        stalled = log_in(home, "slow", "Stalled")
        up_to_the_first_move(stalled)
        clients = [TextClient(home.ports["text"], home.certificate) for _ in range(8)]

        def run(client: TextClient, name: str) -> None:
            with contextlib.suppress(SystemExit):
                client.connect_to_server(scripted_user(name, name), lambda prompt: PASSWORD)

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
        assert {kept["name"]: kept["score"] for kept in home.results} == scores
        ids = {calls(client, "series_start")[0][0] for client in clients}
        assert len(ids) == len(clients)
        stalled.sock.close()
        home.wait_for("Stalled: 20 games")
