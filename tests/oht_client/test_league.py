"""The league: two clients meet."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, cast

import pytest

from oht_client.server import clients
from oht_client.server.connection import Connection, Gone, WireFault
from oht_client.server.sessions import League
from oht_client.transport import Server
from state_manager import make_game
from tests.oht_client.home import Home, home_params, running
from tests.oht_client.raw_clients import JSONClient, first_free_cell
from tests.oht_client.scripted_server import play_with, session_options
from tests.tournaments.conftest import Diary
from tournaments.lineup import Lineup
from tournaments.player import TournamentPlayer
from tournaments.results import TournamentRecord, TournamentResult


class Meeting:
    """A league, and clients that play in it, each in a thread."""

    def __init__(self, home: Home, pool: ThreadPoolExecutor) -> None:
        self.home, self._pool = home, pool
        self._played: list[Future[None]] = []

    def enter(self, auth: str, **keywords: Any) -> JSONClient:
        """Enter the league; return once the server has admitted the client."""
        client = self.connect(auth, **keywords)
        before = self.home.count("comes to the league")
        self._played.append(self._pool.submit(client.run))
        self.home.wait_for("comes to the league", count=before + 1)
        return client

    def connect(self, auth: str, **keywords: Any) -> JSONClient:
        """Return a client that has not sent anything yet."""
        return JSONClient(self.home.ports["league"], self.home.certificate, auth=auth, **keywords)

    def end(self) -> list[type[BaseException]]:
        """Wait until all clients have left; return the errors of those that have failed."""
        errors = [played.exception() for played in self._played]
        return [type(error) for error in errors if error is not None]


@pytest.fixture
def meeting(tmp_path: Path) -> Iterator[Meeting]:
    with ThreadPoolExecutor() as pool, running(tmp_path / "home") as home:
        yield Meeting(home, pool)


def leave(state: Sequence[int]) -> object:
    """Leave instead of moving."""
    raise ConnectionAbortedError


def test_two_waiting_clients_play_one_series(meeting: Meeting) -> None:
    first, second = meeting.enter("one"), meeting.enter("two")
    assert meeting.end() == []
    meeting.home.wait_for("3 games, ", count=2)
    kept = {result["name"]: result for result in meeting.home.results}
    (((ours, theirs),),) = first.calls("series_over")
    wins, losses = ours[2:]
    assert (ours, theirs) == ([1001, 1, wins, losses], [1002, 2, losses, wins])
    assert wins + losses == 3
    assert second.calls("series_over") == first.calls("series_over")
    for client, own, won in ((first, 1001, wins), (second, 1002, losses)):
        result = kept[f"guest {own - 1000}"]
        assert client.score == result["score"] == round(100 * won / 3, 2)
        assert result["kind"] == "league"
        assert client.calls("series_start") == [[own, [[1001, 1], [1002, 2]], 3, [3]]]
        assert client.calls("game_start") == [[1], [2], [1]]
        topics = [topic for topic, *_ in client.messages]
        assert topics[:2] == ["authentication", "series_start"]
        assert topics[-3:] == ["series_over", "tournament_over", "finish"]


def test_two_pairs_play_with_exchanged_colours_and_one_token_may_meet_itself(
    meeting: Meeting,
) -> None:
    pairs = [meeting.enter(token) for token in ("one", "two", "same", "same")]
    assert meeting.end() == []
    starts = [client.calls("series_start")[0] for client in pairs]
    assert [dict(players)[own] for own, players, *_ in starts] == [1, 2, 2, 1]
    assert len({own for own, *_ in starts}) == 4
    assert all(client.score is not None for client in pairs)


def test_a_client_that_leaves_or_speaks_while_it_waits_is_not_matched(meeting: Meeting) -> None:
    home = meeting.home
    for count, speaks in enumerate((True, False), start=1):
        client = meeting.connect("too early")
        client.step()
        home.wait_for("comes to the league", count)
        if speaks:
            client.send([0, 0])
            assert client.receive() == ("error", "sent data without a request")
        client.sock.close()
        home.wait_for("league: a client left before it played: ", count)
    clients = [meeting.enter("one"), meeting.enter("two")]
    assert meeting.end() == []
    assert all(client.score is not None for client in clients)


class Line:
    """The connection of a waiting client."""

    def __init__(self) -> None:
        self.broken: asyncio.Future[WireFault] = asyncio.get_running_loop().create_future()

    async def end_of_silence(self) -> WireFault:
        return await self.broken


def test_a_client_that_leaves_at_the_moment_of_the_match_is_not_matched() -> None:
    met: list[list[str]] = []

    async def play(first: clients.Client, second: clients.Client) -> None:
        met.append(sorted([first.name, second.name]))

    def enter(league: League, name: str, line: Line) -> asyncio.Future[None]:
        client = clients.JSONClient(cast(Connection, line), None, 1.0, make_game("hex", size=3))
        client.name = name
        return asyncio.ensure_future(league.enter(client))

    async def meet() -> None:
        league, line = League(play), Line()
        leaver = enter(league, "leaver", line)
        await asyncio.sleep(0.01)  # until it waits
        line.broken.set_result(Gone("disconnected"))
        others = [enter(league, name, Line()) for name in ("one", "two")]
        await asyncio.gather(*others)
        with pytest.raises(Gone):
            await leaver

    asyncio.run(meet())
    assert met == [["one", "two"]]


Choose = Callable[[TournamentResult, Sequence[int]], tuple[int, int]]


def play_ours(home: Home, folder: Path, choose: Choose | None = None) -> TournamentResult:
    """Play in the league with our own client, and return its result."""
    folder.mkdir()
    with ExitStack() as stack:
        record = stack.enter_context(closing(TournamentRecord(folder)))
        lineup = stack.enter_context(closing(Lineup(home_params("oht.agent=random"), None)))
        player = TournamentPlayer(lineup, record, Diary())
        if choose is not None:
            player.handle_get_action = lambda state: choose(player.result, state)  # type: ignore[method-assign]
        try:
            options = session_options(known={"token": "ours"})
            server = Server("localhost", home.ports["league"], home.certificate)
            player.handle_tournament_over(play_with(2, server, player, options, "league") or 0.0)
        except KeyboardInterrupt as end:
            player.end(end, league=True)
    return player.result


@pytest.mark.parametrize("we_come_first", [True, False])
def test_the_client_that_remains_has_won_and_both_sides_count_so(
    meeting: Meeting, tmp_path: Path, we_come_first: bool
) -> None:
    home = meeting.home
    with ThreadPoolExecutor() as pool:
        if we_come_first:
            played = pool.submit(play_ours, home, tmp_path / "ours")
            home.wait_for("comes to the league")
        meeting.enter("leaver", choose=leave)
        if not we_come_first:
            played = pool.submit(play_ours, home, tmp_path / "ours")
        result = played.result()
    assert meeting.end() == [ConnectionAbortedError]
    home.wait_for("3 games, 3 won, 0 illegal actions, score 100.0")
    home.wait_for("3 games, 0 won, 0 illegal actions, score 0.0 (disconnected)")
    assert (result.score, result.won, result.lost) == (100.0, 3, 0)
    assert (result.series[0].series_id, result.series[0].unplayed) == (2 - we_come_first, 2)


def test_our_client_reports_the_score_of_the_server_when_it_leaves(
    meeting: Meeting, tmp_path: Path
) -> None:
    def choose(result: TournamentResult, state: Sequence[int]) -> tuple[int, int]:
        if result.won + result.lost == 1:
            raise KeyboardInterrupt
        return first_free_cell(state)

    stayer = meeting.enter("stayer")
    result = play_ours(meeting.home, tmp_path / "ours", choose)
    assert meeting.end() == []
    meeting.home.wait_for("guest 2: 3 games")
    kept = next(each for each in meeting.home.results if each["name"] == "guest 2")
    assert (result.score, result.won) == (kept["score"], kept["wins"])
    assert stayer.score == pytest.approx(100 - kept["score"], abs=0.01)
    assert (result.lost, result.series[0].unplayed) == (3 - kept["wins"], 2)
    assert result.broken_off == "interrupted"
