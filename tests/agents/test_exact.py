"""The agent that plays perfectly."""

from collections import Counter

import numpy as np
import pytest

from agents import AgentError, make_agent
from agents.match import play_game
from agents.random import ExactAgent
from judge import shared_judge
from state_manager import DRAW, make_game
from tests.series import played


def test_the_exact_agent_wins_nim_against_any_opponent_from_a_won_start() -> None:
    game = make_game("nim", stones=21, max_take=4)
    exact, random = make_agent("exact", game, seed=1), make_agent("random", game, seed=2)
    series = played(game, (exact, random), games=20, starting_player=1)
    assert {record.winner for record in series} == {1}


def test_two_exact_agents_draw_tic_tac_toe_and_black_wins_hexapawn() -> None:
    for name, winner in (("tic_tac_toe", DRAW), ("hexapawn", 2)):
        game = make_game(name)
        for seed in range(5):
            agents = (ExactAgent(game, seed=seed), ExactAgent(game, seed=seed + 9))
            assert play_game(game, agents).winner == winner


def test_all_best_moves_are_equally_likely() -> None:
    game = make_game("tic_tac_toe")
    agent = ExactAgent(game, seed=1)
    state = game.initial_state()
    drawn = Counter(agent.choose_action(state) for _ in range(180))
    assert set(drawn) == set(range(9)), "every first move draws"
    assert np.ptp(list(drawn.values())) < 30


def test_a_game_that_is_too_large_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    game = make_game("connect_four", rows=5, columns=8)
    monkeypatch.setattr(shared_judge(game)._solver, "limit", 500)
    with pytest.raises(AgentError, match="agent 'exact': exact play: expected a game of 500 "):
        make_agent("exact", game)


def test_hex_is_played_up_to_6x6() -> None:
    game = make_game("hex", size=6)
    agents = make_agent("exact", game, seed=1), make_agent("random", game, seed=2)
    assert play_game(game, agents).winner == 1
    with pytest.raises(AgentError, match=r"expected a size of 6 at most, got hex\(size=7\)"):
        make_agent("exact", make_game("hex", size=7))
