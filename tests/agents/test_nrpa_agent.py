"""The agent that plays by nested rollout policy adaptation."""

from threading import Event, Timer

import pytest

from agents import make_agent
from agents.match import GameStoppedError, play_game
from base.params import GameParams, Params, PlayParams, Section
from state_manager import StateManager, game_names, make_game
from tests.series import played, wins


@pytest.mark.parametrize(
    ("word", "time_limit", "rollouts"),
    [
        ("nrpa", None, 1000),
        ("nrpa:level=1,iterations=30", None, 30),
        ("nrpa:form=additive,simulations=123", None, 123),
        ("nrpa:time_limit=null", 1e-6, 1000),
    ],
)
def test_nrpa_takes_the_options_of_its_word_and_counts_its_rollouts(
    hex_game: StateManager, word: str, time_limit: float | None, rollouts: int
) -> None:
    game = GameParams(name="hex", options=Section())
    params = Params(game=game, play=PlayParams(time_limit=time_limit))
    agent = make_agent(word, hex_game, defaults=params)
    for _ in range(2):
        agent.choose_action(hex_game.initial_state())
    assert agent.simulations_run == 2 * rollouts
    assert agent.search_seconds > 0.0
    hurried = params.model_copy(update={"play": PlayParams(time_limit=1e-6)})
    agent = make_agent("nrpa:level=5,iterations=1000", hex_game, defaults=hurried)
    agent.choose_action(hex_game.initial_state())
    assert agent.simulations_run < 1e5


@pytest.mark.parametrize("name", game_names())
def test_nrpa_plays_whole_games_of_every_game(name: str) -> None:
    game = make_game(name)
    agents = make_agent("nrpa:level=2,iterations=3", game, seed=1), make_agent("random", game)
    assert len(played(game, agents, 2)) == 2


def test_nrpa_beats_random_play(hex_game: StateManager) -> None:
    agents = make_agent("nrpa", hex_game, seed=1), make_agent("random", hex_game, seed=2)
    assert wins(played(hex_game, agents, 30), 1) >= 25


def test_a_game_that_is_ended_early_does_not_wait_for_its_search(hex_game: StateManager) -> None:
    endless = make_agent("nrpa:level=5,iterations=1000", hex_game)
    stop = Event()
    Timer(0.05, stop.set).start()
    with pytest.raises(GameStoppedError):
        play_game(hex_game, (endless, endless), stop=stop)
