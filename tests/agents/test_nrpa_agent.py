"""The agent that plays by nested rollout policy adaptation."""

from __future__ import annotations

from pathlib import Path
from threading import Event, Timer

import pytest

from agents import AgentError, make_agent
from agents.match import GameStoppedError, play_game
from agents.nrpa_agent import NRPAAgent, NRPAOptions
from base.params import GameParams, Params, PlayParams, Section
from state_manager import StateManager, game_names, make_game
from tests.series import played, wins


def test_nrpa_counts_its_rollouts_and_their_time(hex_game: StateManager) -> None:
    agent = NRPAAgent(hex_game, options=NRPAOptions(level=2, iterations=7))
    for _ in range(2):
        agent.choose_action(hex_game.initial_state())
    assert agent.simulations_run == 2 * 7**2
    assert agent.search_seconds > 0.0


def test_nrpa_takes_the_options_of_its_word(hex_game: StateManager) -> None:
    def rollouts(word: str) -> int:
        agent = make_agent(word, hex_game)
        assert isinstance(agent, NRPAAgent)
        agent.choose_action(hex_game.initial_state())
        return agent.simulations_run

    assert rollouts("nrpa") == 1000
    assert rollouts("nrpa:level=1,iterations=30") == 30
    assert rollouts("nrpa:form=additive,simulations=123") == 123
    assert rollouts("nrpa:level=5,iterations=1000,time_limit=1e-6") < 1e5


def test_nrpa_keeps_the_time_limit_of_the_section_play_unless_its_word_sets_one(
    hex_game: StateManager,
) -> None:
    game = GameParams(name="hex", options=Section())
    params = Params(game=game, play=PlayParams(time_limit=1e-6))

    def rollouts(word: str) -> int:
        agent = make_agent(word, hex_game, defaults=params)
        assert isinstance(agent, NRPAAgent)
        agent.choose_action(hex_game.initial_state())
        return agent.simulations_run

    assert rollouts("nrpa") < 1000
    assert rollouts("nrpa:time_limit=null") == 1000


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("nrpa:level=6", "level: expected an integer from 1 to 5, got 6"),
        ("nrpa:iterations=0", "iterations: expected an integer from 1 to 1000, got 0"),
        ("nrpa:form=hard", "form: expected softmax or additive, got 'hard'"),
        ("nrpa:net.pt", f"nrpa takes no net, got {str(Path('net.pt'))!r}"),
    ],
)
def test_an_invalid_word_is_refused_in_one_line(
    word: str, message: str, hex_game: StateManager
) -> None:
    with pytest.raises(AgentError) as caught:
        make_agent(word, hex_game)
    assert str(caught.value) == f"agent {word!r}: {message}"


@pytest.mark.parametrize("name", game_names())
def test_nrpa_plays_whole_games_of_every_game(name: str) -> None:
    game = make_game(name)
    agents = make_agent("nrpa:level=2,iterations=5", game, seed=1), make_agent("random", game)
    assert len(played(game, agents, 4)) == 4


def test_nrpa_beats_random_play(hex_game: StateManager) -> None:
    agents = make_agent("nrpa", hex_game, seed=1), make_agent("random", hex_game, seed=2)
    assert wins(played(hex_game, agents, 30), 1) >= 25


def test_the_seed_fixes_the_moves_of_nrpa(hex_game: StateManager) -> None:
    def games(seed: int) -> list[tuple[int, ...]]:
        word = "nrpa:level=1,iterations=8"
        agents = make_agent(word, hex_game, seed=seed), make_agent(word, hex_game, seed=9)
        return [record.actions for record in played(hex_game, agents, 6)]

    assert games(1) == games(1)
    assert games(1) != games(2)


def test_a_game_that_is_ended_early_does_not_wait_for_its_search(hex_game: StateManager) -> None:
    endless = make_agent("nrpa:level=5,iterations=1000", hex_game)
    stop = Event()
    Timer(0.05, stop.set).start()
    with pytest.raises(GameStoppedError):
        play_game(hex_game, (endless, endless), stop=stop)
