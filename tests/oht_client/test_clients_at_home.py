"""Our clients, and the course's, play whole tournaments on our server."""

from pathlib import Path
from typing import Literal

import pytest

from base.params import OHTParams
from oht_client.answers import Answers, SessionOptions
from oht_client.client import find_client
from oht_client.transport import Server
from tests.oht_client.home import Home
from tests.oht_client.scripted_server import Recorder
from tests.oht_client.stand_ins import put_client
from tests.project import TIMEOUT, wait_until


@pytest.mark.parametrize("is_official", [False, True], ids=["ours", "the course's"])
@pytest.mark.parametrize("protocol", [1, 2])
def test_the_score_is_equal_on_both_sides(
    home: Home, tmp_path: Path, protocol: Literal[1, 2], is_official: bool
) -> None:
    player, before = Recorder(), len(home.messages)
    folder = str(put_client(protocol, tmp_path, home.certificate)) if is_official else None
    oht = OHTParams(protocol=protocol, official_client=folder)
    server = Server("localhost", home.ports["text" if protocol == 1 else "json"], home.certificate)
    known = dict.fromkeys(("username", "player-name", "token", "password"), "Ada")
    options = SessionOptions(Answers({**known, "qualify": "n"}), silence_limit=TIMEOUT)
    score = find_client(oht, server)(player, options)

    wait_until(lambda: any("score" in line for line in home.messages[before:]))
    games = [call for call in player.calls if call[0] == "game_over"]
    starts = [call for call in player.calls if call[0] == "series_start"]
    assert len(games) == sum(start[4] for start in starts) == 5
    assert score == player.calls[-1][1] == home.results[-1]["score"]
    rows = [row for name, *stats in player.calls if name == "series_over" for row in stats[0]]
    won = sum(wins for unique_id, _, wins, _ in rows if unique_id == starts[0][1])
    assert score == pytest.approx(100 * won / len(games))
    assert not any(call[0] == "illegal_action" for call in player.calls)
