"""Who was winning in a game, and which moves were mistakes."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

from agents.mcts import MCTSAgent
from analysis import ReviewedMove, Reviewer, Verdict
from mcts import Thought
from state_manager import NodeLimitError, State, StateManager, make_game

RED, BLACK, NOBODY = Verdict(1.0, True), Verdict(-1.0, True), Verdict(0.0, True)


class Opinion:
    """Searches nothing: prefers the highest legal action, and thinks always the same of it."""

    def __init__(self, game: StateManager, value: float) -> None:
        self.game, self.value, self.asked = game, value, 0

    def choose_action(self, state: State) -> int:
        self.asked += 1
        self.thought = Thought(np.zeros(self.game.num_actions), self.value)
        return int(self.game.legal_actions(state)[-1])


def reviewer(game: StateManager, value: float = 0.0) -> tuple[Reviewer, Opinion]:
    opinion = Opinion(game, value)
    return Reviewer(game, cast(MCTSAgent, opinion), 5.0), opinion


def states_of(game: StateManager, actions: list[int]) -> list[State]:
    states = [game.initial_state()]
    for action in actions:
        states.append(game.child_state(states[-1], action))
    return states


@pytest.mark.parametrize(
    ("player", "before", "after", "mistake"),
    [
        (1, RED, RED, False),
        (1, RED, BLACK, True),
        (1, RED, NOBODY, True),
        (1, NOBODY, BLACK, True),
        (1, BLACK, BLACK, False),
        (2, BLACK, RED, True),
        (2, NOBODY, NOBODY, False),
        (1, Verdict(0.5, False), BLACK, True),
        (1, Verdict(0.1, False), BLACK, False),
        (2, Verdict(-0.5, False), Verdict(0.1, False), False),
        (2, Verdict(-0.5, False), Verdict(0.5, False), True),
    ],
)
def test_a_mistake_gives_away_what_is_certain_or_a_clear_lead(
    player: int, before: Verdict, after: Verdict, mistake: bool
) -> None:
    state = make_game("hex", size=3).initial_state(player)
    assert ReviewedMove(1, state, 0, before, after).is_mistake == mistake


@pytest.mark.parametrize(("value", "winner"), [(0.5, 1), (-0.5, 2), (0.1, 3), (-0.1, 3)])
def test_a_search_must_be_clear_about_who_is_winning(value: float, winner: int) -> None:
    assert Verdict(value, False).winner == winner


def test_where_the_judge_knows_nothing_is_searched() -> None:
    game, actions = make_game("hex", size=3), [4, 1, 0, 2, 3, 5]
    review, opinion = reviewer(game)
    moves = review.review(states_of(game, actions), actions)
    assert opinion.asked == 0
    assert all(move.exact for move in moves)
    assert [move.ply for move in moves] == [1, 2, 3, 4, 5, 6]
    assert [move.after.winner for move in moves] == [1] * 6
    assert not any(move.line or move.better for move in moves)


def test_the_answer_to_a_mistake_wins_for_the_other_player() -> None:
    game = make_game("hex", size=3)
    actions = [0, 1]  # red begins in a losing corner, and black does not take the middle
    states = states_of(game, actions)
    (_, mistake) = reviewer(game)[0].review(states, actions)
    assert mistake.is_mistake
    assert 4 in mistake.better
    state = states[-1]
    for action in mistake.line:
        state = game.child_state(state, action)
    assert game.winner(state) == 1


class Refusing:
    """A judge that decides nothing, and remembers how long it was given."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def winner(self, state: State, seconds: float) -> Any:
        self.seconds.append(seconds)
        raise NodeLimitError("too large")

    best_action = best_actions = winner


def test_a_judge_that_gives_up_gets_less_and_less_time(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = Refusing()
    monkeypatch.setattr("analysis.game_review.shared_judge", lambda game: judge)
    game = make_game("hex", size=3)
    review, opinion = reviewer(game, 0.5)
    moves = review.review(states_of(game, [4, 1]), [4, 1])
    assert judge.seconds == [5.0, 2.5, 1.25]
    assert opinion.asked == 3
    assert [move.after for move in moves] == [Verdict(0.5, False)] * 2
    assert not any(move.is_mistake for move in moves)


def test_a_search_blames_no_move_whose_alternative_is_no_better(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("analysis.game_review.shared_judge", lambda game: Refusing())
    game = make_game("hex", size=3)
    states = states_of(game, [4])

    class Minded(Opinion):
        """Thinks that red is ahead at first, and behind after any stone but the wanted one."""

        wanted = -1

        def choose_action(self, state: State) -> int:
            stones = np.flatnonzero(state[1:10]).tolist()
            self.value = 0.5 if stones in ([], [self.wanted]) else -0.5
            return super().choose_action(state)

    for wanted, mistake in ((8, True), (-1, False)):
        opinion = Minded(game, 0.0)
        opinion.wanted = wanted
        (move,) = Reviewer(game, cast(MCTSAgent, opinion), 5.0).review(states, [4])
        assert move.is_mistake == mistake
        assert move.alternative == Verdict(0.5 if mistake else -0.5, False)
        assert move.better == ((8,) if mistake else ())
        assert bool(move.line) == mistake
