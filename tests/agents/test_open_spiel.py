"""OpenSpiel's search as an agent; its rules agree with those of the games."""

import sys
from typing import Any

import numpy as np
import pytest

from agents import AgentError, chosen_action, make_agent, parse_agent, searches
from agents.open_spiel import actions_there, line_to, open_spiel_game
from base.params import GameParams, Params, Section
from state_manager import DRAW, StateManager, make_game

pytest.importorskip("pyspiel")

GAMES = (
    make_game("hex", size=4),
    make_game("hex", size=4, swap=True),
    make_game("tic_tac_toe"),
    make_game("connect_four", rows=5, columns=4),
)


@pytest.fixture(params=GAMES, ids=repr)
def game(request: pytest.FixtureRequest) -> StateManager:
    found: StateManager = request.param
    return found


def test_the_rules_agree_in_random_games(game: StateManager) -> None:
    spiel_game, rng = open_spiel_game(game), np.random.default_rng(1)
    outcomes = {(1.0, -1.0): 1, (-1.0, 1.0): 2, (0.0, 0.0): DRAW}
    numbers = np.empty(game.num_actions, np.int64)
    for number in range(200):
        start = 1 + number % 2
        state, spiel = game.initial_state(start), spiel_game.new_initial_state()
        there, outcome = actions_there(game, state), 0
        while outcome == 0:
            actions = numbers[: game.rules.legal_actions(state, numbers)]
            assert sorted(there[actions].tolist()) == spiel.legal_actions()
            action = int(rng.choice(actions))
            outcome = game.rules.play(state, action)
            spiel.apply_action(int(there[action]))
            assert spiel.is_terminal() == (outcome != 0)
        theirs = outcomes[tuple(spiel.returns())]
        assert (theirs if start == 1 or theirs == DRAW else 3 - theirs) == outcome


@pytest.mark.parametrize("start", [1, 2])
def test_a_line_leads_to_any_state_of_a_game(game: StateManager, start: int) -> None:
    rng = np.random.default_rng(start)
    for _ in range(10):
        state = game.initial_state(start)
        while not game.is_final(state):
            line, mover = line_to(game, state), game.to_play(state)
            again = game.initial_state(mover if len(line) % 2 == 0 else 3 - mover)
            for action in line:
                again = game.child_state(again, action)
            assert np.array_equal(again, state)
            state = game.child_state(state, int(rng.choice(game.legal_actions(state))))


@pytest.mark.parametrize("start", [1, 2])
def test_openspiels_search_takes_over_a_strong_stone_and_plays_on(start: int) -> None:
    game = make_game("hex", size=3, swap=True)
    agent = make_agent("openspiel:simulations=2000", game, seed=1)
    state = game.child_state(game.initial_state(start), game.parse_action("b2"))
    assert agent.choose_action(state) == game.swap_action
    state = game.child_state(state, 9)
    while not game.is_final(state):
        state = game.child_state(state, chosen_action(agent, state))
    assert game.winner(state) == 3 - start


@pytest.mark.parametrize("player", [1, 2])
@pytest.mark.parametrize(
    ("name", "board", "winning"),
    [
        ("hex", "1 2 2 1 2 0 0 0 0", {6}),
        ("tic_tac_toe", "1 2 0 1 2 0 0 0 0", {6}),
        ("connect_four", "0 0 0 0 1 2 0 0 1 2 0 0 1 2 0 0", {0}),
    ],
)
def test_openspiels_search_wins_in_one_move_with_either_colour(
    name: str, board: str, winning: set[int], player: int
) -> None:
    options = {"hex": {"size": 3}, "connect_four": {"rows": 4, "columns": 4}}.get(name, {})
    game = make_game(name, **options)
    cells = np.array([int(word) for word in board.split()]).reshape(game.board_shape)
    if player == 2:  # the image under the colour swap
        cells = (3 - (cells.T if name == "hex" else cells)) % 3
        winning = {2} if name == "hex" else winning
    state = game.from_flat([player, *cells.reshape(-1)])
    agent: Any = make_agent("openspiel:simulations=500", game, seed=1)
    assert agent.choose_action(state) in winning
    assert agent.simulations_run == 500
    assert agent.thought.value == (1 if player == 1 else -1)


def test_openspiels_search_accepts_simulations_and_a_time_limit() -> None:
    assert searches(parse_agent("openspiel"))
    game = make_game("hex", size=3)
    agent = make_agent("openspiel:time_limit=0.02,simulations=10000000", game)
    assert agent.choose_action(game.initial_state(2)) in range(9)
    assert 1 <= agent.simulations_run < 10_000_000
    usual = Params(game=GameParams(name="hex", options=Section()))
    assert usual.play.time_limit is not None
    agent = make_agent("openspiel:simulations=20", game, defaults=usual)
    agent.choose_action(game.initial_state())
    assert agent.simulations_run == 20, "its clock would have gone on"


def test_what_openspiel_cannot_play_is_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(AgentError, match=r"^agent 'openspiel': expected a game of hex, .* got nim"):
        make_agent("openspiel", make_game("nim"))
    game = make_game("hex", size=3)
    state = game.from_flat([1, 1, 1, 1, 0, 0, 0, 0, 0, 0])
    with pytest.raises(AgentError, match="expected a position that a game leads to"):
        make_agent("openspiel", game).choose_action(state)
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(AgentError, match=r"the package open_spiel is missing; pip install"):
        make_agent("openspiel", game)
