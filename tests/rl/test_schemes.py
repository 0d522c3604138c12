"""The learning schemes: the behaviour that distinguishes each of them."""

from typing import get_args

import numpy as np
import pytest

from anet import ANET, Minibatch, TrainingMetrics
from base.cluster import Map
from base.params import RLParams
from base.storage import read_jsonl
from rl.schemes import SCHEMES, scheme
from state_manager.policy import uniform_choice
from tests.project import Patch, Words
from tests.rl.conftest import BATCHED, Calls, Recorder, RunMaker, make_system

EXPERT = ("rl.scheme=expert_iteration", "rl.episodes_per_update=3", "rl.epochs=2")


def test_the_registry_and_the_parameters_name_the_same_schemes() -> None:
    assert tuple(SCHEMES) == get_args(RLParams.model_fields["scheme"].annotation)
    for name in SCHEMES:
        assert callable(scheme(make_system(f"rl.scheme={name}").params).play)


def test_the_expert_labels_one_position_of_each_episode(make_run: RunMaker, calls: Calls) -> None:
    rl_system, recorder = make_run("run", *EXPERT), Recorder()
    rl_system.train([recorder])
    buffer = rl_system.parts[None].replay_buffer.state()
    assert len(buffer["states"]) == len(recorder.games) == len(calls.searches) == 6
    for row, (state, _, result) in enumerate(calls.searches):
        assert result.simulations == 15
        assert np.array_equal(buffer["states"][row], state)
        assert buffer["distributions"][row] == pytest.approx(result.distribution, abs=1e-7)
        of_game = [rl_system.game.initial_state(recorder.starts[row])]
        for action in recorder.games[row]:
            of_game.append(rl_system.game.child_state(of_game[-1], action))
        assert any(np.array_equal(state, each) for each in of_game[:-1])
        assert buffer["values"][row] == (1.0 if state[0] == recorder.winners[row] else -1.0)


def test_the_position_that_is_labelled_may_be_any_of_the_game(make_run: RunMaker) -> None:
    words = ("game.name=nim", "game.stones=5", "game.max_take=1", "rl.episodes=200")
    more = ("rl.episodes_per_update=200", "rl.cached_nets=2", "mcts.simulations=1")
    rl_system = make_run.trained("run", *EXPERT, *words, *more)
    stones = (rl_system.parts[None].replay_buffer.state()["states"][:, 1:6] == 1).sum(axis=1)
    counts = np.bincount(stones, minlength=6)[1:]
    # Every game has five positions; 40 of each are expected, with a standard deviation of 5.7.
    assert counts.sum() == 200
    assert counts.min() >= 15


def games_of(make_run: RunMaker, *words: str) -> list[list[int]]:
    """Return the actions of each game of a run in which player 1 starts."""
    run = make_run.trained(" ".join(words), "game.starting_player=1", *words)
    return [record["actions"] for record in read_jsonl(run.run.games_path)]


@pytest.mark.parametrize("more", [(), BATCHED], ids=["one by one", "batched"])
def test_the_apprentice_plays_by_the_parameters(make_run: RunMaker, more: Words) -> None:
    words = (*EXPERT, *more)
    untrained = make_run("untrained", *words)
    greedy = games_of(make_run, *words, "rl.action_choice=greedy")
    assert greedy[0] == greedy[1] == greedy[2]
    assert greedy[0][0] == untrained.anet.policy(untrained.game.initial_state(1)).argmax()
    assert len(set(map(tuple, games_of(make_run, *words)))) == 6
    late = games_of(make_run, *words, "rl.temperature_moves=0", "rl.epsilon=0")
    assert late[:3] == greedy[:3]
    drawn = games_of(make_run, *words, "rl.action_choice=epsilon_greedy", "rl.epsilon=1")
    assert len({game[0] for game in drawn[:3]}) > 1


def test_moves_are_drawn_at_a_temperature_and_then_greedy(make_run: RunMaker) -> None:
    words = "rl.temperature=0", "rl.action_choice=greedy", "rl.temperature_moves=0"
    cold, greedy, late = (games_of(make_run, word) for word in words)
    assert cold == greedy == late != games_of(make_run, "rl.temperature=5")


def test_random_rollouts_of_the_expert_are_the_fast_ones(make_run: RunMaker, calls: Calls) -> None:
    run = make_run("run", *EXPERT, "mcts.rollout_epsilon_decay=0.5")
    calls.policies.clear()
    run.train()
    fast = [policy.choose is uniform_choice for policy, _ in calls.policies if policy is not None]
    # Each begins with the net's rollouts, with which the apprentice plays, then changes to these.
    assert fast[0::2] == [False] * 6
    assert fast[1::2] == [True, *[False] * 5]


def test_alphazero_always_has_a_critic_and_no_rollouts(make_run: RunMaker, calls: Calls) -> None:
    words = ("rl.scheme=alphazero", "rl.episodes_per_update=3", "rl.gating_games=4")
    run = make_run("run", *words, "anet.critic=false", "rl.sigma=1")
    calls.policies.clear()
    run.train()
    assert run.params.anet.critic
    assert len(calls.policies) >= 6
    assert {probability for _, probability in calls.policies} == {0.0}
    for record in read_jsonl(run.run.metrics_path):
        assert record["sigma"] == 0.0
        assert record["value_loss"] >= 0.0


def test_an_epoch_trains_on_every_case_of_rbuf(make_run: RunMaker, monkeypatch: Patch) -> None:
    shown: list[int] = []
    original = ANET.train

    def noted(self: ANET, minibatch: Minibatch, sharing: Map = map) -> TrainingMetrics:
        shown.append(len(minibatch))
        return original(self, minibatch, sharing)

    monkeypatch.setattr(ANET, "train", noted)
    rl_system = make_run.trained("run", "rl.epochs=3", "rl.episodes=2", "rl.minibatch_size=4")
    first, both = (record["cases"] for record in read_jsonl(rl_system.run.metrics_path))
    assert sum(shown) == 3 * (first + both)
    assert max(shown) == 4
