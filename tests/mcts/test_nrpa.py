"""Nested rollout policy adaptation: its slow twin, moves that are known, clocks and counts."""

from __future__ import annotations

import itertools
from math import exp
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mcts.chunks as chunks_module
import mcts.nrpa as nrpa_module
from mcts import NRPA
from mcts.nested import run_rollouts
from mcts.nrpa import Code, Form, Opponent
from state_manager import ExactPlay, State, StateError, StateManager, make_game
from tests.mcts.naive_nrpa import NaiveNRPA

GAMES = [
    make_game("hex", size=3),
    make_game("nim", stones=9, max_take=3),
    make_game("ledge", board=[0, 1, 0, 2, 1]),
    make_game("tic_tac_toe"),
    make_game("connect_four", rows=4, columns=4),
    make_game("hexapawn"),
]
FORMS: tuple[Form, ...] = ("softmax", "additive")
OPPONENTS: tuple[Opponent, ...] = ("adversarial", "cooperative")
CODES: tuple[Code, ...] = ("ply", "player")
HEX = GAMES[0]
TIC_TAC_TOE = GAMES[3]


def after(game: StateManager, actions: list[int], starting_player: int = 1) -> State:
    """Return the state after these actions."""
    state = game.initial_state(starting_player)
    for action in actions:
        state = game.child_state(state, action)
    return state


@given(
    st.sampled_from(GAMES),
    st.sampled_from(FORMS),
    st.sampled_from(OPPONENTS),
    st.sampled_from(CODES),
    st.sampled_from([(1, 12), (2, 4), (3, 3)]),
    st.integers(1, 2),
    st.integers(0, 2**32),
)
def test_a_search_finds_and_learns_what_its_twin_does(
    game: StateManager,
    form: Form,
    opponent: Opponent,
    code: Code,
    size: tuple[int, int],
    starting_player: int,
    seed: int,
) -> None:
    level, iterations = size
    state = game.initial_state(starting_player)
    search = NRPA(game, level, iterations, form=form, opponent=opponent, code=code, seed=seed)
    result = search.search(state)
    twin = NaiveNRPA(game, iterations, form, opponent, code, seed)
    best = twin.search(level, state)[starting_player]
    assert result.sequence == tuple(best.actions)
    assert result.score == (best.score if best.actions else -1.0)
    assert result.simulations == iterations**level
    strengths = np.ones_like(search._nest.strengths[level])
    for (where, action), weight in twin.policies[level].items():
        row = where if code == "ply" else int(where != starting_player)
        strengths[row, action] = exp(weight) if form == "softmax" else weight
    assert search._nest.strengths[level] == pytest.approx(strengths)
    assert search._rng.random() == twin.rng.random()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("opponent", OPPONENTS)
def test_the_best_sequence_is_a_legal_game_of_its_score(form: Form, opponent: Opponent) -> None:
    for game, player in itertools.product(GAMES, (1, 2)):
        state = game.initial_state(player)
        result = NRPA(game, 2, 8, form=form, opponent=opponent, seed=3).search(state)
        for action in result.sequence:
            state = game.child_state(state, action)
        assert game.is_final(state)
        assert result.score == {player: 1.0, 3 - player: -1.0, 3: 0.0}[game.winner(state)]


# x x .  x, player 1, wins at 2; else o wins.    x x .  o, player 2, wins at 5; else x wins at 2.
# o o .                                          o o .
# . . .                                          x . .
@pytest.mark.parametrize(("actions", "winning"), [([0, 3, 1, 4], 2), ([0, 3, 1, 4, 6], 5)])
@pytest.mark.parametrize("code", CODES)
def test_a_win_in_one_move_is_played(actions: list[int], winning: int, code: Code) -> None:
    for seed in range(10):
        search = NRPA(TIC_TAC_TOE, code=code, seed=seed)
        assert search.search(after(TIC_TAC_TOE, actions)).best_action == winning


def test_of_several_moves_that_win_by_force_any_is_played() -> None:
    """Wins are worth the same whether they come soon or late."""
    state = after(TIC_TAC_TOE, [0, 1, 4, 2])  # x o o / . x . / . . .
    winning = ExactPlay(TIC_TAC_TOE).best_actions(state)
    played = {NRPA(TIC_TAC_TOE, seed=seed).search(state).best_action for seed in range(20)}
    assert played <= winning == {3, 5, 6, 8}


def test_a_win_that_is_threatened_is_prevented_more_often_than_by_chance() -> None:
    state = after(TIC_TAC_TOE, [0, 4, 1])  # x x . / . o . / . . .
    chosen = [NRPA(TIC_TAC_TOE, seed=seed).search(state).best_action for seed in range(20)]
    assert chosen.count(2) >= 15


@pytest.mark.parametrize(("stones", "name"), [(2, "take 2"), (3, "take 3"), (5, "take 1")])
def test_the_winning_move_of_a_small_nim_is_found(stones: int, name: str) -> None:
    nim = make_game("nim", stones=5, max_take=3)
    state = nim.from_flat([1] + [1] * stones + [0] * (5 - stones))
    for seed in range(5):
        result = NRPA(nim, simulations=10_000, seed=seed).search(state)
        assert nim.action_name(result.best_action) == name


def test_a_cooperative_opponent_is_expected_to_help() -> None:
    """Two moves from the end every first move is part of some won game: any may be played."""
    nim = make_game("nim", stones=6, max_take=3)
    state = nim.initial_state()
    played = {
        NRPA(nim, 2, 5, opponent="cooperative", seed=seed).search(state).best_action
        for seed in range(30)
    }
    assert played == {0, 1, 2}


def test_who_cannot_win_has_no_best_sequence_against_an_adversary() -> None:
    nim = make_game("nim", stones=2, max_take=1)
    result = NRPA(nim, seed=1).search(nim.initial_state())
    assert (result.sequence, result.score, result.best_action) == ((), -1.0, 0)


def test_an_action_has_a_weight_at_each_ply_where_actions_must_recur() -> None:
    rows = {game.name: NRPA(game)._nest.strengths.shape[1] for game in GAMES}
    recurring = {"nim", "connect_four"}
    assert {game.name: rows[game.name] for game in GAMES if game.name in recurring} == {
        "nim": 9,
        "connect_four": 16,
    }
    assert rows["hex"] == rows["tic_tac_toe"] == 2


def test_searches_that_follow_each_other_count_alike_and_a_part_counts_in_part() -> None:
    state = HEX.initial_state()
    once = NRPA(HEX, 2, 5, seed=4)
    first, second = once.search(state), once.search(state)
    both = NRPA(HEX, 2, 5, simulations=50, seed=4).search(state)
    assert both.distribution == pytest.approx((first.distribution + second.distribution) / 2)
    more = NRPA(HEX, 2, 5, simulations=60, seed=4).search(state)
    part = NRPA(HEX, 2, 5, simulations=10, seed=once._rng).search(state)
    expected = (first.distribution + second.distribution + 0.4 * part.distribution) / 2.4
    assert more.distribution == pytest.approx(expected)
    assert [result.simulations for result in (first, both, more, part)] == [25, 50, 60, 10]


@pytest.mark.parametrize("opponent", OPPONENTS)
def test_chunks_do_not_change_what_is_found(
    opponent: Opponent, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found() -> list[Any]:
        result = NRPA(HEX, 3, 6, opponent=opponent, simulations=500, seed=2).search(
            HEX.initial_state()
        )
        return [result.distribution.tolist(), result.sequence, result.score]

    in_one = found()
    monkeypatch.setattr(nrpa_module, "FIRST_CHUNK", 1)
    monkeypatch.setattr(chunks_module, "CHUNK_SECONDS", 0.0)
    assert found() == in_one


def test_a_search_without_end_stops_when_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second passes between two looks at the clock, so chunks stay short."""
    clock = itertools.count(100.0)
    monkeypatch.setattr(nrpa_module, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    search = NRPA(HEX, 5, 1000, seed=1)
    search.time_limit = 5.0
    for _ in range(2):
        result = search.search(HEX.initial_state())
        assert result.simulations == 5 * chunks_module.FIRST_CHUNK
        assert result.seconds == 5.0
        assert result.score == 1.0


def test_at_least_one_chunk_is_played_however_short_the_time_is() -> None:
    search = NRPA(HEX, seed=1)
    search.time_limit = 1e-9
    result = search.search(HEX.initial_state())
    assert result.simulations == chunks_module.FIRST_CHUNK


def test_a_search_without_end_stops_when_it_is_told_to() -> None:
    answers = iter([False, False, True])
    search = NRPA(HEX, 5, 1000, seed=1)
    first = search.search(HEX.initial_state(), lambda: next(answers))
    assert first.simulations >= 3 * chunks_module.FIRST_CHUNK
    assert next(answers, None) is None
    at_once = search.search(HEX.initial_state(), lambda: True)
    assert at_once.simulations == chunks_module.FIRST_CHUNK


def test_an_interrupted_search_can_be_followed_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    search = NRPA(HEX, 5, 1000, seed=1)
    run = run_rollouts

    def interrupted(rules: Any, learn: Any, nest: Any, rollouts: int, rng: Any) -> None:
        run(rules, learn, nest, min(rollouts, 1000), rng)
        raise KeyboardInterrupt

    monkeypatch.setattr(nrpa_module, "run_rollouts", interrupted)
    with pytest.raises(KeyboardInterrupt):
        search.search(HEX.initial_state())
    monkeypatch.undo()
    search.simulations = 700
    fresh = NRPA(HEX, 5, 1000, simulations=700)
    fresh._rng.bit_generator.state = search._rng.bit_generator.state
    resumed, expected = (each.search(HEX.initial_state()) for each in (search, fresh))
    assert resumed.simulations == 700
    assert resumed.sequence == expected.sequence
    assert resumed.distribution.tolist() == expected.distribution.tolist()


def test_weights_stay_finite_where_an_action_recurs_in_a_long_game() -> None:
    nim = make_game("nim", stones=120, max_take=9)
    search = NRPA(nim, 1, 1000, code="player", seed=1)
    assert np.isfinite(search.search(nim.initial_state()).distribution).all()
    assert 0.0 < search._nest.strengths.min() < search._nest.strengths.max() < 1e100


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 0}, "at least 1 level and 1 iteration, got 0 and 10"),
        ({"iterations": 0}, "at least 1 level and 1 iteration, got 3 and 0"),
        ({"simulations": 0}, "at least 1 simulation, got 0"),
        ({"form": "hard"}, r"a form \(softmax, additive\), got 'hard'"),
        ({"opponent": "kind"}, "an adversarial or cooperative opponent, got 'kind'"),
        ({"code": "hash"}, r"a code \(ply, player\), got 'hash'"),
    ],
)
def test_what_cannot_be_searched_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^expected {message}"):
        NRPA(HEX, **options)


def test_a_final_state_is_refused() -> None:
    with pytest.raises(StateError, match="expected a state that is not final"):
        NRPA(TIC_TAC_TOE).search(after(TIC_TAC_TOE, [0, 3, 1, 4, 2]))
