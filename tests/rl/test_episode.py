"""Episodes: their cases and critic's targets, and what observers see of a finished game."""

import numpy as np
import pytest

from rl.episode import Episode, GameArrays
from state_manager import StateManager, make_game
from tests.random_play import random_game
from tests.rl.conftest import GUMBEL, Recorder, make_system

BOOTSTRAPPED = make_system(*GUMBEL, "rl.discount=0.9").params
CLEAN = make_system(*GUMBEL, "rl.discount=0.9", "rl.clean_values=true").params


def episode_after(
    game: StateManager, actions: list[int], winner: int, first_searched: int = 0, first: int = 1
) -> Episode:
    """Return an episode with uniform distributions, and values of 0.2, 0.4, 0.8, ..."""
    states = [game.initial_state(first)]
    for action in actions:
        states.append(game.child_state(states[-1], action))
    count = len(actions) - first_searched
    arrays = GameArrays(
        states=np.stack(states),
        actions=np.array(actions),
        distributions=np.full((count, game.num_actions), 1 / game.num_actions),
        values=np.array([0.2 * 2.0**n for n in range(count)]),
        explored=np.zeros(count, np.bool_),
        surprises=np.zeros(count),
        lost=np.zeros(count, np.bool_),
    )
    return Episode(1, winner, arrays, first_searched, simulations=0, search_seconds=0.0)


def hex_episode(winner: int) -> Episode:
    return episode_after(make_game("hex", size=3), [0, 1, 2], winner)


@pytest.mark.parametrize("first", [0, 2])
@pytest.mark.parametrize(("winner", "outcome"), [(1, 1.0), (2, -1.0), (3, 0.0)])
def test_targets_are_the_movers_discounted_outcome(winner: int, outcome: float, first: int) -> None:
    game = make_game("nim", stones=9, max_take=3)
    states, actions = random_game(game, seed=1, starting_player=2)
    episode = episode_after(game, list(actions), winner, first, first=2)
    cases = episode.cases(make_system("rl.discount=0.9", "rl.bootstrap=0.5").params)
    assert len(cases) == len(actions) - first
    for ply, (state, value) in enumerate(zip(cases.states, cases.values, strict=True), first):
        seen_by_mover = outcome * (1 if states[ply][0] == 1 else -1)
        assert value == pytest.approx(seen_by_mover * 0.9 ** (len(actions) - ply))
        assert np.array_equal(state, states[ply])
    plain = episode.cases(make_system().params)
    assert {*plain.values} <= ({0.0} if winner == 3 else {1.0, -1.0})


def test_a_bootstrapped_target_mixes_the_search_and_the_next_target() -> None:
    for explored, winner, expected in (
        # From the end: 0.5 * 0.8 + 0.5 * 0.9 * 1; -> its opponent; and so on.
        ([False, False, False], 1, [0.5 * 0.2 + 0.45 * 0.58250, -0.58250, 0.85]),
        ([False, True, False], 1, [0.5 * 0.2 + 0.45 * 0.4, -0.4, 0.85]),
        ([False, False, True], 2, [0.5 * 0.2 + 0.45 * 0.56, -0.56, 0.8]),
        ([False, False, False], 2, [0.5 * 0.2 + 0.45 * 0.1775, -0.1775, -0.05]),
        ([False, False, False], 3, [0.5 * 0.2 + 0.45 * 0.38, -0.38, 0.4]),
    ):
        episode = hex_episode(winner)
        episode.arrays.explored[:] = explored
        assert episode.cases(BOOTSTRAPPED).values == pytest.approx(expected)


def test_clean_values_are_those_after_all_explored_moves() -> None:
    episode = hex_episode(1)
    for explored, known in (([False] * 3, 3), ([True, False, False], 2), ([True, False, True], 0)):
        episode.arrays.explored[:] = explored
        others, clean = episode.cases(BOOTSTRAPPED).values, episode.cases(CLEAN).values
        assert np.isnan(clean[: 3 - known]).all()
        assert np.array_equal(clean[3 - known :], others[3 - known :])


def test_a_lost_position_is_a_case_for_the_value_alone() -> None:
    episode = hex_episode(1)
    episode.arrays.lost[1] = True
    assert episode.cases(BOOTSTRAPPED).weights.tolist() == [1.0, 0.0, 1.0]


def test_surprising_positions_weigh_more() -> None:
    episode, game = hex_episode(1), make_system(*GUMBEL, "rl.surprise=0.5").params
    episode.arrays.lost[1] = True
    for surprises, expected in (
        ([0.1, 9.0, 0.3], [0.5 + 0.5 * 0.5, 0.0, 0.5 + 0.5 * 1.5]),
        ([0.0, 9.0, 0.0], [1.0, 0.0, 1.0]),
    ):
        episode.arrays.surprises[:] = surprises
        assert episode.cases(game).weights == pytest.approx(expected)
        assert episode.cases(BOOTSTRAPPED).weights.tolist() == [1.0, 0.0, 1.0]


def test_a_finished_game_is_shown_with_the_thoughts_of_its_moves() -> None:
    recorder = Recorder()
    episode = episode_after(make_game("hex", size=3), [0, 1], winner=1, first_searched=1)
    episode.show([recorder], "MCTS", "a game")
    assert [thought and thought.value for thought in recorder.thoughts] == [None, 0.2]
