"""The player who was winning in a game, and the moves that were mistakes."""

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from agents import make_agent
from agents.position_searches import Agenda, Opinion, searches_of_positions
from analysis import ReviewedMove, Reviewer, Verdict, accuracy_of, costliest
from judge import shared_judge
from state_manager import NodeLimitError, State, StateManager, make_game

RED, BLACK, DRAW = Verdict(1.0, True), Verdict(-1.0, True), Verdict(0.0, True)


class Searching:
    """A search that prefers the highest legal action, and always gives it the same value."""

    def __init__(self, game: StateManager, value: float) -> None:
        self.game, self.value, self.calls = game, value, 0

    def opinion(self, state: State) -> Opinion:
        actions = self.game.legal_actions(state)[::-1].tolist()
        return Opinion(self.value, actions[0], tuple(actions))

    def work(self, agenda: Agenda) -> None:
        while not agenda.is_over():
            if found := agenda.following():
                name, state = found
                self.calls += 1
                agenda.add(name, self.opinion(state))


def reviewer(game: StateManager, search: Searching | None = None) -> Reviewer:
    return Reviewer(game, [(search or Searching(game, 0.0)).work], 5.0)


def searching(game: StateManager, word: str) -> Reviewer:
    agent = make_agent(f"{word},time_limit=null", game, seed=1)
    return Reviewer(game, searches_of_positions(agent), 0.01)


def states_of(game: StateManager, actions: list[int]) -> list[State]:
    states = [game.initial_state()]
    for action in actions:
        states.append(game.child_state(states[-1], action))
    return states


@pytest.mark.parametrize(
    ("player", "before", "after", "loss", "grade"),
    [
        (1, RED, RED, 0, ""),
        (1, RED, BLACK, 100, "blunder"),
        (1, RED, DRAW, 50, "blunder"),
        (1, DRAW, BLACK, 50, "blunder"),
        (1, BLACK, BLACK, 0, ""),
        (2, BLACK, RED, 100, "blunder"),
        (2, DRAW, DRAW, 0, ""),
        (1, Verdict(0.5, False), Verdict(-0.1, False), 30, "blunder"),
        (2, Verdict(-0.5, False), Verdict(0.0, False), 25, "mistake"),
        (2, Verdict(-0.5, False), Verdict(-0.2, False), 15, "inaccuracy"),
        (1, Verdict(0.5, False), Verdict(0.4, False), 5, ""),
        (1, Verdict(0.1, False), Verdict(0.4, False), 0, ""),
    ],
)
def test_a_move_is_graded_by_its_loss_of_winning_chances(
    player: int, before: Verdict, after: Verdict, loss: float, grade: str
) -> None:
    state = make_game("hex", size=3).initial_state(player)
    move = ReviewedMove(1, state, 0, before, after)
    assert move.loss == pytest.approx(loss)
    assert move.grade == grade
    assert move.is_mistake == (grade in ("mistake", "blunder"))
    assert move.exact == (before.exact and after.exact)


def test_accuracy_is_the_mean_over_the_moves_of_a_player() -> None:
    states = [make_game("hex", size=3).initial_state(player) for player in (1, 2)]
    moves = [ReviewedMove(1, states[0], 0, RED, RED), ReviewedMove(2, states[0], 0, RED, BLACK)]
    assert accuracy_of(moves, 1) == pytest.approx(50, abs=0.1)
    assert accuracy_of(moves, 2) is None
    found = ReviewedMove(1, states[1], 0, Verdict(-0.5, False), Verdict(-0.1, False)).accuracy
    assert found == pytest.approx(40.0, abs=0.1)


def test_a_clear_value_of_a_search_names_the_winning_player() -> None:
    assert [Verdict(value, False).winner for value in (0.5, -0.5, 0.1, -0.1)] == [1, 2, 3, 3]


def test_a_position_that_the_judge_cannot_decide_is_searched() -> None:
    game, actions = make_game("hex", size=3), [4, 1, 0, 2, 3, 5]
    moves = reviewer(game).review(states_of(game, actions), actions)
    assert all(move.exact for move in moves)
    assert [move.ply for move in moves] == [1, 2, 3, 4, 5, 6]
    assert [move.after.winner for move in moves] == [1] * 6
    assert not any(move.line or move.better for move in moves)


def test_the_reply_to_a_mistake_and_the_best_line_in_its_place_win() -> None:
    game, actions = make_game("hex", size=4), [0, 5, 1, 6, 2, 4, 9]
    states = states_of(game, actions)
    moves = reviewer(game).review(states, actions)
    bad = [each for each in moves if each.is_mistake]
    assert {each.player for each in bad} == {1, 2}
    for each in bad:
        assert each.best[0] in each.better
        for begin, line, winner in (
            (each.state, each.best, each.player),
            (game.child_state(each.state, each.action), each.line, 3 - each.player),
        ):
            state = begin
            for action in line:
                state = game.child_state(state, action)
            assert game.winner(state) == winner


class Refusing:
    """A judge that decides nothing, takes its time, and records its time limits."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def remember_from(self, state: State) -> None:
        pass

    def until(self, stopped: Callable[[], bool]) -> AbstractContextManager[None]:
        return nullcontext()

    def winner(self, state: State, seconds: float) -> Any:
        self.seconds.append(seconds)
        time.sleep(0.01)
        raise NodeLimitError("too large")

    best_action = best_actions = winner


@pytest.mark.usefixtures("refusing")
def test_the_best_line_of_a_search_is_the_one_that_it_expects() -> None:
    game = make_game("hex", size=3)
    search = Tempo(game, 0.0)
    search.worth = {8: 0.1, 0: -0.3}
    (move,) = reviewer(game, search).review(states_of(game, [0]), [0])
    assert move.best == (8, 0, 1, 2, 3, 4, 5, 6, 7, 8)


def test_the_time_of_the_judge_is_that_of_the_whole_game(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = Refusing()
    monkeypatch.setattr("analysis.reviewer.shared_judge", lambda game: judge)
    game = make_game("hex", size=3)
    search = Searching(game, 0.5)
    moves = reviewer(game, search).review(states_of(game, [4, 1]), [4, 1])
    assert len(judge.seconds) == 5, "three positions, and those after the search's own choices"
    assert judge.seconds[0] <= 5.0
    assert all(later < earlier for earlier, later in pairwise(judge.seconds))
    assert search.calls == 5
    assert [move.after for move in moves] == [Verdict(0.5, False)] * 2
    assert not any(move.loss for move in moves)


class Tempo(Searching):
    """Prefers the player to move; red's stones on some cells have a value."""

    worth: Mapping[int, float] = {}

    def opinion(self, state: State) -> Opinion:
        stones = sum(self.worth.get(cell, 0.0) for cell in np.flatnonzero(state[1:] == 1).tolist())
        value = stones + (0.5 if state[0] == 1 else -0.2)
        legal = self.game.legal_actions(state).tolist()
        best = max(legal, key=lambda each: self.worth.get(each, 0.0))
        return Opinion(value, best, (best, *legal))


@pytest.fixture
def refusing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the judge decide nothing."""
    monkeypatch.setattr("analysis.reviewer.shared_judge", lambda game: Refusing())


@pytest.mark.usefixtures("refusing")
def test_the_best_move_costs_nothing_though_a_search_favours_the_mover() -> None:
    game = make_game("hex", size=3)
    search = Tempo(game, 0.0)
    search.worth = {4: 0.1, 8: 0.1, 0: -0.3}
    for first, loss in ((4, 0), (8, 0), (1, 5), (0, 20)):
        (move,) = reviewer(game, search).review(states_of(game, [first]), [first])
        assert move.before.value - move.after.value > 0.5, "what the two values would say"
        assert move.loss == pytest.approx(loss)
        assert move.better == ((4,) if loss else ())
        assert bool(move.line) == bool(loss)
        assert not move.exact


@pytest.mark.usefixtures("refusing")
def test_a_game_that_was_lost_gradually_has_three_costliest_moves() -> None:
    game, actions = make_game("hex", size=4), [0, 15, 1, 14, 2, 13, 3, 12]
    search = Tempo(game, 0.0)
    search.worth = {0: -0.1, 1: -0.25, 2: -0.3, 3: -0.22}
    moves = reviewer(game, search).review(states_of(game, actions), actions)
    found = [(move.ply, round(move.loss, 1), move.grade) for move in costliest(moves)]
    assert found == [(5, 15.0, "inaccuracy"), (3, 12.5, "inaccuracy"), (7, 11.0, "inaccuracy")]
    assert accuracy_of(moves, 1) == pytest.approx(63, abs=3)
    assert accuracy_of(moves, 2) == pytest.approx(100, abs=0.1)


def test_a_search_value_is_compared_with_a_search_value(monkeypatch: pytest.MonkeyPatch) -> None:
    game = make_game("hex", size=3)
    states = states_of(game, [0])

    class Knowing(Refusing):
        """Decides only that the first stone loses, and perhaps that the last one does."""

        def winner(self, state: State, seconds: float) -> Any:
            return known.get(state.tobytes()) or super().winner(state, seconds)

    known, judge, search = {states[1].tobytes(): 2}, Knowing(), Tempo(game, 0.0)
    monkeypatch.setattr("analysis.reviewer.shared_judge", lambda game: judge)
    search.worth = {0: -0.1, 8: 0.1}

    def first_move() -> ReviewedMove:
        return reviewer(game, search).review(states, [0])[0]

    move = first_move()
    assert move.after == BLACK
    assert (round(move.loss, 1), move.exact) == (10.0, False), "as the search has both"
    for winner, loss in ((2, 0), (1, 100)):
        known[states_of(game, [8])[1].tobytes()] = winner
        assert (first_move().loss, first_move().exact) == (loss, True)


def test_a_trained_net_grades_the_centre_of_a_large_board_as_almost_lossless() -> None:
    game = make_game("hex", size=9)
    looking, moves = searching(game, "mcts:best,simulations=60"), []
    for first in (40, 0):
        moves += looking.review(states_of(game, [first]), [first])
    assert moves[0].loss < 5
    assert moves[1].loss > 20, "a corner is a blunder, or nearly one"


@pytest.mark.usefixtures("refusing")
@pytest.mark.parametrize("word", ["mcts:best,simulations=30", "mcts:simulations=200"])
def test_a_review_depends_on_the_seed_alone(word: str) -> None:
    game, actions = make_game("hex", size=9), [40, 0, 41, 1]
    states = states_of(game, actions)

    def reviewed(first: int, last: int) -> list[dict[str, Any]]:
        moves = searching(game, word).review(states[first : last + 1], actions[first:last])
        return [{**move.to_json(game), "ply": first + move.ply} for move in moves]

    whole = reviewed(0, 4)
    assert any(move["loss"] for move in whole)
    assert whole == [*reviewed(0, 1), *reviewed(1, 4)]


def test_what_a_search_proves_is_exact() -> None:
    game, actions = make_game("hex", size=3), [0, 4, 1, 7, 8, 3]

    class Proving(Searching):
        def opinion(self, state: State) -> Opinion:
            winner = shared_judge(game).winner(state)
            return super().opinion(state)._replace(outcome=winner)

    exact = reviewer(game).review(states_of(game, actions), actions)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("analysis.reviewer.shared_judge", lambda game: Refusing())
        proven = reviewer(game, Proving(game, 0.0)).review(states_of(game, actions), actions)
    assert [(move.loss, move.exact) for move in proven] == [(move.loss, True) for move in exact]


@pytest.mark.parametrize("value", [0.3, -0.3])
def test_a_swap_has_the_better_value(monkeypatch: pytest.MonkeyPatch, value: float) -> None:
    game = make_game("hex", size=9, swap=True)
    assert game.swap_action is not None

    class Arguing(Refusing):
        """Knows that the player who may swap wins, and nothing else."""

        def winner(self, state: State, seconds: float) -> Any:
            may_swap = len(state) == len(game.initial_state()) and game.to_flat(state)[-1]
            return 2 if may_swap else super().winner(state, seconds)

    monkeypatch.setattr("analysis.reviewer.shared_judge", lambda game: Arguing())
    actions = [40, game.swap_action]
    opening, swap = reviewer(game, Searching(game, value)).review(states_of(game, actions), actions)
    assert opening.before == Verdict(value, False)
    assert swap.before == Verdict(-0.3, False), "black takes the side with the better chances"
    assert swap.after == Verdict(value, False)


def test_a_swap_on_a_board_that_the_judge_solves_is_exact() -> None:
    game = make_game("hex", size=3, swap=True)
    assert game.swap_action is not None
    for actions, loss in (([4, game.swap_action], 0), ([4, 0], 100), ([0, 4], 0)):
        moves = reviewer(game).review(states_of(game, actions), actions)
        assert [move.before for move in moves] == [BLACK, BLACK]
        assert [move.loss for move in moves] == [0, loss]
