"""The league: two clients meet."""

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from oht_client.server import clients
from oht_client.server.connection import ClientConnection, Gone, WireFault
from oht_client.server.sessions import League
from state_manager import make_game
from tests.oht_client.home import Home, running
from tests.oht_client.raw_clients import Client


class Meeting:
    def __init__(self, home: Home, pool: ThreadPoolExecutor) -> None:
        self.home, self._pool = home, pool
        self._played: list[Future[None]] = []

    def enter(self, auth: str, **keywords: Any) -> Client:
        """Enter the league; return once the server has admitted the client."""
        client = self.home.connect("league", auth=auth, **keywords)
        before = self.home.count("comes to the league")
        self._played.append(self._pool.submit(client.run))
        self.home.wait_for("comes to the league", count=before + 1)
        return client

    def end(self) -> list[type[BaseException]]:
        """Wait until all clients have left; return the errors of those that have failed."""
        errors = [played.exception() for played in self._played]
        return [type(error) for error in errors if error is not None]


@pytest.fixture
def meeting(tmp_path: Path) -> Iterator[Meeting]:
    with ThreadPoolExecutor() as pool, running(tmp_path) as home:
        yield Meeting(home, pool)


def test_pairs_play_a_series_and_exchange_colours_from_pair_to_pair(meeting: Meeting) -> None:
    clients = [meeting.enter(token) for token in ("one", "two", "same", "same")]
    assert meeting.end() == []
    meeting.home.wait_for("3 games, ", count=4)
    starts = [client.calls("series_start")[0] for client in clients]
    assert [dict(players)[own] for own, players, *_ in starts] == [1, 2, 2, 1]
    assert len({own for own, *_ in starts}) == 4  # although one token has met itself
    first, second, *_ = clients
    (((ours, theirs),),) = first.calls("series_over")
    wins, losses = ours[2:]
    assert (ours, theirs) == ([1001, 1, wins, losses], [1002, 2, losses, wins])
    assert wins + losses == 3
    assert second.calls("series_over") == first.calls("series_over")
    kept = {result["name"]: result for result in meeting.home.results}
    for client, own, won in ((first, 1001, wins), (second, 1002, losses)):
        result = kept[f"guest {own - 1000}"]
        assert client.score == result["score"] == round(100 * won / 3, 2)
        assert result["kind"] == "league"
        assert client.calls("series_start") == [[own, [[1001, 1], [1002, 2]], 3, [3]]]
        assert client.calls("game_start") == [[1], [2], [1]]
        topics = [topic for topic, *_ in client.messages]
        assert topics[:2] == ["authentication", "series_start"]
        assert topics[-3:] == ["series_over", "tournament_over", "finish"]


def test_a_client_that_leaves_or_speaks_while_it_waits_is_not_matched(meeting: Meeting) -> None:
    home = meeting.home
    for count, speaks in enumerate((True, False), start=1):
        client = home.connect("league")
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


def test_a_client_that_leaves_at_the_moment_of_the_match_is_not_matched() -> None:
    met: list[set[str]] = []

    async def play(first: clients.Client, second: clients.Client) -> None:
        met.append({first.name, second.name})

    async def meet() -> None:
        league, loop = League(play), asyncio.get_running_loop()

        def enter(name: str, broken: asyncio.Future[WireFault]) -> asyncio.Future[None]:
            async def end_of_silence() -> WireFault:
                return await broken

            line = cast(ClientConnection, SimpleNamespace(end_of_silence=end_of_silence))
            client = clients.JSONClient(line, None, 1.0, make_game("hex", size=3))
            client.name = name
            return asyncio.ensure_future(league.enter(client))

        broken = loop.create_future()
        leaver = enter("leaver", broken)
        await asyncio.sleep(0.01)  # until it waits
        broken.set_result(Gone("disconnected"))
        await asyncio.gather(*(enter(name, loop.create_future()) for name in ("one", "two")))
        with pytest.raises(Gone):
            await leaver

    asyncio.run(meet())
    assert met == [{"one", "two"}]


@pytest.mark.parametrize("leaver_comes_first", [True, False])
def test_a_client_that_leaves_loses_all_games_and_its_opponent_is_told(
    meeting: Meeting, leaver_comes_first: bool
) -> None:
    def leave(state: Sequence[int]) -> object:
        raise ConnectionAbortedError

    if leaver_comes_first:
        meeting.enter("leaver", choose=leave)
    stayer = meeting.enter("stayer")
    if not leaver_comes_first:
        meeting.enter("leaver", choose=leave)
    assert meeting.end() == [ConnectionAbortedError]
    meeting.home.wait_for("3 games, 3 won, 0 illegal actions, score 100.0")
    meeting.home.wait_for("3 games, 0 won, 0 illegal actions, score 0.0 (disconnected)")
    assert stayer.score == 100.0
    ((stats,),) = stayer.calls("series_over")
    assert [row[2] for row in stats] == ([0, 3] if leaver_comes_first else [3, 0])
