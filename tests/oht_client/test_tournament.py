"""Series and tournaments, played without a network."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import cast

import pytest

from agents import AgentError
from oht_client.server.clients import JSONClient
from oht_client.server.connection import ClientConnection, Gone, TooLate, WireFault
from oht_client.server.series import Series, SeriesSide, play_series
from oht_client.server.tournament import ClientResult, Opponents, play_tournament
from online.results import Event
from state_manager import State, make_game
from tests.oht_client.home import home_params
from tests.oht_client.raw_clients import first_free_cell

GAME = make_game("hex", size=3)
CLIENT_ID, OPPONENT_ID = 1234567, 2020


class FakeClient(JSONClient):
    """A client without a connection that keeps all messages."""

    def __init__(self, choose: Callable[[Sequence[int]], object] = first_free_cell) -> None:
        super().__init__(cast(ClientConnection, None), None, 1.0, GAME)
        self.name, self.unique_id, self._choose = "client", CLIENT_ID, choose
        self.messages: list[tuple[str, tuple[object, ...]]] = []

    async def say(self, topic: str, **content: object) -> None:
        self.messages.append((topic, tuple(content.values())))

    async def receive(self, seconds: float | None) -> object:
        answer = self._choose(cast(Sequence[int], self.messages[-1][1][0]))
        if isinstance(answer, WireFault):
            raise answer
        return answer

    def all(self, topic: str) -> list[tuple[object, ...]]:
        return [values for name, values in self.messages if name == topic]


class FirstFree(SeriesSide):
    name, unique_id = "first free", OPPONENT_ID

    async def choose_action(self, state: State) -> int | None:
        return int(GAME.legal_actions(state)[0])

    async def say(self, topic: str, **content: object) -> None:
        """Ignore the progress."""


def played_series(
    sides: tuple[SeriesSide, SeriesSide], games: int, first_starter: int = 1
) -> Series:
    series = Series(sides, games)
    asyncio.run(play_series(GAME, series, first_starter, lambda *game: None))
    return series


def played_tournament(client: FakeClient, *games: int) -> ClientResult:
    result = ClientResult(client, sum(games), Event("localhost:1", 1))

    async def play() -> None:
        opponents = [(FirstFree(), count) for count in games]
        async for _ in play_tournament(GAME, result, opponents, 1, lambda *game: None):
            pass

    asyncio.run(play())
    assert result.games == result.num_games
    return result


def test_starters_alternate_and_statistics_add_up() -> None:
    client = FakeClient()
    series = played_series((FirstFree(), client), 5, first_starter=2)
    assert client.all("game_start") == [(2,), (1,), (2,), (1,), (2,)]
    first, second = series.wins
    assert first + second == series.played == 5
    assert sum(winner == 1 for winner, _ in client.all("game_over")) == first
    stats = [(OPPONENT_ID, 1, first, second), (CLIENT_ID, 2, second, first)]
    assert client.messages[-1] == ("series_over", (stats,))


@pytest.mark.parametrize("answer", [None, "text", (3, 0), (0, 0)], ids=repr)
def test_an_illegal_action_loses_the_game_and_nothing_else(answer: object) -> None:
    client = FakeClient(lambda state: answer if state[1] else (0, 0))  # which is taken later
    series = played_series((FirstFree(), client), 3)
    assert (series.wins, series.played) == ([3, 0], 3)
    assert (client.illegal_actions, client.fault) == (3, None)
    request, over = client.all("request_action")[0], client.all("game_over")[0]
    assert over == (1, request[0])  # the board is as it was


@pytest.mark.parametrize("fault", [Gone("disconnected"), TooLate("no answer within 1 seconds")])
def test_a_leaving_client_keeps_won_games_and_loses_the_remaining_ones(fault: WireFault) -> None:
    def choose(state: Sequence[int]) -> object:
        return fault if len(client.all("game_over")) == 3 else first_free_cell(state)

    client = FakeClient(choose)
    result = played_tournament(client, 6, 4)
    assert [winner for winner, _ in client.all("game_over")] == [1, 2, 1]
    assert result.standings == [("first free", 1, 2, 4), ("first free", 2, 0, 4)]
    assert [series.played for series in result.series] == [3, 0]
    assert (result.played, result.score, result.left) == (3, 20.0, str(fault))
    assert client.messages[-1] == ("error", (str(fault),))


def opponents_of(*overrides: str) -> Opponents:
    return Opponents(GAME, home_params(*overrides), ThreadPoolExecutor(1))


@pytest.mark.parametrize(
    ("games", "opponents", "shares"),
    [(100, 4, [25] * 4), (100, 3, [34, 33, 33]), (1, 3, [1]), (2, 4, [2])],
)
def test_verification_games_are_split_and_the_first_opponent_gets_the_remainder(
    games: int, opponents: int, shares: list[int]
) -> None:
    words = f"oht_server.opponents=[{','.join(['random'] * opponents)}]"
    made = opponents_of(f"oht_server.verification_games={games}", words)
    assert [count for _, count in made.schedule("verification")] == shares


def test_the_seed_fixes_the_play_of_opponents_anew_in_each_tournament() -> None:
    async def moves(made: Opponents) -> list[int | None]:
        (side, _), *_ = made.schedule("official")
        return [await side.choose_action(GAME.initial_state()) for _ in range(20)]

    async def both(seed: int) -> list[list[int | None]]:
        made = opponents_of(f"seed={seed}")
        return [await moves(made), await moves(made)]

    first = asyncio.run(both(1))
    assert asyncio.run(both(1)) == first
    assert first[0] != first[1]
    assert asyncio.run(both(2)) != first


def test_an_unplayable_opponent_is_refused_at_the_start() -> None:
    with pytest.raises(AgentError, match="missing"):
        opponents_of("oht_server.opponents=[random, 'anet:missing.pt']")
