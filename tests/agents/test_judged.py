"""A searching agent that requests a verdict of the exact judge before each move."""

from collections.abc import Iterator
from itertools import islice
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from agents import make_agent
from agents.judged import Adviser
from agents.match import play_game
from judge import Judge, shared_judge
from proofs.enumeration import Proof, agent_player
from state_manager import DRAW, NodeLimitError, State, StateManager, make_game
from state_manager.sides import Side, alike, sides_of
from tests.random_play import random_game

WORD = "mcts:simulations=20,judge=true"


def test_a_judged_agent_never_loses_a_won_game_of_5x5() -> None:
    game = make_game("hex", size=5)
    for opening in range(13):  # the others are half-turns of these
        ours = shared_judge(game).winner(game.child_state(game.initial_state(1), opening))
        agents = make_agent(WORD, game, seed=opening), make_agent("exact", game, seed=9)
        record = play_game(game, agents if ours == 1 else agents[::-1], opening=[opening])
        assert record.winner == ours
        assert record.judged[ours - 1] in (1, 2), "at its first move"
        assert record.judged[2 - ours] is None


def are_held(game: StateManager, sides: list[Side]) -> list[bool]:
    """Return for each side, in order, whether the agent holds it against all replies."""
    player = agent_player(make_agent("mcts:simulations=1,judge=true", game), game)
    proofs = [Proof(game, player, group) for group in alike(sides)]
    return [held for proof in proofs for held in proof.is_held.tolist()]


def test_a_judged_agent_holds_its_sides_against_all_replies() -> None:
    """``tests/long/proofs.py`` has all sides of 4x4, not only these parts of both players'."""
    game = make_game("hex", size=3)
    assert are_held(game, sides_of(game, shared_judge(game).winner)) == [True] * 10
    after_a1, after_d1_a1 = Side((0,), 2, (2,)), Side((3, 0), 1, (1,))
    assert are_held(make_game("hex", size=4), [after_a1, after_d1_a1]) == [True] * 2


def test_a_judged_agent_holds_draws_and_wins_after_a_mistake() -> None:
    game = make_game("tic_tac_toe")
    for choice in ("greedy", "probabilistic"):
        agent = f"mcts:simulations=1,judge=true,choice={choice}"
        for seed in range(4):
            for other, outcomes in (("exact", {DRAW}), ("random", {1, DRAW})):
                agents = make_agent(agent, game, seed=seed), make_agent(other, game, seed=seed)
                assert play_game(game, agents, starting_player=2).winner in outcomes


def test_a_judged_agent_searches_lost_positions_only_and_records_the_verdict() -> None:
    game = make_game("hex", size=4)
    agent: Any = make_agent(WORD, game)
    won = game.initial_state(2)
    agent.choose_action(won)
    assert agent.simulations_run == 0
    assert (agent.thought.outcome, agent.thought.value) == (2, -1.0)
    lost = game.child_state(game.initial_state(1), game.parse_action("b3"))
    agent.choose_action(lost)
    assert agent.simulations_run == 20
    assert (agent.thought.outcome, agent.thought.is_search) == (1, True)
    undecided = make_game("hex", size=9)
    agent = make_agent(WORD, undecided)
    agent.choose_action(undecided.initial_state(1))
    assert (agent.simulations_run, agent.thought.outcome) == (20, 0)


def open_wins(game: StateManager, count: int) -> Iterator[tuple[State, list[int]]]:
    """Yield positions of random games in which the mover can win at once, and these moves."""
    for seed in range(count):
        for state in random_game(game, seed)[0][:-1]:
            if wins := [a for a, child in game.children(state) if game.is_final(child)]:
                yield state, wins
                break


@pytest.mark.parametrize(
    ("word", "size"), [("exact", 5), (WORD, 5), (WORD, 7), ("mcts:simulations=200,solver=true", 5)]
)
def test_an_agent_wins_at_once_and_prevents_that_its_opponent_does(word: str, size: int) -> None:
    """Those with the judge know a loss, and then prevent the nearest."""
    game, seen = make_game("hex", size=size), 0
    for state, wins in open_wins(game, 40 if size == 5 else 12):
        assert make_agent(word, game).choose_action(state) in wins, game.text(state)
        turned = game.from_flat([3 - state[0], *game.to_flat(state)[1:]])
        if len(wins) == 1 and size == 5 and shared_judge(game).winner(turned) == state[0]:
            seen += 1
            if "solver" not in word:
                assert make_agent(word, game).choose_action(turned) == wins[0]
    assert seen > 1 or size == 7


@pytest.mark.parametrize(("size", "share"), [(5, 0.75), (7, 0.1)])
def test_the_judge_takes_a_share_of_time(
    size: int, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, given = make_game("hex", size=size), []

    def winner(self: Judge, state: State, seconds: float | None = None) -> int:
        given.append(seconds)
        raise NodeLimitError("too many")

    monkeypatch.setattr(Judge, "winner", winner)
    monkeypatch.setattr("agents.judged.time", SimpleNamespace(monotonic=lambda: 0.0))
    state = game.initial_state()
    for limit in (2.0, None):
        verdict = Adviser(game, limit).verdict(state)
        assert (verdict.outcome, len(verdict.actions)) == (0, size * size)
    assert given == [2.0 * share, None]


def lost_positions() -> Iterator[tuple[StateManager, State]]:
    """Yield lost positions of random games in which no reply wins at once."""
    game, rng = make_game("hex", size=5), np.random.default_rng(4)
    while True:
        state = game.initial_state(1)
        for _ in range(int(rng.integers(2, 7))):
            state = game.child_state(state, int(rng.choice(game.legal_actions(state))))
        if shared_judge(game).winner(state) != game.to_play(state):
            yield game, state


def test_in_a_lost_position_the_move_is_the_one_whose_refutation_is_missed_most() -> None:
    for game, state in islice(lost_positions(), 4):
        judge, legal = shared_judge(game), game.legal_actions(state).tolist()
        wins = {a: set(judge.best_actions(game.child_state(state, a)).tolist()) for a in legal}
        hardest = min(legal, key=lambda action: len(wins[action]))
        if len(wins[hardest]) == len(legal) - 1:
            continue  # any reply wins
        # It prefers one action, does not see its refutations, and is indifferent to the others.
        shares = np.array([float(a not in wins[hardest]) for a in range(game.num_actions)])
        shares[hardest] += 1.0
        policy = shares / shares.sum()
        net: Any = SimpleNamespace(policy=lambda state, found=policy: found)
        verdict = Adviser(game, None, net).verdict(state)
        assert verdict.outcome == 3 - game.to_play(state)
        (chosen,) = verdict.actions.tolist()
        assert wins[chosen] <= wins[hardest], "no winning reply that the opponent sees"


def test_without_a_net_the_move_resists_longest_and_leaves_the_fewest_winning_replies() -> None:
    for game, state in islice(lost_positions(), 4):
        judge = shared_judge(game)
        (chosen,) = Adviser(game, None).verdict(state).actions.tolist()
        sharpest = judge.sharpest_actions(state).tolist()
        wins = {a: len(judge.best_actions(game.child_state(state, a))) for a in sharpest}
        assert wins[chosen] == min(wins.values())


def test_a_lost_position_that_takes_long_leaves_all_moves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def sharpest(self: Judge, state: State, seconds: float | None = None) -> list[int]:
        raise NodeLimitError("too many")

    monkeypatch.setattr(Judge, "sharpest_actions", sharpest)
    game = make_game("hex", size=4)
    lost = game.child_state(game.initial_state(1), game.parse_action("b3"))
    verdict = Adviser(game, None).verdict(lost)
    assert (verdict.outcome, len(verdict.actions)) == (1, 15)
