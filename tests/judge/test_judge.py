"""The judge against brute force, against known results, and at its limits."""

import os
import subprocess
import sys
from contextlib import nullcontext
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge import ExactPlay, Judge, shared_judge
from judge.hex_solver import HexSolver
from state_manager import NodeLimitError, State, make_game
from state_manager.sides import after
from tests.perfect import all_states
from tests.project import ROOT
from tests.state_manager.naive_hex import board_of, winners

HEX = {size: make_game("hex", size=size) for size in (*range(3, 8), 9, 19)}
JUDGES = {size: Judge(game) for size, game in HEX.items()}
WINNING = {
    3: "c1 a2 b2 c2 a3",
    4: "d1 c2 b3 a4",
    5: "e1 b2 c2 d2 e2 b3 c3 d3 a4 b4 c4 d4 a5",
    6: "f1 b2 c2 d2 e2 f2 a3 b3 c3 d3 e3 f3 a4 b4 c4 d4 e4 f4 a5 b5 c5 d5 e5 a6",
    7: "g1 c2 e2 f2 g2 b3 c3 d3 e3 f3 a4 b4 c4 d4 e4 f4 g4 b5 c5 d5 e5 f5 a6 b6 c6 e6 a7",
}
"""The first moves with which player 1 wins, as they are known."""


@cache
def winners_on_3x3(cells: tuple[int, ...]) -> set[int]:
    """Return the winners of a board, by the definition."""
    return winners(board_of(np.array((1, *cells)), 3))


@cache
def twin(flat: tuple[int, ...]) -> int:
    """Return the winner of a position on 3x3, by the definition."""
    mover, cells = flat[0], flat[1:]
    if won := winners_on_3x3(cells):
        return min(won)
    children = (
        twin((3 - mover, *cells[:i], mover, *cells[i + 1 :])) for i in range(9) if cells[i] == 0
    )
    return mover if any(winner == mover for winner in children) else 3 - mover


def random_position(size: int, empty: int, seed: int) -> State | None:
    """Return a position with ``empty`` empty cells and any stones, if the game goes on."""
    game, rng = HEX[size], np.random.default_rng(seed)
    cells = np.zeros(size * size, np.int8)
    filled = rng.permutation(size * size)[empty:]
    cells[filled] = rng.integers(1, 3, len(filled))
    state = game.from_flat([1 + int(rng.integers(2)), *cells.tolist()])
    return None if len(winners(board_of(state, size))) else state


def positions(size: int, empty: int) -> st.SearchStrategy[State]:
    """Return such positions, for Hypothesis."""
    found = (random_position(size, empty, seed) for seed in range(1000))
    return st.sampled_from([state for state in found if state is not None])


def test_the_winner_equals_brute_force_in_every_position_on_3x3() -> None:
    for cells in product(range(3), repeat=9):
        for mover in (1, 2):
            state = HEX[3].from_flat([mover, *cells])
            assert JUDGES[3].winner(state) == twin((mover, *cells)), HEX[3].text(state)


@settings(max_examples=60)
@given(positions(4, 10))
def test_winners_and_winning_actions_equal_brute_force_on_4x4(state: State) -> None:
    exact, judge = ExactPlay(HEX[4]), Judge(HEX[4])
    assert judge.winner(state) == exact.outcome(state)
    assert set(judge.best_actions(state).tolist()) == exact.best_actions(state)
    wins = judge.winner(state) == HEX[4].to_play(state)
    assert len(judge.winning_actions(state)) == wins * len(judge.best_actions(state))


@settings(max_examples=20)
@given(positions(19, 8))
def test_the_end_of_a_game_on_a_large_board_is_judged_as_well(state: State) -> None:
    judge, exact = JUDGES[19], ExactPlay(HEX[19])
    assert judge.winner(state) == exact.outcome(state)
    assert set(judge.best_actions(state).tolist()) == exact.best_actions(state)


@pytest.mark.parametrize("size", [3, 4, 5])
@pytest.mark.parametrize("player", [1, 2])
def test_the_winning_first_moves_are_found(size: int, player: int) -> None:
    game = HEX[size]
    actions = Judge(game).winning_actions(game.initial_state(player))
    cells = np.array(sorted(game.parse_action(name) for name in WINNING[size].split()))
    as_player_2 = np.sort(cells % size * size + cells // size)
    assert actions.tolist() == (cells if player == 1 else as_player_2).tolist()


@pytest.mark.parametrize("size", [6, 7])
@pytest.mark.parametrize("player", [1, 2])
def test_the_judge_knows_the_first_moves_of_larger_boards(size: int, player: int) -> None:
    game, judge = HEX[size], Judge(HEX[size], node_limit=0)
    start = game.initial_state(player)
    winning = set(judge.winning_actions(start).tolist())
    assert len(winning) == len(WINNING[size].split())
    for action in range(size * size):
        winner = judge.winner(game.child_state(start, action))
        assert (winner == player) == (action in winning)
        row, column = divmod(action, size)
        name = f"{'abcdefg'[column]}{row + 1}" if player == 1 else f"{'abcdefg'[row]}{column + 1}"
        assert (name in WINNING[size].split()) == (action in winning)


def test_the_searched_first_moves_of_6x6_are_those_of_the_table() -> None:
    solver = HexSolver(HEX[6], node_limit=10**6, table_size=1 << 12)
    for name in ["a1", "a2", "d2", "f2", "a3", "e3", "f4", "a6"]:
        state = HEX[6].child_state(HEX[6].initial_state(), HEX[6].parse_action(name))
        assert solver.solve(state)[0] == (1 if name in WINNING[6].split() else 2)


@settings(max_examples=25)
@given(positions(6, 24))
def test_the_winner_needs_only_the_cells_of_the_carrier(state: State) -> None:
    game, solver = HEX[6], HexSolver(HEX[6], 10**6, 1 << 10)
    winner, carrier = solver.solve(state)
    rest = np.setdiff1d(np.flatnonzero(state[1:37] == 0), carrier)
    flat = game.to_flat(state)
    for cell in rest:
        flat[1 + cell] = 3 - winner
    assert solver.outcome(game.from_flat(flat)) == winner


@settings(max_examples=25)
@given(positions(6, 24))
def test_symmetric_positions_have_the_symmetric_winner(state: State) -> None:
    cells = state[1:37].reshape(6, 6)
    turned = HEX[6].from_flat([state[0], *cells[::-1, ::-1].reshape(-1)])
    swapped = HEX[6].from_flat([3 - state[0], *((3 - cells) % 3).T.reshape(-1)])
    judge = Judge(HEX[6])
    assert judge.winner(turned) == judge.winner(state) == 3 - judge.winner(swapped)


def test_compiled_and_plain_python_search_alike(capsys: pytest.CaptureFixture[str]) -> None:
    code = """
from state_manager import make_game
from judge.hex_solver import HexSolver
game = make_game("hex", size=4)
solver = HexSolver(game, 10**6, 1 << 10)
for cell in (1, 8):
    winner, carrier = solver.solve(game.child_state(game.initial_state(), cell))
    print(winner, carrier.tolist(), solver.used)
state = game.from_flat([2, 0, 1, 0, 0, 0, 0, 2, 0, 0, 1, 0, 2, 1, 2, 0, 0])
print(sorted(solver.sharpest_actions(state)), solver.plies_left(state))
"""

    exec(code, {})
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", code]
    plain = subprocess.check_output(command, cwd=ROOT, env=environment, text=True)
    assert capsys.readouterr().out == plain


@cache
def full_search(cells: tuple[int, ...], mover: int) -> tuple[int, int]:
    """Return the winner, and the plies to the end if it hurries and the loser delays."""
    before = 3 - mover
    if has_won(tuple(cell * (cell == before) for cell in cells)):
        return before, 0
    found = [
        full_search((*cells[:i], mover, *cells[i + 1 :]), before)
        for i in range(len(cells))
        if cells[i] == 0
    ]
    won = [plies for winner, plies in found if winner == mover]
    return (mover, 1 + min(won)) if won else (before, 1 + max(plies for _, plies in found))


@cache
def has_won(cells: tuple[int, ...]) -> bool:
    """Return whether the stones of one player join its borders."""
    return bool(winners(board_of(np.array((1, *cells)), int(len(cells) ** 0.5))))


def check_sharpest(judge: Judge, state: State) -> None:
    """Check the shortest win, and the longest resistance, against a full search."""
    game, mover = judge.game, int(state[0])
    cells = tuple(state[1 : 1 + game.num_actions].tolist())
    winner, plies = full_search(cells, mover)
    best = [
        action
        for action in game.legal_actions(state).tolist()
        if full_search((*cells[:action], mover, *cells[action + 1 :]), 3 - mover)
        == (winner, plies - 1)
    ]
    sharpest = judge.sharpest_actions(state).tolist()
    assert sharpest == best if winner == mover else set(sharpest) <= set(best), game.text(state)
    assert judge.best_action(state) in sharpest
    assert judge.plies_left(state) == plies, game.text(state)


def test_the_sharpest_actions_win_soonest_or_resist_longest() -> None:
    states = all_states(HEX[3])
    assert len(states) == 4520
    for state in states:
        if state[1:10].tobytes() <= state[9:0:-1].tobytes():  # one of each two half-turns
            check_sharpest(JUDGES[3], state)
    for size, empty, count in ((4, 8, 60), (4, 11, 6), (5, 9, 20)):
        for seed in range(count):
            if (position := random_position(size, empty, seed)) is not None:
                check_sharpest(JUDGES[size], position)


def test_games_of_the_shortest_win_have_its_length_and_another_win_is_not_called_so() -> None:
    for size, plies in ((3, 5), (4, 9), (5, 13)):
        start, judge = HEX[size].initial_state(), JUDGES[size]
        assert judge.plies_left(start) == len(judge.principal_variation(start)) == plies
    start = HEX[6].initial_state()
    assert JUDGES[6].plies_left(start) == 0
    assert len(JUDGES[6].sharpest_actions(start)) == len(WINNING[6].split())


def test_other_games_are_won_at_once_and_a_win_at_once_is_prevented() -> None:
    game = make_game("tic_tac_toe")
    judge = Judge(game)
    won = game.from_flat([1, 1, 1, 0, 0, 2, 0, 0, 0, 2])
    assert set(judge.best_actions(won).tolist()) > {2}
    assert judge.sharpest_actions(won).tolist() == [2]
    lost = game.from_flat([2, 0, 1, 1, 1, 0, 2, 0, 0, 2])
    assert len(judge.best_actions(lost)) == 4
    assert judge.sharpest_actions(lost).tolist() == [0]


def test_a_limit_is_an_error_and_never_a_guess() -> None:
    state = after(HEX[6], (0, 4))
    with pytest.raises(NodeLimitError, match="a position that 5 nodes decide, stopped after"):
        Judge(HEX[6], node_limit=5).winner(state)
    judge = Judge(HEX[6])
    with pytest.raises(NodeLimitError, match="stopped after 0"):
        judge.winner(state, seconds=-1.0)
    assert judge.winner(state) in (1, 2), "a cancelled search can be repeated"
    with pytest.raises(NodeLimitError, match="solved in the time given"):
        Judge(make_game("tic_tac_toe")).winner(make_game("tic_tac_toe").initial_state(), -1.0)


def test_a_board_with_too_many_empty_cells_is_refused() -> None:
    state = HEX[9].child_state(HEX[9].initial_state(), 40)
    with pytest.raises(NodeLimitError, match="expected 62 empty cells at most, got 80"):
        JUDGES[9].winner(state)
    assert JUDGES[9].winner(HEX[9].initial_state(2)) == 2, "the first player has the advantage"


@pytest.mark.parametrize("remembers", [True, False])
def test_results_can_be_remembered_when_an_earlier_position_is_judged(remembers: bool) -> None:
    game, rng = make_game("hex", size=8), np.random.default_rng(0)
    states = [game.initial_state()]
    for _ in range(13):
        action = int(rng.choice(game.legal_actions(states[-1])))
        states.append(game.child_state(states[-1], action))
    judge = Judge(game)
    if remembers:
        judge.remember_from(states[10])
    for state in (states[13], states[10]):
        judge.winner(state)
    judge.set_node_limit(1)
    with nullcontext() if remembers else pytest.raises(NodeLimitError):
        judge.winner(states[13])


def test_equal_games_share_one_judge() -> None:
    assert shared_judge(make_game("hexapawn")) is shared_judge(make_game("hexapawn"))
    assert shared_judge(make_game("nim", stones=7)) is not shared_judge(make_game("nim", stones=8))


@pytest.mark.parametrize("name", ["hex", "tic_tac_toe"])
def test_a_cancelled_search_stops_and_can_be_repeated(name: str) -> None:
    judge, state = Judge(make_game(name)), after(make_game(name), (0, 1))
    with judge.until(lambda: True), pytest.raises(NodeLimitError):
        judge.winner(state)
    assert judge.winner(state) == 1
