"""Hexapawn by example, against a slow twin, as in the article, and played perfectly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state_manager import (
    GOES_ON,
    ExactPlay,
    IllegalActionError,
    State,
    StateError,
    TwoWinnersError,
    make_game,
)
from state_manager.hexapawn import MOVES
from tests.state_manager import naive_grids as naive

GAME = make_game("hexapawn")
START = "B B B/. . ./W W W"


def position(text: str, to_play: int) -> State:
    return GAME.from_flat(naive.flat(naive.drawn(text), to_play))


def test_white_starts_at_the_bottom_and_moves_up() -> None:
    state = GAME.initial_state()
    assert GAME.text(state) == "0 B B B\n1 . . .\n2 W W W\n  0 1 2"
    assert GAME.player_names == ("white", "black")
    names = [GAME.action_name(action) for action in GAME.legal_actions(state).tolist()]
    assert names == ["(2, 0) to (1, 0)", "(2, 1) to (1, 1)", "(2, 2) to (1, 2)"]


def test_black_may_begin_and_moves_down() -> None:
    state = GAME.initial_state(2)
    names = [GAME.action_name(action) for action in GAME.legal_actions(state).tolist()]
    assert names == ["(0, 0) to (1, 0)", "(0, 1) to (1, 1)", "(0, 2) to (1, 2)"]


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


@given(
    st.lists(st.sampled_from([0, 1, 2]), min_size=9, max_size=9).filter(
        lambda cells: (
            max(cells.count(1), cells.count(2)) <= 3 and not (1 in cells[:3] and 2 in cells[6:])
        )
    ),
    st.sampled_from([1, 2]),
)
def test_winner_and_moves_equal_the_twins_in_any_position(cells: list[int], to_play: int) -> None:
    state = GAME.from_flat([to_play, *cells])
    board = naive.board_of(state, 3, 3)
    assert GAME.winner(state) == (naive.pawn_outcome(board, to_play) or GOES_ON)
    if GAME.winner(state) == GOES_ON:
        moves = {(3 * a + b, 3 * c + d) for (a, b), (c, d) in naive.pawn_moves(board, to_play)}
        assert {MOVES[action] for action in GAME.legal_actions(state).tolist()} == moves


@pytest.mark.parametrize(
    ("before", "mover", "move", "winner"),
    [
        pytest.param(". . B/W . B/. . W", 1, "a2-a3", 1, id="the far row"),
        pytest.param("B . ./. . B/W . .", 2, "c2-c1", 2, id="the far row, black"),
        pytest.param(". . ./. B ./W . .", 1, "a1xb2", 1, id="all are taken"),
        pytest.param(". B ./W . ./. . .", 2, "b3xa2", 2, id="all are taken, by black"),
        pytest.param("B . ./. . ./W . .", 1, "a1-a2", 1, id="no move is left"),
        pytest.param("B . ./. . ./W . .", 2, "a3-a2", 2, id="no move is left to white"),
        pytest.param("B B ./. . ./W . .", 1, "a1-a2", 0, id="a capture is left"),
    ],
)
def test_a_game_is_won_in_three_ways(before: str, mover: int, move: str, winner: int) -> None:
    state = position(before, mover)
    assert GAME.winner(state) == GOES_ON
    assert GAME.winner(GAME.child_state(state, GAME.parse_action(move))) == winner


def test_the_second_player_wins_in_either_colour() -> None:
    exact = ExactPlay(GAME)
    assert exact.outcome(GAME.initial_state(1)) == 2
    assert exact.outcome(GAME.initial_state(2)) == 1


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


def test_there_are_six_moves_forward_and_eight_captures_for_each_colour() -> None:
    assert GAME.num_actions == len(set(MOVES)) == 28
    straight = [start % 3 == target % 3 for start, target in MOVES]
    upwards = [start > target for start, target in MOVES]
    assert straight == [True] * 12 + [False] * 16
    assert upwards == [True] * 6 + [False] * 6 + [True] * 8 + [False] * 8


def test_the_input_is_the_mover_then_white_and_black_as_in_the_article() -> None:
    state = position("B B ./. W B/W . W", 1)
    pawns = [0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0]
    assert GAME.observation(state).tolist() == [1, 0, *pawns]
    state[0] = 2
    assert GAME.observation(state).tolist() == [0, 1, *pawns]


def test_upside_down_with_the_colours_swapped_is_the_same_game() -> None:
    swap = GAME.colour_swap
    assert swap is not None
    step, capture = GAME.parse_action("a1-a2"), GAME.parse_action("b1xa2")
    assert GAME.action_name(int(swap.actions[step])) == "(0, 0) to (1, 0)"
    assert GAME.action_name(int(swap.actions[capture])) == "(0, 1) to (1, 0)"


def test_impossible_positions_are_refused() -> None:
    with pytest.raises(StateError, match="expected 3 white pawns at most, got 4"):
        GAME.from_flat([1, 0, 0, 0, 1, 0, 0, 1, 1, 1])
    both = GAME.from_flat([1, 1, 0, 0, 0, 0, 0, 0, 0, 2])
    with pytest.raises(TwoWinnersError, match=r"got both in\n0 W \. \."):
        GAME.winner(both)


@pytest.mark.parametrize(
    "words",
    [
        *("(2, 0) to (1, 1)", "2 0 1 1", "2,0 1,1", "(2,0)-(1,1)", "2 0 x 1 1"),
        *("a1-b2", "a1xb2", "A1 b2", "a1b2", "a1 to b2"),
    ],
)
def test_a_move_is_read_in_both_notations(words: str) -> None:
    assert MOVES[GAME.parse_action(words)] == (6, 4)


@pytest.mark.parametrize("words", ["a1", "a1-a3", "a1-c2", "2 0 2 1", "2 0 3 0", "d1-d2", "0 0"])
def test_words_that_name_no_move_are_refused(words: str) -> None:
    with pytest.raises(IllegalActionError, match="where a pawn stands and where it goes"):
        GAME.parse_action(words)
