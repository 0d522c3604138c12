"""The opponents of a tournament, and their games."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from agents import AgentError
from oht_client.server.tournament import Opponents
from state_manager import make_game
from tests.oht_client.home import home_params

GAME = make_game("hex", size=3)


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
