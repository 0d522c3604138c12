"""The contract, part 2: a state in other forms, and the words for actions."""

from typing import Any

import numpy as np

from state_manager import StateManager
from tests.contract.random_games import Game, flat_length


class ViewsContract:
    """Flat forms, the net's input, symmetries, names and paths agree with the state."""

    def test_the_flat_form_is_the_beginning_of_the_state(
        self, game: StateManager, plays: list[Game]
    ) -> None:
        for state in (state for states, _ in plays for state in states):
            flat = game.to_flat(state)
            assert flat == state[: flat_length(game)].tolist()
            assert all(type(value) is int for value in flat)

    def test_the_flat_form_restores_the_state_to_the_byte(
        self, game: StateManager, plays: list[Game]
    ) -> None:
        for state in (state for states, _ in plays for state in states):
            again = game.from_flat(game.to_flat(state))
            assert again.dtype == state.dtype
            assert again.tobytes() == state.tobytes()

    def test_many_flat_forms_give_many_states_and_their_winners(
        self, game: StateManager, plays: list[Game]
    ) -> None:
        states = np.array([state for states, _ in plays for state in states])
        flats = np.array([game.to_flat(state) for state in states])
        again = game.from_flat(flats)
        assert again.dtype == np.int8
        assert again.tobytes() == states.tobytes()
        assert game.from_flat(flats.tolist()).tobytes() == states.tobytes()
        assert game.winners(states).tolist() == [game.winner(state) for state in states]
        assert game.checked_batch(states.astype(np.int64)).tobytes() == states.tobytes()

    def test_a_state_may_come_as_any_sequence_of_integers(
        self, game: StateManager, plays: list[Game]
    ) -> None:
        state = plays[0][0][0]
        spread_out = np.zeros(2 * len(state), np.int8)[::2]
        spread_out[:] = state
        read_only = np.frombuffer(state.tobytes(), np.int8)
        integers = state.tolist()
        given: list[Any] = [integers, tuple(integers), state.astype(np.int64), spread_out]
        for same in [*given, read_only]:
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

    def test_a_game_that_only_adds_pieces_changes_nothing_else(
        self, game: StateManager, plays: list[Game]
    ) -> None:
        for states, actions in plays if game.only_adds else ():
            for state, action, child in zip(states, actions, states[1:], strict=False):
                piece = 2 + (game.to_play(state) - 1) * game.num_actions + action
                gained = game.observation(child) - game.observation(state)
                assert np.flatnonzero(gained[2:]).tolist() == [piece - 2]
                assert gained[piece] == 1
                left = game.legal_actions(state).tolist()
                left.remove(action)
                assert game.is_final(child) or game.legal_actions(child).tolist() == left

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

    def test_piece_planes_hold_the_cells_and_nothing_else(self, game: StateManager) -> None:
        rows, columns = game.board_shape
        if game.has_piece_planes:
            assert game.num_features == 2 + 2 * rows * columns + (game.swap_action is not None)
        else:
            assert game.edge_owners == (0, 0, 0, 0)

    def test_symmetries_turn_edges_into_edges_and_keep_their_owners(
        self, game: StateManager
    ) -> None:
        rows, columns = game.board_shape
        if not game.has_piece_planes:
            return
        grid = np.arange(rows * columns).reshape(rows, columns)
        edges = (grid[0], grid[-1], grid[:, 0], grid[:, -1])
        owner_of = dict(zip(map(frozenset, edges), game.edge_owners, strict=True))
        for symmetry in game.symmetries:
            cells = (symmetry.features[2 : 2 + 2 * rows * columns] - 2) % (rows * columns)
            for edge, owner in owner_of.items():
                image = frozenset(int(cells[cell]) for cell in edge)
                swapped = symmetry.swaps_players and owner
                assert owner_of[image] == (3 - owner if swapped else owner)

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

    def test_action_names_are_parsed_back(self, game: StateManager) -> None:
        names = [game.action_name(action) for action in range(game.num_actions)]
        assert len(set(names)) == game.num_actions
        assert [game.parse_action(name) for name in names] == list(range(game.num_actions))
        assert [game.parse_action(f"  {name} ") for name in names[:3]] == [0, 1, 2][: len(names)]

    def test_the_winning_path_holds_stones_of_the_winner(
        self, game: StateManager, plays: list[Game]
    ) -> None:
        for states, _ in plays:
            path = game.winning_path(states[-1])
            assert len(set(path)) == len(path)
            assert all(states[-1][1 + cell] == game.winner(states[-1]) for cell in path)
            assert game.winning_path(states[0]) == []
