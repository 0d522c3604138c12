"""The files of a tournament, and the score after an early end."""

import json
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

import pytest

from online.errors import ConnectionEndedError, TournamentError
from online.results import Event, SeriesResult, TournamentResult
from tests.online.conftest import EMPTY, THEM, US, Team, play_game, start_series


def test_the_result_is_written_whole_and_without_a_game_nothing_else(team: Team) -> None:
    series = SeriesResult(THEM, 1, 3, 3, "net", won=1, lost=2)
    event = Event("localhost:33000", 1, kind="official", name="Ada", attempts_left=4)
    team.record.finish(event, TournamentResult([series], score=100 / 3))
    (file,) = team.record.folder.iterdir()
    written = json.loads(file.read_text())
    assert (written["won"], written["lost"], written["score"]) == (1, 2, 100 / 3)
    assert written["series"][0]["opponent"] == THEM
    assert written.items() >= asdict(event).items()
    started, ended = (datetime.fromisoformat(written[key]) for key in ("started", "ended"))
    assert started <= ended
    assert {started.utcoffset(), ended.utcoffset()} == {timedelta()}


def test_unplayed_games_after_an_opponent_leaves_are_counted_as_by_the_server(team: Team) -> None:
    player = team.player()
    start_series(player, games=4)
    lost = play_game(player) == 2
    player.handle_game_start(2)
    player.handle_game_over(1, [2, *[0] * 9])
    player.handle_series_over([(US, 1, 4 - lost, lost), (THEM, 2, lost, 4 - lost)])
    (series,) = player.result.series
    assert (series.won, series.lost, series.unplayed) == (4 - lost, lost, 2)
    assert not series.disputed
    assert "has left" in team.diary.messages[0]


LATE = TournamentError("the server ended the session: too late")


@pytest.mark.parametrize(
    ("games", "score", "reason", "league", "expected"),
    [
        (4, None, KeyboardInterrupt(), True, (25.0, 3, "interrupted")),
        (4, None, LATE, True, (25.0, 3, str(LATE))),
        (4, None, ConnectionEndedError("cut"), True, (None, 0, "cut")),
        (4, None, KeyboardInterrupt(), False, (None, 0, "interrupted")),
        (4, 75.0, KeyboardInterrupt(), True, (75.0, 0, "")),
        (1, None, "no score", True, (100.0, 0, "")),
        (1, None, "no score", False, (None, 0, "no score")),
    ],
)
def test_a_score_that_the_server_has_not_sent_is_known_in_the_league_alone(
    team: Team, games: int, score: float | None, reason: Any, league: bool, expected: object
) -> None:
    player = team.player()
    start_series(player, games)
    player.handle_game_start(1)
    player.handle_game_over(1, EMPTY)
    if score is not None:
        player.handle_tournament_over(score)
    player.end(reason, league)
    result = player.result
    assert (result.score, result.lost, result.broken_off) == expected
