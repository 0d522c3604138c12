"""A searching agent that asks the exact judge before each move."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from agents import make_agent
from agents.enumeration import Player, Proof
from agents.judged import Adviser
from agents.match import DRAW, GameRecord, play_game
from agents.mcts_agent import MCTSAgent
from agents.sides import Side, alike, sides_of
from state_manager import Judge, NodeLimitError, State, StateManager, make_game, shared_judge

WORD = "mcts:simulations=20,judge=true"


def game_from(game: StateManager, opening: int, other: str, seed: int) -> tuple[int, GameRecord]:
    """Play a game in which the agent has what wins after an opening of one move."""
    ours = shared_judge(game).winner(game.child_state(game.initial_state(1), opening))
    agents = make_agent(WORD, game, seed=seed), make_agent(other, game, seed=seed + 1)
    record = play_game(game, agents if ours == 1 else agents[::-1], opening=[opening])
    return ours, record


@pytest.mark.parametrize("other", ["random", "exact", "mcts:simulations=1000,judge=true"])
def test_it_never_loses_a_won_game_of_5x5(other: str) -> None:
    game = make_game("hex", size=5)
    for opening in range(game.num_actions):
        ours, record = game_from(game, opening, other, seed=opening)
        assert record.winner == ours
        assert record.judged[ours - 1] in (1, 2), "at its first move"
        assert record.judged[2 - ours] is None


@pytest.mark.parametrize("opening", [0, 7, 20, 32])
def test_it_never_loses_a_won_game_of_6x6(opening: int) -> None:
    ours, record = game_from(make_game("hex", size=6), opening, "mcts:simulations=500", seed=3)
    assert record.winner == ours


def are_held(game: StateManager, sides: list[Side]) -> list[bool]:
    """Return for each side, in order, whether the agent holds it against all replies."""
    agent = make_agent("mcts:simulations=1,judge=true", game)

    def choose(states: State) -> NDArray[np.bool_]:
        chosen = np.zeros((len(states), game.num_actions), np.bool_)
        for row, state in enumerate(states):
            chosen[row, agent.choose_action(state)] = True
        return chosen

    player = Player(choose, is_symmetric=False)
    proofs = [Proof(game, player, group) for group in alike(sides)]
    return [held for proof in proofs for held in proof.is_held.tolist()]


def test_it_holds_its_sides_against_all_replies() -> None:
    game = make_game("hex", size=3)
    assert are_held(game, sides_of(game, shared_judge(game).winner)) == [True] * 10
    # ``tests/long/proofs.py`` has all sides of 4x4, not only these parts of both players' games.
    after_a1, after_d1_a1 = Side((0,), 2, (2,)), Side((3, 0), 1, (1,))
    assert are_held(make_game("hex", size=4), [after_a1, after_d1_a1]) == [True] * 2


def test_draws_are_held_and_what_the_other_gives_away_is_taken() -> None:
    game = make_game("tic_tac_toe")
    for choice in ("greedy", "probabilistic"):
        agent = f"mcts:simulations=1,judge=true,choice={choice}"
        for seed in range(4):
            for other, outcomes in (("exact", {DRAW}), ("random", {1, DRAW})):
                agents = make_agent(agent, game, seed=seed), make_agent(other, game, seed=seed)
                assert play_game(game, agents, starting_player=2).winner in outcomes


def test_it_searches_what_is_lost_and_not_what_is_won_and_says_which() -> None:
    game = make_game("hex", size=4)
    agent = make_agent(WORD, game)
    assert isinstance(agent, MCTSAgent)
    won = game.initial_state(2)
    agent.choose_action(won)
    assert agent.simulations_run == 0
    assert agent.thought is not None
    assert (agent.thought.outcome, agent.thought.value) == (2, -1.0)
    lost = game.child_state(game.initial_state(1), game.parse_action("b3"))
    agent.choose_action(lost)
    assert agent.simulations_run == 20
    assert (agent.thought.outcome, agent.thought.is_search) == (1, True)


def test_a_position_that_is_not_decided_is_searched() -> None:
    game = make_game("hex", size=9)
    agent = make_agent(WORD, game)
    agent.choose_action(game.initial_state(1))
    assert isinstance(agent, MCTSAgent)
    assert agent.simulations_run == 20
    assert agent.thought is not None
    assert agent.thought.outcome == 0


def test_the_same_seed_plays_the_same_game() -> None:
    game = make_game("hex", size=7)

    def play() -> GameRecord:
        agents = make_agent(WORD, game, seed=1), make_agent("mcts:simulations=50", game, seed=2)
        return play_game(game, agents, opening=[10, 24, 32, 40, 16, 26])

    first, again = play(), play()
    assert (first, first.judged) == (again, again.judged)


@pytest.mark.parametrize(("size", "share"), [(5, 0.75), (7, 0.1)])
def test_questions_take_a_share_of_the_time(
    size: int, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, given = make_game("hex", size=size), []

    def winner(self: Judge, state: State, seconds: float | None = None) -> int:
        given.append(seconds)
        raise NodeLimitError("too many")

    monkeypatch.setattr(Judge, "winner", winner)
    state = game.initial_state()
    for limit in (2.0, None):
        verdict = Adviser(game, limit).verdict(state)
        assert (verdict.outcome, len(verdict.actions)) == (0, size * size)
    assert given == [pytest.approx(2.0 * share, abs=0.1), None]
