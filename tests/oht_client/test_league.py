"""The league: two clients meet."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from oht_client.server import clients
from oht_client.server.connection import ClientConnection, Gone, WireFault
from oht_client.server.sessions import League
from state_manager import make_game
from tests.oht_client.home import Home, running
from tests.oht_client.raw_clients import ClientError, JSONClient
from tests.project import TIMEOUT


class Meeting:
    """Clients of one league, each in a thread."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.errors: dict[JSONClient, Exception] = {}
        self._threads: list[threading.Thread] = []

    def enter(self, auth: str, **keywords: Any) -> JSONClient:
        """Enter the league; return once the server has admitted the client."""
        client = self.connect(auth, **keywords)
        before = sum("comes to the league" in line for line in self.home.messages)
        thread = threading.Thread(target=self._run, args=[client])
        self._threads.append(thread)
        thread.start()
        self.home.wait_for("comes to the league", count=before + 1)
        return client

    def connect(self, auth: str, **keywords: Any) -> JSONClient:
        """Return a client that has not sent anything yet."""
        return JSONClient(self.home.ports["league"], self.home.certificate, auth=auth, **keywords)

    def end(self) -> None:
        """Wait until all clients have left."""
        for thread in self._threads:
            thread.join()

    def _run(self, client: JSONClient) -> None:
        try:
            client.run()
        except (ClientError, OSError) as error:
            self.errors[client] = error


def start_of(client: JSONClient) -> tuple[Any, ...]:
    """Return the arguments of the start of the only series."""
    ((_, *arguments),) = [words for words in client.hooks if words[0] == "series_start"]
    return tuple(arguments)


def stats_of(client: JSONClient) -> Any:
    """Return the statistics of the only series."""
    ((_, stats),) = [words for words in client.hooks if words[0] == "series_over"]
    return stats


def test_two_waiting_clients_play_one_series(tmp_path: Path) -> None:
    with running(tmp_path) as home:
        meeting = Meeting(home)
        first, second = meeting.enter("one"), meeting.enter("two")
        meeting.end()
        assert meeting.errors == {}
        home.wait_for("3 games, ", count=2)
        results = {result["name"]: result for result in home.results}
    player_map = [[1001, 1], [1002, 2]]
    assert start_of(first) == (1001, 1, player_map, 3, [3])
    assert start_of(second) == (1002, 2, player_map, 3, [3])
    assert stats_of(first) == stats_of(second)
    (_, _, wins, losses), other = stats_of(first)
    assert wins + losses == 3
    assert other == [1002, 2, losses, wins]
    assert first.score == round(100 * wins / 3, 2)
    assert second.score == round(100 * losses / 3, 2)
    for client, name in ((first, "guest 1"), (second, "guest 2")):
        assert client.topics[:2] == ["authentication", "series_start"]
        assert client.topics[-3:] == ["series_over", "tournament_over", "finish"]
        assert [words[1] for words in client.hooks if words[0] == "game_start"] == [1, 2, 1]
        assert results[name]["score"] == client.score
        assert results[name]["kind"] == "league"


def test_a_third_client_waits_for_a_fourth_and_has_the_other_colour(tmp_path: Path) -> None:
    with running(tmp_path) as home:
        meeting = Meeting(home)
        clients = [meeting.enter(f"token {number}") for number in range(4)]
        meeting.end()
        assert meeting.errors == {}
        assert all(client.score is not None for client in clients)
        assert [start_of(client)[1] for client in clients] == [1, 2, 2, 1]


def test_two_clients_with_one_token_play_under_two_ids(tmp_path: Path) -> None:
    with running(tmp_path) as home:
        meeting = Meeting(home)
        clients = [meeting.enter("same"), meeting.enter("same")]
        meeting.end()
        assert meeting.errors == {}
    (one, _, player_map, *_), (two, _, other_map, *_) = map(start_of, clients)
    assert one != two
    assert player_map == other_map == [[one, 1], [two, 2]]


def test_a_client_that_leaves_while_waiting_is_not_matched(tmp_path: Path) -> None:
    with running(tmp_path) as home:
        meeting = Meeting(home)
        leaver = meeting.connect("leaver")
        leaver.receive()
        leaver.send("leaver")
        home.wait_for("comes to the league")
        leaver.sock.close()
        home.wait_for("league: a client left before it played: disconnected")
        clients = [meeting.enter("one"), meeting.enter("two")]
        meeting.end()
        assert meeting.errors == {}
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
        client = clients.JSONClient(
            cast(ClientConnection, line), None, 1.0, make_game("hex", size=3)
        )
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


def test_a_client_that_sends_a_message_while_waiting_is_refused(tmp_path: Path) -> None:
    with running(tmp_path) as home:
        meeting = Meeting(home)
        speaker = meeting.connect("speaker")
        speaker.receive()
        speaker.send("speaker")
        home.wait_for("comes to the league")
        speaker.send([0, 0])
        assert speaker.receive() == {"topic": "error", "error": "sent data without a request"}
        speaker.sock.close()
        clients = [meeting.enter("one"), meeting.enter("two")]
        meeting.end()
        assert all(client.score is not None for client in clients)


def leave(state: Sequence[int]) -> object:
    """Leave instead of moving."""
    raise ConnectionAbortedError


@pytest.mark.parametrize("leaver_comes_first", [True, False])
def test_a_client_that_leaves_a_match_loses_and_the_opponent_is_notified(
    tmp_path: Path, leaver_comes_first: bool
) -> None:
    with running(tmp_path) as home:
        meeting = Meeting(home)
        if leaver_comes_first:
            meeting.enter("leaver", choose=leave)
            stayer = meeting.enter("stayer")
        else:
            stayer = meeting.enter("stayer")
            meeting.enter("leaver", choose=leave)
        meeting.end()
        home.wait_for("3 games, 3 won, 0 illegal actions, score 100.0")
        home.wait_for("3 games, 0 won, 0 illegal actions, score 0.0 (disconnected)")
    assert stayer.score == 100.0
    own = 2 if leaver_comes_first else 1
    assert [wins for _, series_id, wins, _ in stats_of(stayer) if series_id == own] == [3]
    assert stayer not in meeting.errors


def test_a_late_client_loses_its_match(tmp_path: Path) -> None:
    with running(tmp_path, "oht_server.qualifiers_move_limit=1") as home:
        meeting = Meeting(home)
        over = threading.Event()
        late = meeting.enter("late", choose=lambda state: over.wait(TIMEOUT))
        prompt = meeting.enter("prompt")
        home.wait_for("score 0.0 (no answer within 1 seconds)")
        over.set()
        meeting.end()
    assert prompt.score == 100.0
    assert isinstance(meeting.errors[late], ClientError | OSError)
