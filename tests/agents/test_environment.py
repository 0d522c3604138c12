"""The games as PettingZoo environments: its tests pass, and the rules are those of the games."""

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test

from agents.environment import Environment
from state_manager import IllegalActionError, StateManager, make_game
from state_manager.games import GAMES
from tests.random_play import random_game

SMALL = {"hex": {"size": 3}, "nim": {"stones": 9}, "connect_four": {"rows": 4, "columns": 4}}


@pytest.fixture(params=GAMES)
def game(request: pytest.FixtureRequest) -> StateManager:
    return make_game(request.param, **SMALL.get(request.param, {}))


# It warns of names that its own games do not follow either, and of the form of pictures.
@pytest.mark.filterwarnings("ignore:.*:UserWarning")
def test_the_tests_of_pettingzoo_pass(game: StateManager) -> None:
    api_test(Environment(game), num_cycles=100)
    seed_test(lambda: Environment(game), num_cycles=50)


@pytest.mark.parametrize("starting_player", [1, 2])
def test_a_game_follows_the_rules_to_its_end(game: StateManager, starting_player: int) -> None:
    environment = Environment(game)
    for seed in range(5):
        states, actions = random_game(game, seed, starting_player)
        environment.reset(options={"starting_player": starting_player})
        for state, action in zip(states, actions, strict=False):
            assert environment.agent_selection == f"player_{state[0]}"
            seen, reward, ended, *_ = environment.last()
            assert np.array_equal(seen["observation"], game.observation(state))
            legal = np.flatnonzero(seen["action_mask"]).tolist()
            assert legal == game.legal_actions(state).tolist()
            assert (reward, ended) == (0, False)
            environment.step(action)
        winner = game.winner(states[-1])
        rewards = {}
        for player in environment.agent_iter():
            _, rewards[player], ended, *_ = environment.last()
            assert ended
            environment.step(None)
        won = {1: (1, -1), 2: (-1, 1), 3: (0, 0)}[winner]
        assert rewards == {"player_1": won[0], "player_2": won[1]}


def test_an_illegal_action_is_refused_and_changes_nothing() -> None:
    environment = Environment(make_game("hex", size=3))
    environment.step(4)
    with pytest.raises(IllegalActionError):
        environment.step(4)
    assert environment.agent_selection == "player_2"
    environment.step(0)


def test_a_board_is_shown_as_text(game: StateManager, capsys: pytest.CaptureFixture[str]) -> None:
    def make(render_mode: str | None = None) -> Environment:
        return Environment(game, render_mode)

    text = {"ansi": lambda rendered: isinstance(rendered, str)}
    render_test(make, custom_tests=text)
    capsys.readouterr()
    shown, returned = make("human"), make("ansi")
    empty, action = game.text(shown.position), int(game.legal_actions(shown.position)[0])
    for each in (shown, returned):
        each.step(action)
    board = game.text(shown.position)
    assert (shown.render(), returned.render()) == (None, board)
    assert capsys.readouterr().out == f"{empty}\n\n{board}\n\n{board}\n\n"
    with pytest.warns(UserWarning, match="expected a render_mode"):
        assert make().render() is None
    with pytest.raises(ValueError, match="expected render_mode ansi or human, got 'rgb_array'"):
        make("rgb_array")
