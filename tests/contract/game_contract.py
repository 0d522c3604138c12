"""What every game owes to the rest of the system, as one reusable set of tests.

A game's own test is a subclass of ``GameContract`` with a fixture ``game``, or a line in the list
of ``test_games.py``.
"""

import numpy as np
import pytest

from state_manager import (
    DRAW,
    GOES_ON,
    GameError,
    IllegalActionError,
    State,
    StateError,
    StateManager,
    make_game,
)
from tests.random_play import random_game

Game = tuple[list[State], list[int]]

ROLLOUTS = 1500
"""From each position and in each of the two ways."""
TOLERANCE = 4.5
"""Standard deviations; one fair comparison in 150,000 is further out, and the seeds are fixed."""


def flat_length(game: StateManager) -> int:
    rows, columns = game.board_shape
    return 1 + rows * columns


def play_uniformly(game: StateManager, state: State, rng: np.random.Generator) -> int:
    """Play to the end by the two basic rules, move by move."""
    state = state.copy()
    legal = np.empty(game.num_actions, np.int64)
    outcome = GOES_ON
    while outcome == GOES_ON:
        count = game.rules.legal_actions(state, legal)
        outcome = game.rules.play(state, legal[int(rng.random() * count)])
    return outcome


class GameContract:
    """The tests; a subclass supplies the fixture ``game``."""

    @pytest.fixture
    def plays(self, game: StateManager) -> list[Game]:
        """A few random games, begun by either player."""
        return [random_game(game, seed, 1 + seed % 2) for seed in range(4)]

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
            assert game.winner(states[-1]) in (1, 2, DRAW)
            assert game.is_final(states[-1])
            assert 1 <= len(actions) <= game.max_plies

    def test_players_take_turns(self, game: StateManager, plays: list[Game]) -> None:
        for states, _ in plays:
            for before, after in zip(states, states[1:], strict=False):
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

    def test_the_rule_that_plays_tells_the_outcome_that_the_state_has(
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

    def test_questions_leave_the_state_as_it_is(
        self, game: StateManager, plays: list[Game]
    ) -> None:
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

    def test_the_flat_form_is_the_beginning_of_the_state(
        self, game: StateManager, plays: list[Game]
    ) -> None:
        for state in (state for states, _ in plays for state in states):
            flat = game.to_flat(state)
            assert flat == state[: flat_length(game)].tolist()
            assert all(type(value) is int for value in flat)

    def test_the_flat_form_gives_back_the_state_to_the_byte(
        self, game: StateManager, plays: list[Game]
    ) -> None:
        for state in (state for states, _ in plays for state in states):
            again = game.from_flat(game.to_flat(state))
            assert again.dtype == state.dtype
            assert again.tobytes() == state.tobytes()

    def test_a_state_may_come_as_any_sequence_of_integers(
        self, game: StateManager, plays: list[Game]
    ) -> None:
        state = plays[0][0][0]
        spread_out = np.zeros(2 * len(state), np.int8)[::2]
        spread_out[:] = state
        read_only = np.frombuffer(state.tobytes(), np.int8)
        integers = state.tolist()
        for same in (integers, tuple(integers), state.astype(np.int64), spread_out, read_only):
            assert game.winner(same) == game.winner(state)
            assert np.array_equal(game.legal_actions(same), game.legal_actions(state))
            assert np.array_equal(game.observation(same), game.observation(state))
            assert np.array_equal(game.legal_mask([same]), game.legal_mask([state]))
        many = np.frombuffer(state.tobytes(), np.int8).reshape(1, -1)
        assert np.array_equal(game.observations(many)[0], game.observation(state))

    def test_active_features_are_unique_and_within_range(
        self, game: StateManager, plays: list[Game]
    ) -> None:
        indices = np.empty(game.num_features, np.int64)
        for state in (state for states, _ in plays for state in states):
            active = indices[: game.rules.active_features(state, indices)]
            assert len(set(active.tolist())) == len(active)
            assert active.min() >= 0
            assert active.max() < game.num_features

    def test_the_observation_is_one_at_the_active_features(
        self, game: StateManager, plays: list[Game]
    ) -> None:
        indices = np.empty(game.num_features, np.int64)
        for states, _ in plays:
            for state in states:
                active = indices[: game.rules.active_features(state, indices)]
                observation = game.observation(state)
                assert observation.dtype == np.float32
                assert observation.shape == (game.num_features,)
                assert np.flatnonzero(observation).tolist() == sorted(active.tolist())
                assert set(observation.tolist()) <= {0.0, 1.0}
            together = game.observations(states)
            assert np.array_equal(together, [game.observation(state) for state in states])

    def test_the_mover_is_the_first_two_features(
        self, game: StateManager, plays: list[Game]
    ) -> None:
        for state in (state for states, _ in plays for state in states):
            mover = [1.0, 0.0] if game.to_play(state) == 1 else [0.0, 1.0]
            assert game.observation(state)[:2].tolist() == mover

    def test_different_flat_forms_give_different_observations(
        self, game: StateManager, plays: list[Game]
    ) -> None:
        states = [state for states, _ in plays for state in states]
        flat_forms = {tuple(game.to_flat(state)) for state in states}
        assert len({game.observation(state).tobytes() for state in states}) == len(flat_forms)

    def test_the_legal_mask_marks_the_legal_actions(
        self, game: StateManager, plays: list[Game]
    ) -> None:
        for states, _ in plays:
            for state, mask in zip(states[:-1], game.legal_mask(states[:-1]), strict=True):
                assert np.flatnonzero(mask).tolist() == game.legal_actions(state).tolist()

    def test_symmetries_permute_features_and_actions(self, game: StateManager) -> None:
        for symmetry in game.symmetries:
            assert sorted(symmetry.features.tolist()) == list(range(game.num_features))
            assert sorted(symmetry.actions.tolist()) == list(range(game.num_actions))
            mover = [1, 0] if symmetry.swaps_players else [0, 1]
            assert symmetry.features[:2].tolist() == mover

    def test_symmetries_differ_from_each_other_and_from_doing_nothing(
        self, game: StateManager
    ) -> None:
        ways = {(np.arange(game.num_features).tobytes(), np.arange(game.num_actions).tobytes())}
        ways |= {(each.features.tobytes(), each.actions.tobytes()) for each in game.symmetries}
        assert len(ways) == 1 + len(game.symmetries)

    def test_the_image_of_a_game_is_a_game(self, game: StateManager, plays: list[Game]) -> None:
        """Observation, legal actions and outcome of the image are the images of the original's."""
        for symmetry in game.symmetries:
            for states, actions in plays:
                first = game.to_play(states[0])
                image = game.initial_state(3 - first if symmetry.swaps_players else first)
                for ply, state in enumerate(states):
                    assert np.array_equal(
                        game.observation(image)[symmetry.features], game.observation(state)
                    )
                    legal = symmetry.actions[game.legal_actions(state)]
                    assert sorted(legal.tolist()) == game.legal_actions(image).tolist()
                    winner = game.winner(state)
                    swapped = symmetry.swaps_players and winner in (1, 2)
                    assert game.winner(image) == (3 - winner if swapped else winner)
                    if ply < len(actions):
                        image = game.child_state(image, int(symmetry.actions[actions[ply]]))

    def test_the_colour_swap_is_a_symmetry_that_swaps_players(self, game: StateManager) -> None:
        swap = game.colour_swap
        if swap is None:
            assert not any(symmetry.swaps_players for symmetry in game.symmetries)
        else:
            assert swap.swaps_players
            assert any(swap is symmetry for symmetry in game.symmetries)

    def test_action_names_are_read_back(self, game: StateManager) -> None:
        names = [game.action_name(action) for action in range(game.num_actions)]
        assert len(set(names)) == game.num_actions
        assert [game.parse_action(name) for name in names] == list(range(game.num_actions))
        assert [game.parse_action(f"  {name} ") for name in names[:3]] == [0, 1, 2][: len(names)]

    @pytest.mark.parametrize("words", ["", " ", "pass", "-1", "1e3", "999 999", "\n", "(,)", "²"])
    def test_words_that_name_no_action_are_refused(self, game: StateManager, words: str) -> None:
        with pytest.raises(IllegalActionError) as caught:
            game.parse_action(words)
        assert repr(words) in str(caught.value)

    def test_an_illegal_action_is_refused_with_the_board(
        self, game: StateManager, plays: list[Game]
    ) -> None:
        for states, _ in plays[:2]:
            for state in states[:: max(1, len(states) // 8)]:
                illegal = set(range(game.num_actions)) - set(game.legal_actions(state).tolist())
                for action in sorted(illegal)[:3]:
                    with pytest.raises(IllegalActionError) as caught:
                        game.child_state(state, action)
                    assert game.text(state) in str(caught.value)

    def test_what_is_no_action_is_refused_with_the_board(self, game: StateManager) -> None:
        state = game.initial_state()
        for action in (-1, game.num_actions, 10**30, None, "0", 0.0, [0], (0,)):
            with pytest.raises(IllegalActionError) as caught:
                game.child_state(state, action)  # type: ignore[arg-type]
            assert game.text(state) in str(caught.value)
            assert repr(action) in str(caught.value)

    def test_nothing_can_be_played_when_the_game_is_over(
        self, game: StateManager, plays: list[Game]
    ) -> None:
        for states, _ in plays:
            for action in range(min(game.num_actions, 10)):
                with pytest.raises(IllegalActionError, match="is over") as caught:
                    game.child_state(states[-1], action)
                assert game.text(states[-1]) in str(caught.value)

    def test_a_state_of_wrong_length_is_refused(self, game: StateManager) -> None:
        state = game.initial_state()
        wrong = [state[:-1], np.append(state, np.int8(0)), state[:0], state.reshape(1, -1)]
        for each in wrong:
            for ask in (game.winner, game.legal_actions, game.observation, game.to_flat):
                with pytest.raises(StateError, match=f"{game.name} state of {len(state)}"):
                    ask(each)

    def test_a_state_of_other_things_than_integers_is_refused(self, game: StateManager) -> None:
        state = game.initial_state()
        wrong: list[object] = [None, "state", ["1"] * len(state), state.astype(float)]
        for each in wrong:
            with pytest.raises(StateError, match="integers"):
                game.winner(each)  # type: ignore[arg-type]

    def test_many_states_of_wrong_length_are_refused(self, game: StateManager) -> None:
        state = game.initial_state()
        for wrong in (state, [state[:-1]], np.zeros((2, len(state) + 1), np.int8)):
            for ask in (game.observations, game.legal_mask):
                with pytest.raises(StateError, match=f"{game.name} states of {len(state)}"):
                    ask(wrong)

    @pytest.mark.parametrize("mover", [0, 3, -1, 257])
    def test_a_wrong_mover_is_refused_with_the_board(self, game: StateManager, mover: int) -> None:
        wrong = game.initial_state().astype(np.int64)
        wrong[0] = mover
        with pytest.raises(StateError, match=f"player 1 or 2 to move, got {mover} ") as caught:
            game.winner(wrong)  # type: ignore[arg-type]
        assert game.text(wrong) in str(caught.value)  # type: ignore[arg-type]

    @pytest.mark.parametrize("value", [3, -1, 127, 256, 257, 10**6])
    def test_a_wrong_cell_is_refused_with_the_board(self, game: StateManager, value: int) -> None:
        wrong = game.initial_state().astype(np.int64)
        wrong[flat_length(game) - 1] = value
        for ask in (game.winner, game.legal_actions, game.observation):
            with pytest.raises(StateError, match="in every cell") as caught:
                ask(wrong)
            assert game.text(wrong) in str(caught.value)  # type: ignore[arg-type]

    def test_a_wrong_flat_form_is_refused(self, game: StateManager) -> None:
        flat = game.to_flat(game.initial_state())
        wrong: list[object] = [
            flat[:-1],
            [*flat, 0],
            [],
            [0, *flat[1:]],
            [3, *flat[1:]],
            [*flat[:-1], 3],
            [*flat[:-1], -1],
            [*flat[:-1], 256],
            [*flat[:-1], 0.5],
            [*flat[:-1], None],
            None,
            "flat",
        ]
        for each in wrong:
            with pytest.raises(StateError) as caught:
                game.from_flat(each)  # type: ignore[arg-type]
            assert repr(each) in str(caught.value)

    @pytest.mark.parametrize("player", [0, 3, None, "1"])
    def test_a_wrong_starting_player_is_refused(self, game: StateManager, player: object) -> None:
        with pytest.raises(StateError, match="starting player 1 or 2"):
            game.initial_state(player)  # type: ignore[arg-type]

    def test_all_errors_are_value_errors(self, game: StateManager) -> None:
        assert issubclass(IllegalActionError, GameError)
        assert issubclass(StateError, GameError)
        with pytest.raises(ValueError, match="expected"):
            game.child_state(game.initial_state(), -1)

    def test_the_winning_path_holds_stones_of_the_winner(
        self, game: StateManager, plays: list[Game]
    ) -> None:
        for states, _ in plays:
            path = game.winning_path(states[-1])
            assert len(set(path)) == len(path)
            assert all(states[-1][1 + cell] == game.winner(states[-1]) for cell in path)
            assert game.winning_path(states[0]) == []

    def test_fast_rollouts_win_as_often_as_uniform_play_move_by_move(
        self, game: StateManager, plays: list[Game]
    ) -> None:
        if game.rules.uniform_rollout is None:
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
