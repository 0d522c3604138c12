"""The contract, part 3: refusals, whose messages show the board."""

from typing import Any

import numpy as np
import pytest

from base.storage import excerpt
from state_manager import GameError, IllegalActionError, StateError, StateManager
from tests.contract.random_games import Game, flat_length


class ErrorsContract:
    """The functions that read input refuse everything outside the rules."""

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

    def test_an_invalid_action_is_refused_with_the_board(self, game: StateManager) -> None:
        state = game.initial_state()
        for action in (-1, game.num_actions, 10**30, None, "?", 0.0, [0], (0,)):
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

    def test_a_state_of_other_types_than_integers_is_refused(self, game: StateManager) -> None:
        state = game.initial_state()
        wrong: list[object] = [None, "state", ["1"] * len(state), state.astype(float), [1, []]]
        for each in wrong:
            with pytest.raises(StateError, match="integers"):
                game.winner(each)  # type: ignore[arg-type]

    def test_many_states_of_wrong_length_are_refused(self, game: StateManager) -> None:
        state = game.initial_state()
        for wrong in (state, [state[:-1]], [[1], []], np.zeros((2, len(state) + 1), np.int8)):
            for ask in (game.observations, game.legal_mask):
                with pytest.raises(StateError, match=f"{game.name} states of {len(state)}"):
                    ask(wrong)

    @pytest.mark.parametrize("mover", [0, 3, -1, 257])
    def test_a_wrong_mover_is_refused_with_the_board(self, game: StateManager, mover: int) -> None:
        wrong: Any = game.initial_state().astype(np.int64)
        wrong[0] = mover
        with pytest.raises(StateError, match=f"player 1 or 2 to move, got {mover} ") as caught:
            game.winner(wrong)
        assert game.text(wrong) in str(caught.value)

    @pytest.mark.parametrize("value", [3, -1, 127, 256, 257, 10**6])
    def test_a_wrong_cell_is_refused_with_the_board(self, game: StateManager, value: int) -> None:
        wrong: Any = game.initial_state().astype(np.int64)
        wrong[flat_length(game) - 1] = value
        for ask in (game.winner, game.legal_actions, game.observation):
            with pytest.raises(StateError, match="in every cell") as caught:
                ask(wrong)
            assert game.text(wrong) in str(caught.value)

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
            [*flat[:-1], []],
            [*flat[:-1], 10**5000],
            [[]] * 100_000,
            None,
            "flat",
        ]
        for each in wrong:
            with pytest.raises(StateError) as caught:
                game.from_flat(each)  # type: ignore[arg-type]
            assert excerpt(each) in str(caught.value)
            assert len(str(caught.value)) < 500
            assert str(caught.value).isprintable()

    def test_the_first_wrong_one_of_many_is_named(
        self, game: StateManager, plays: list[Game]
    ) -> None:
        states = np.array([state for states, _ in plays for state in states], np.int64)
        flats = states[:, : flat_length(game)].copy()
        for place, wrong in ((0, 3), (1, 256), (flats.shape[1] - 1, -1)):
            rows = flats.copy()
            rows[1:, place] = wrong
            with pytest.raises(StateError) as caught:
                game.from_flat(rows)
            assert excerpt(rows[1].tolist()) in str(caught.value)
            rows = states.copy()
            rows[1:, place] = wrong
            with pytest.raises(StateError) as caught:
                game.checked_batch(rows)
            with pytest.raises(StateError) as one:
                game.checked(rows[1])
            assert str(caught.value) == str(one.value)

    @pytest.mark.parametrize("player", [0, 3, None, "1"])
    def test_a_wrong_starting_player_is_refused(self, game: StateManager, player: object) -> None:
        with pytest.raises(StateError, match="starting player 1 or 2"):
            game.initial_state(player)  # type: ignore[arg-type]

    def test_all_errors_are_value_errors(self, game: StateManager) -> None:
        assert issubclass(IllegalActionError, GameError)
        assert issubclass(StateError, GameError)
        with pytest.raises(ValueError, match="expected"):
            game.child_state(game.initial_state(), -1)
