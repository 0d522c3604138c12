"""The learning schemes: the behaviour that distinguishes each of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import numpy as np
import pytest

from anet import ANET, Minibatch, TrainingMetrics
from anet.evaluator import NetEvaluator
from base.cluster import Map
from base.jit import kernel
from base.params import RLParams
from base.storage import read_jsonl
from mcts import MCTS
from rl.schemes import SCHEMES, scheme
from state_manager import Indices, State
from state_manager.policy import CHOOSE, ActiveFeatures, Net, Policy, move_by_move, uniform_choice
from tests.rl.conftest import ALPHAZERO, Recorder, RunMaker, make_system

EXPERT = ("rl.scheme=expert_iteration", "rl.episodes_per_update=3", "rl.epochs=2")


def test_the_registry_and_the_parameters_name_the_same_schemes() -> None:
    assert tuple(SCHEMES) == get_args(RLParams.model_fields["scheme"].annotation)
    for name in SCHEMES:
        assert callable(scheme(make_system(f"rl.scheme={name}").params).play)


def test_the_expert_labels_one_position_of_each_episode(
    make_run: RunMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    rl_system = make_run("run", *EXPERT)
    labels: list[tuple[int, np.ndarray]] = []
    searched: list[np.ndarray] = []
    original = MCTS.search_all

    def noted(self: MCTS, states: Sequence[State], *arguments: Any, **named: Any) -> Any:
        results = original(self, states, *arguments, **named)
        searched.extend(state.copy() for state in states)
        labels.extend((result.simulations, result.distribution) for result in results)
        return results

    monkeypatch.setattr(MCTS, "search_all", noted)
    recorder = Recorder()
    rl_system.train([recorder])
    assert len(rl_system.parts[None].replay_buffer) == len(recorder.games) == len(searched) == 6
    buffer = rl_system.parts[None].replay_buffer.state()
    for row, (simulations, distribution) in enumerate(labels):
        assert simulations == 15
        assert np.array_equal(buffer["states"][row], searched[row])
        assert buffer["distributions"][row] == pytest.approx(distribution, abs=1e-7)
        states = [rl_system.game.initial_state(recorder.starts[row])]
        for action in recorder.games[row]:
            states.append(rl_system.game.child_state(states[-1], action))
        assert any(np.array_equal(searched[row], state) for state in states[:-1])
        mover_won = searched[row][0] == recorder.winners[row]
        assert buffer["values"][row] == (1.0 if mover_won else -1.0)


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


def test_the_apprentice_plays_by_the_parameters(make_run: RunMaker) -> None:
    greedy = games_of(make_run, *EXPERT, "rl.action_choice=greedy")
    assert greedy[0] == greedy[1] == greedy[2]
    assert len(set(map(tuple, games_of(make_run, *EXPERT)))) == 6
    late = games_of(make_run, *EXPERT, "rl.temperature_moves=0", "rl.epsilon=0")
    assert late[:3] == greedy[:3]


def test_moves_are_drawn_at_a_temperature_and_then_greedy(make_run: RunMaker) -> None:
    words = "rl.temperature=0", "rl.action_choice=greedy", "rl.temperature_moves=0"
    cold, greedy, late = (games_of(make_run, word) for word in words)
    assert cold == greedy == late != games_of(make_run, "rl.temperature=5")


def test_random_rollouts_of_the_expert_use_the_fast_rollout(
    make_run: RunMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    policies: list[Policy | None] = []
    original = MCTS.set_rollout_policy

    def noted(self: MCTS, policy: Policy | None, rollout_probability: float = 1.0) -> None:
        policies.append(policy)
        original(self, policy, rollout_probability)

    rl_system = make_run("run", *EXPERT, "mcts.rollout_epsilon_decay=0.5")
    monkeypatch.setattr(MCTS, "set_rollout_policy", noted)
    rl_system.train()
    fast = [policy.choose is uniform_choice for policy in policies if policy is not None]
    # Each begins with the net's rollouts, with which the apprentice plays, then changes to these.
    assert fast[0::2] == [False] * 6
    assert fast[1::2] == [True, *[False] * 5]


@kernel(CHOOSE)
def leaves_a_trace(
    active_features: ActiveFeatures,
    net: Net,
    state: State,
    legal: Indices,
    count: int,
    rng: np.random.Generator,
) -> int:
    """Take the first action, and write to a weight that no other code writes to."""
    net.rows[len(net.rows) - 1] = 12345
    return int(legal[0])


@pytest.mark.parametrize(
    ("words", "plays_rollouts"), [((), True), (ALPHAZERO, False)], ids=["on_policy", "alphazero"]
)
def test_alphazero_plays_no_rollouts(
    make_run: RunMaker,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    plays_rollouts: bool,
) -> None:
    handed_out: list[Policy] = []
    original = NetEvaluator.rollout_policy

    def watched(self: NetEvaluator, epsilon: float = 0.1) -> Policy:
        traced = original(self, epsilon)._replace(choose=leaves_a_trace, rollout=move_by_move)
        handed_out.append(traced)
        return handed_out[-1]

    monkeypatch.setattr(NetEvaluator, "rollout_policy", watched)
    make_run.trained("run", *words)
    assert len(handed_out) >= 6
    assert any(policy.net.rows[-1] == 12345 for policy in handed_out) == plays_rollouts


def test_alphazero_has_a_critic_and_no_rollouts_for_any_parameters(make_run: RunMaker) -> None:
    rl_system = make_run.trained("run", *ALPHAZERO, "anet.critic=false", "rl.sigma=1")
    text = (rl_system.run.path / "params.yaml").read_text()
    assert "critic: true" in text
    assert "sigma: 0.0" in text
    for record in read_jsonl(rl_system.run.metrics_path):
        assert record["sigma"] == 0.0
        assert record["value_loss"] >= 0.0


def test_an_epoch_trains_on_every_case_of_the_buffer(
    make_run: RunMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
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
