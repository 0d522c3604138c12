"""The files of a tournament, and the score after an early end."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.tournaments.conftest import THEM, US, Diary, play_game
from tournaments.errors import ConnectionEndedError, TournamentError
from tournaments.player import TournamentPlayer
from tournaments.results import Event, SeriesResult, TournamentRecord, TournamentResult


@pytest.fixture
def player(make_player: Callable[..., TournamentPlayer]) -> TournamentPlayer:
    return make_player()


def test_the_result_is_written_whole(tmp_path: Path) -> None:
    series = SeriesResult(THEM, 1, 3, 3, "net", won=1, lost=2)
    result = TournamentResult([series], score=100 / 3)
    event = Event("localhost:33000", 1, kind="official", name="Ada", attempts_left=4)
    with closing(TournamentRecord(tmp_path)) as record:
        record.finish(event, result)
    written = json.loads((tmp_path / "result.json").read_text())
    assert (written["won"], written["lost"], written["score"]) == (1, 2, 100 / 3)
    assert written["series"][0]["opponent"] == THEM
    assert [written[key] for key in ("server", "protocol")] == ["localhost:33000", 1]
    assert [written[key] for key in ("kind", "name", "attempts_left")] == ["official", "Ada", 4]
    times = [datetime.fromisoformat(written[key]) for key in ("started", "ended")]
    assert times == sorted(times)
    assert {time.utcoffset() for time in times} == {timedelta()}


def test_a_record_without_a_game_leaves_no_file(tmp_path: Path) -> None:
    with closing(TournamentRecord(tmp_path)):
        pass
    assert list(tmp_path.iterdir()) == []


def test_unplayed_games_after_an_opponent_leaves_are_counted_as_by_the_server(
    player: TournamentPlayer, diary: Diary
) -> None:
    player.handle_series_start(US, 1, [(US, 1), (THEM, 2)], 4, [3])
    lost = play_game(player, us=1, starter=1) == 2
    player.handle_game_start(2)
    player.handle_game_over(1, [2, *[0] * 9])
    player.handle_series_over([(US, 1, 4 - lost, lost), (THEM, 2, lost, 4 - lost)])
    (series,) = player.result.series
    assert (series.won, series.lost, series.unplayed) == (4 - lost, lost, 2)
    assert not series.disputed
    assert diary.messages[0].startswith("player 2020 has left; the server counts the 2 games")


@pytest.mark.parametrize(
    ("reason", "league", "score", "lost"),
    [
        (KeyboardInterrupt(), True, 25.0, 3),
        (TournamentError("the server ended the session: too late"), True, 25.0, 3),
        (ConnectionEndedError("cut"), True, None, 0),
        (KeyboardInterrupt(), False, None, 0),
    ],
)
def test_only_a_client_that_leaves_the_league_knows_its_score(
    player: TournamentPlayer,
    reason: BaseException,
    league: bool,
    score: float | None,
    lost: int,
) -> None:
    player.handle_series_start(US, 1, [(US, 1), (THEM, 2)], 4, [3])
    player.handle_game_start(1)
    player.handle_game_over(1, [2, *[0] * 9])
    player.end(reason, league)
    assert (player.result.score, player.result.lost) == (score, lost)
    assert player.result.broken_off == (str(reason) or "interrupted")


def test_an_interrupt_after_the_score_leaves_the_result_complete(
    player: TournamentPlayer,
) -> None:
    player.handle_series_start(US, 1, [(US, 1), (THEM, 2)], 4, [3])
    player.handle_tournament_over(75.0)
    player.end(KeyboardInterrupt(), league=True)
    assert (player.result.score, player.result.broken_off) == (75.0, "")


@pytest.mark.parametrize(("league", "score"), [(True, 100.0), (False, None)])
def test_a_series_of_the_league_needs_no_score_from_the_server(
    player: TournamentPlayer, league: bool, score: float | None
) -> None:
    player.handle_series_start(US, 1, [(US, 1), (THEM, 2)], 1, [3])
    player.handle_game_start(1)
    player.handle_game_over(1, [2, *[0] * 9])
    player.end("the server ended it without a score", league)
    assert player.result.score == score
    assert bool(player.result.broken_off) != league
