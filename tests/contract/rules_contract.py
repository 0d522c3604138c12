"""The contract, part 1: states, moves and outcomes."""

from itertools import pairwise

import numpy as np
import pytest

from state_manager import DRAW, GOES_ON, State, StateManager, make_game
from state_manager.rules import no_uniform_rollout, no_winning_actions
from state_manager.successors import wins_at_once
from tests.contract.random_games import Game, flat_length

ROLLOUTS = 1500
"""From each position, with each of the two kinds of play."""
TOLERANCE = 4.5
"""Standard deviations; one fair comparison in 150,000 is further out, and the seeds are fixed."""


def play_uniformly(game: StateManager, state: State, rng: np.random.Generator) -> int:
    """Play to the end by the two basic rules, move by move."""
    state = state.copy()
    legal = np.empty(game.num_actions, np.int64)
    outcome = GOES_ON
    while outcome == GOES_ON:
        count = game.rules.legal_actions(state, legal)
        outcome = game.rules.play(state, legal[int(rng.random() * count)])
    return outcome


def winning(game: StateManager, state: State, player: int) -> list[int]:
    """Return the actions that the rule lists."""
    actions = np.empty(game.num_actions, np.int64)
    count = game.rules.winning_actions(state, player, actions)
    return [int(action) for action in actions[:count]]


class RulesContract:
    """A game can be played, with its methods or with its rules, and ends."""

    def test_a_game_is_made_again_from_its_name_and_parameters(self, game: StateManager) -> None:
        again = make_game(game.name, **game.params)
        assert again == game
        assert hash(again) == hash(game)
        assert game.name in repr(game)
        assert all(f"{key}=" in repr(game) for key in game.params)

    def test_the_starting_player_is_the_first_to_move(self, game: StateManager) -> None:
        for player in (1, 2):
            state = game.initial_state(player)
            assert game.to_play(state) == state[0] == player
            assert not game.is_final(state)
        assert np.array_equal(game.initial_state(1)[1:], game.initial_state(2)[1:])

    def test_states_are_contiguous_int8_of_one_length(
        self, game: StateManager, plays: list[Game]
    ) -> None:
        for state in (state for states, _ in plays for state in states):
            assert state.dtype == np.int8
            assert state.shape == (game.state_length,)
            assert state.flags.c_contiguous
            assert set(state[: flat_length(game)].tolist()) <= {0, 1, 2}

    def test_a_game_goes_on_until_its_last_state_and_then_has_one_outcome(
        self, game: StateManager, plays: list[Game]
    ) -> None:
        for states, actions in plays:
            assert all(game.winner(state) == GOES_ON for state in states[:-1])
            assert not any(game.is_final(state) for state in states[:-1])
            assert game.winner(states[-1]) in ((1, 2, DRAW) if game.may_be_drawn else (1, 2))
            assert game.is_final(states[-1])
            assert 1 <= len(actions) <= game.max_plies

    def test_players_take_turns(self, game: StateManager, plays: list[Game]) -> None:
        for states, _ in plays:
            for before, after in pairwise(states):
                assert game.to_play(after) == 3 - game.to_play(before)

    def test_legal_actions_ascend_until_the_end_and_then_there_are_none(
        self, game: StateManager, plays: list[Game]
    ) -> None:
        for states, actions in plays:
            for state, action in zip(states, actions, strict=False):
                legal = game.legal_actions(state)
                assert legal.dtype == np.int64
                assert action in legal
                assert np.all(np.diff(legal) > 0)
                assert 0 <= legal[0] <= legal[-1] < game.num_actions
            assert len(game.legal_actions(states[-1])) == 0

    def test_the_rule_that_plays_returns_the_outcome_of_the_state(
        self, game: StateManager, plays: list[Game]
    ) -> None:
        for states, actions in plays:
            state = states[0].copy()
            for action, after in zip(actions, states[1:], strict=True):
                assert game.rules.play(state, action) == game.winner(after)
                assert np.array_equal(state, after)

    def test_children_are_new_states_and_leave_their_parent_as_it_is(
        self, game: StateManager, plays: list[Game]
    ) -> None:
        states, _ = plays[0]
        for parent in [*states[:: max(1, len(states) // 8)], states[-1]]:
            before = parent.tobytes()
            children = game.children(parent)
            assert [action for action, _ in children] == game.legal_actions(parent).tolist()
            for action, child in children:
                assert not np.shares_memory(child, parent)
                assert np.array_equal(child, game.child_state(parent, action))
                child[:] = 0
            assert parent.tobytes() == before

    def test_queries_leave_the_state_unchanged(self, game: StateManager, plays: list[Game]) -> None:
        for state in (state for states, _ in plays for state in states[-2:]):
            before = state.tobytes()
            game.legal_actions(state)
            game.winner(state)
            game.observation(state)
            game.text(state)
            game.winning_path(state)
            flat = game.to_flat(state)
            game.from_flat(flat)
            assert state.tobytes() == before

    def test_two_initial_states_share_nothing(self, game: StateManager) -> None:
        first, second = game.initial_state(), game.initial_state()
        first[:] = 0
        assert np.array_equal(second, game.initial_state())

    def test_winning_actions_are_those_that_win_at_once(
        self, game: StateManager, plays: list[Game]
    ) -> None:
        if game.rules.winning_actions is no_winning_actions:
            pytest.skip("the game does not list them")
        for states, _ in plays:
            won = [len(winning(game, state, int(state[0]))) > 0 for state in states[-8:-1]]
            assert wins_at_once(game, np.array(states[-8:-1])).tolist() == won
            for state in states[-8:-1]:
                before = state.tobytes()
                for player in (1, 2):
                    turned = state.copy()
                    turned[0] = player
                    children = game.children(turned)
                    winners = [action for action, child in children if game.winner(child) == player]
                    assert winning(game, state, player) == winners
                assert state.tobytes() == before

    def test_a_winning_action_is_prevented_by_the_same_action_alone(
        self, game: StateManager, plays: list[Game]
    ) -> None:
        if game.rules.winning_actions is no_winning_actions:
            pytest.skip("the game does not list them")
        for states, _ in plays:
            for state in states[-4:-1]:
                other = 3 - game.to_play(state)
                threats = set(winning(game, state, other))
                for action, child in game.children(state):
                    if not game.is_final(child):
                        assert set(winning(game, child, other)) >= threats - {action}

    def test_fast_rollouts_win_as_often_as_uniform_play_move_by_move(
        self, game: StateManager, plays: list[Game]
    ) -> None:
        if game.rules.uniform_rollout is no_uniform_rollout:
            pytest.skip("the game offers no fast rollout")
        rng = np.random.default_rng(1)
        for states, _ in plays[:2]:
            quarter, last = len(states) // 4, len(states) - 2
            for state in (states[0], states[quarter], states[quarter + 1], states[last]):
                fast = [game.rules.uniform_rollout(state.copy(), rng) for _ in range(ROLLOUTS)]
                slow = [play_uniformly(game, state, rng) for _ in range(ROLLOUTS)]
                assert set(fast) | set(slow) <= {1, 2, DRAW}
                for outcome in (1, 2, DRAW):
                    difference = fast.count(outcome) - slow.count(outcome)
                    share = (fast.count(outcome) + slow.count(outcome)) / (2 * ROLLOUTS)
                    spread = (2 * ROLLOUTS * share * (1 - share)) ** 0.5
                    assert abs(difference) <= TOLERANCE * spread
