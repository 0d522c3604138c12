"""Series and tournaments, played without a network."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from agents import AgentError
from oht_client.server.clients import Account, Accounts, Client
from oht_client.server.connection import Gone, TooLate, WireFault
from oht_client.server.series import Series, SeriesSide, Standing, play_series
from oht_client.server.tournament import ClientResult, Opponents, Schedule, play_tournament
from state_manager import State, make_game
from tests.oht_client.home import home_params
from tests.oht_client.raw_clients import first_free_cell
from tournaments.results import Event

GAME = make_game("hex", size=3)
CLIENT_ID, OPPONENT_ID = 1234567, 2020

Answer = Callable[[Sequence[int]], object]
Call = tuple[object, ...]


class FakeClient(Client):
    """A client without a connection that records all calls."""

    def __init__(self, answer: Answer = first_free_cell, forgiving: bool = True) -> None:
        self.calls: list[Call] = []
        self._answer = answer
        self._forgiving = forgiving
        self.name, self.unique_id, self.game = "client", CLIENT_ID, GAME

    async def say(self, topic: str, **content: object) -> None:
        self.calls.append((topic, *content.values()))

    async def request_action(self, state: Sequence[int]) -> object:
        self.calls.append(("request_action", tuple(state)))
        answer = self._answer(state)
        if isinstance(answer, WireFault):
            raise answer
        return answer

    async def log_in(self, accounts: Accounts) -> tuple[Account, str, bool]:
        raise NotImplementedError

    async def receive(self, seconds: float | None) -> object:
        raise NotImplementedError

    async def illegal_action(self, state: Sequence[int], action: object) -> None:
        self.calls.append(("illegal_action", tuple(state), action))
        if not self._forgiving:
            raise WireFault("sent an illegal action")

    async def reject(self, fault: WireFault) -> None:
        self.calls.append(("reject", str(fault)))

    def all(self, what: str) -> list[Call]:
        """Return all calls of one kind."""
        return [words for words in self.calls if words[0] == what]


class FirstFree(SeriesSide):
    """An opponent that always takes the first empty cell."""

    def __init__(self) -> None:
        self.name, self.unique_id = "first free", OPPONENT_ID

    async def choose_action(self, state: State) -> int | None:
        return int(GAME.legal_actions(state)[0])

    async def say(self, topic: str, **content: object) -> None:
        """Ignore the progress."""


def play(sides: tuple[SeriesSide, SeriesSide], games: int, first_starter: int = 1) -> Series:
    """Play a series."""
    series = Series(sides, games)
    asyncio.run(play_series(GAME, series, first_starter, lambda *game: None))
    return series


def tournament(client: Client, *games: int) -> ClientResult:
    """Play a tournament against opponents, with these numbers of games."""
    opponents: Schedule = [(FirstFree(), count) for count in games]
    result = ClientResult(client, sum(games), Event("localhost:1", 1))

    async def play() -> None:
        async for _ in play_tournament(GAME, result, opponents, 1, lambda *game: None):
            pass

    asyncio.run(play())
    assert result.games == result.num_games
    return result


@pytest.mark.parametrize("first_starter", [1, 2])
def test_the_starters_alternate_from_the_first_one(first_starter: int) -> None:
    client = FakeClient()
    play((client, FirstFree()), 5, first_starter)
    starters = [words[1] for words in client.all("game_start")]
    assert starters == [first_starter, 3 - first_starter] * 2 + [first_starter]


@pytest.mark.parametrize("first_starter", [1, 2])
def test_the_end_state_names_the_loser_and_holds_the_winning_stone(first_starter: int) -> None:
    client = FakeClient()
    play((client, FirstFree()), 2, first_starter)
    for _, winner, end_state in client.all("game_over"):
        assert isinstance(winner, int)
        assert isinstance(end_state, tuple)
        assert end_state[0] == 3 - winner
        assert GAME.winner(GAME.from_flat(end_state)) == winner


def test_statistics_add_up_and_are_ordered_by_series_id() -> None:
    client = FakeClient()
    result = play((FirstFree(), client), 7)
    first, second = result.wins
    stats = [(OPPONENT_ID, 1, first, second), (CLIENT_ID, 2, second, first)]
    assert first + second == result.played == 7
    assert client.calls[-1] == ("series_over", stats)
    assert sum(words[1] == 1 for words in client.all("game_over")) == first


ILLEGAL: list[object] = [
    *(None, "text", (0, 0, 0), (True, False), (0.0, 1.0), (3, 0), (-1, 0), [1], {}, 4)
]


@pytest.mark.parametrize("answer", ILLEGAL, ids=repr)
def test_an_illegal_action_loses_the_game_and_nothing_else(answer: object) -> None:
    client = FakeClient(lambda state: answer)
    result = play((client, FirstFree()), 3)
    assert (result.wins, result.played) == ([0, 3], 3)
    assert (client.illegal_actions, client.fault) == (3, None)
    (illegal, *_), (over, *_) = client.all("illegal_action"), client.all("game_over")
    assert illegal[2] is answer
    assert over == ("game_over", 2, illegal[1])  # the board is as it was


def test_a_taken_cell_is_illegal_too() -> None:
    client = FakeClient(lambda state: (0, 0))
    assert play((client, FirstFree()), 2, first_starter=2).wins == [0, 2]
    assert client.illegal_actions == 2


def test_an_illegal_action_that_ends_the_session_is_the_last_message() -> None:
    client = FakeClient(lambda state: "nonsense", forgiving=False)
    result = tournament(client, 3, 2)
    assert [words[0] for words in client.calls[-2:]] == ["illegal_action", "reject"]
    assert (result.games, result.wins, result.played, client.illegal_actions) == (5, 0, 0, 1)
    assert result.left == "sent an illegal action"


@pytest.mark.parametrize("fault", [Gone("disconnected"), TooLate("no answer within 1 seconds")])
def test_a_leaving_client_keeps_won_games_and_loses_the_remaining_ones(fault: WireFault) -> None:
    def answer(state: Sequence[int]) -> object:
        over = len(client.all("game_over"))
        return fault if over == 3 else first_free_cell(state)

    client = FakeClient(answer)
    result = tournament(client, 6, 4)
    assert [words[1] for words in client.all("game_over")] == [1, 2, 1]
    assert result.standings == [
        Standing("first free", 1, 2, 4),
        Standing("first free", 2, 0, 4),
    ]
    assert [series.played for series in result.series] == [3, 0]
    assert (result.played, result.score, result.left) == (3, 20.0, str(fault))
    assert client.calls[-1] == ("reject", str(fault))


def test_series_ids_alternate_and_the_score_is_the_percentage_of_games_won() -> None:
    client = FakeClient()
    result = tournament(client, 3, 3, 3)
    maps = [dict(words[2]) for words in client.all("series_start") if isinstance(words[2], list)]
    assert [player_map[CLIENT_ID] for player_map in maps] == [1, 2, 1]
    assert [standing.player for standing in result.standings] == [1, 2, 1]
    won = sum(standing.wins for standing in result.standings)
    assert won == result.wins
    assert result.games == 9
    assert result.score == round(100 * won / 9, 2)
    assert type(result.score) is float


def opponents_of(*overrides: str) -> Opponents:
    """Return the opponents of a server that has no threads of its own."""
    return Opponents(GAME, home_params(*overrides), ThreadPoolExecutor(1))


@pytest.mark.parametrize(
    ("games", "opponents", "shares"),
    [(100, 4, [25] * 4), (100, 3, [34, 33, 33]), (5, 2, [3, 2]), (1, 3, [1]), (2, 4, [2])],
)
def test_verification_games_are_split_and_the_first_opponent_gets_the_remainder(
    games: int, opponents: int, shares: list[int]
) -> None:
    schedule = opponents_of(
        f"oht_server.verification_games={games}",
        f"oht_server.opponents=[{','.join(['random'] * opponents)}]",
    ).schedule("verification")
    assert [count for _, count in schedule] == shares


def test_an_official_tournament_is_played_against_all_and_practice_against_a_random_one() -> None:
    made = opponents_of("oht_server.official_games=7", "oht_server.verification_games=9")
    official, practice = made.schedule("official"), made.schedule("practice")
    assert [(side.name, count) for side, count in official] == [
        ("random", 7),
        ("mcts simulations=5", 7),
    ]
    assert [(side.name, count) for side, count in practice] == [("random", 9)]
    assert len({side.unique_id for side, _ in official}) == 2


def test_the_seed_fixes_the_play_of_opponents_anew_in_each_tournament() -> None:
    async def moves(made: Opponents) -> list[int | None]:
        (side, _), *_ = made.schedule("official")
        empty = GAME.initial_state()
        return [await side.choose_action(empty) for _ in range(20)]

    async def both(seed: int) -> list[list[int | None]]:
        made = opponents_of(f"seed={seed}")
        return [await moves(made), await moves(made)]

    first = asyncio.run(both(1))
    assert asyncio.run(both(1)) == first
    assert first[0] != first[1]
    assert asyncio.run(both(2)) != first


@pytest.mark.parametrize("word", ["nobody", "human", "anet:missing.pt", "mcts:simulations=0"])
def test_an_unplayable_opponent_is_refused_at_the_start(word: str) -> None:
    with pytest.raises(AgentError, match=word.partition(":")[0]):
        opponents_of(f"oht_server.opponents=['{word}']")
