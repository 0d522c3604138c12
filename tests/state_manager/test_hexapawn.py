"""Hexapawn by example, against a slow twin, as in the article, and played perfectly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state_manager import GOES_ON, State, make_game
from state_manager.hexapawn import MOVES
from tests.state_manager import naive_grids as naive

GAME = make_game("hexapawn")
START = "B B B/. . ./W W W"


def position(text: str, to_play: int) -> State:
    return GAME.from_flat(naive.flat(naive.drawn(text), to_play))


@given(st.lists(st.floats(0, 0.999), min_size=8, max_size=8), st.sampled_from([1, 2]))
def test_every_game_equals_the_twins_game(choices: list[float], starting_player: int) -> None:
    state, board = GAME.initial_state(starting_player), naive.drawn(START)
    for choice in choices:
        mover = GAME.to_play(state)
        expected = {(3 * a + b, 3 * c + d) for (a, b), (c, d) in naive.pawn_moves(board, mover)}
        legal = GAME.legal_actions(state).tolist()
        assert {MOVES[action] for action in legal} == expected
        assert len(legal) == len(expected)
        action = legal[int(choice * len(legal))]
        start, target = (divmod(cell, 3) for cell in MOVES[action])
        board = naive.move_pawn(board, (start, target))
        outcome = GAME.rules.play(state, action)
        assert naive.board_of(state, 3, 3) == board
        assert GAME.landing_cell(state, action) == MOVES[action][1]
        assert outcome == GAME.winner(state) == (naive.pawn_outcome(board, 3 - mover) or GOES_ON)
        if outcome != GOES_ON:
            return
    pytest.fail("a game ends within seven moves")


def test_the_longest_game_has_the_length_of_the_bound() -> None:
    """The article gives five or six moves at most; the true number is seven."""

    def longest(state: State) -> int:
        return max((1 + longest(child) for _, child in GAME.children(state)), default=0)

    assert longest(GAME.initial_state()) == GAME.max_plies == 7


# Boards, movers, and the numbers of the actions that have a probability in the article.
ARTICLE = [
    (START, 1, {0, 1, 2}, set()),
    ("B B B/W . ./. W W", 2, {7, 8}, {21}),
    ("B . B/B . ./. W W", 1, {1, 2}, {13}),
    ("B . B/B W ./. . W", 2, {8, 9}, {20, 23}),
    (". B ./. B ./W . W", 1, {0, 2}, {12, 15}),
]


@pytest.mark.parametrize(("board", "to_play", "forward", "captures"), ARTICLE)
def test_actions_have_the_articles_numbers(
    board: str, to_play: int, forward: set[int], captures: set[int]
) -> None:
    assert set(GAME.legal_actions(position(board, to_play)).tolist()) == forward | captures
