"""Our clients, and the course's, play whole tournaments on our server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest

from base.params import OHTParams
from oht_client.answers import Answers, SessionOptions
from oht_client.client import find_client
from oht_client.transport import Server
from tests.oht_client.home import Home, running
from tests.oht_client.scripted_server import Recorder, play_with, session_options
from tests.oht_client.stand_ins import first_generation, second_generation
from tests.project import TIMEOUT, wait_until

Play = Callable[[Home, Recorder, Path, str], float | None]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """A server for all tests here."""
    with running(tmp_path_factory.mktemp("home")) as home:
        yield home


def ask(nickname: str) -> Callable[[str], str]:
    """Answer the prompts of the first generation."""
    known = {"username": nickname, "player-name": nickname, "qualify": "n"}
    return lambda prompt: next(reply for word, reply in known.items() if word in prompt)


def play_first(home: Home, player: Recorder, folder: Path, name: str) -> float | None:
    """Play with our client of the first generation."""
    server = Server("localhost", home.ports["text"], home.certificate)
    options = session_options(ask(name), lambda prompt: "a secret")
    return play_with(1, server, player, options)


def play_second(home: Home, player: Recorder, folder: Path, name: str) -> float | None:
    """Play with our client of the second generation."""
    server = Server("localhost", home.ports["json"], home.certificate)
    options = session_options(known={"token": name, "qualify": "n"})
    return play_with(2, server, player, options)


def play_official(protocol: Literal[1, 2]) -> Play:
    """Play with a stand-in for the course's client."""

    def play(home: Home, player: Recorder, folder: Path, name: str) -> float | None:
        put = first_generation if protocol == 1 else second_generation
        oht = OHTParams(
            protocol=protocol,
            official_client=str(put(folder, home.certificate)),
            silence_limit=TIMEOUT,
        )
        port = home.ports["text" if protocol == 1 else "json"]
        known = dict.fromkeys(("username", "player-name", "token"), name)
        answers = Answers({**known, "password": "a secret", "qualify": "n"})
        client = find_client(oht, Server("localhost", port, home.certificate))
        return client(player, SessionOptions(answers, lambda text: None, silence_limit=TIMEOUT))

    return play


@pytest.mark.parametrize(
    "play",
    [play_first, play_second, play_official(1), play_official(2)],
    ids=["first", "second", "course's first", "course's second"],
)
def test_the_score_is_equal_on_both_sides(
    home: Home, tmp_path: Path, play: Play, request: pytest.FixtureRequest
) -> None:
    player = Recorder()
    before = len(home.results)
    score = play(home, player, tmp_path, request.node.callspec.id.replace(" ", "_"))
    wait_until(lambda: len(home.results) > before)
    games = [call for call in player.calls if call[0] == "game_over"]
    starts = [call for call in player.calls if call[0] == "series_start"]
    assert len(games) == sum(start[4] for start in starts) == 5
    kept = home.results[-1]
    assert score == player.calls[-1][1] == kept["score"]
    rows = [row for name, *stats in player.calls if name == "series_over" for row in stats[0]]
    won = sum(wins for unique_id, _, wins, _ in rows if unique_id == starts[0][1])
    assert score == pytest.approx(100 * won / len(games))
    assert not any(call[0] == "illegal_action" for call in player.calls)
