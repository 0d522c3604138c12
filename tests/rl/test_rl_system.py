"""The algorithm is the assignment's: the order of its steps, and the data that it keeps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.match import Observer
from anet import ANET, DivergedError
from base.storage import read_jsonl
from hex_mcts.system import System
from mcts import MCTS, SearchResult
from rl import RLSystem, RunDirectory, RunError, cached_nets
from rl.episode import Episode
from rl.hard_cases import HardCases
from rl.replay_buffer import ReplayBuffer
from rl.self_play_engine import SelfPlayEngine
from rl.size_parts import SizeParts
from state_manager import State
from state_manager.policy import Policy
from tests.rl.conftest import EXPERT, IN_SLOTS, Recorder, RunMaker, make_system, nets_of


class Spy(MCTS):
    """A search that records its calls."""

    def watch(self) -> None:
        """Start the record."""
        self.policies: list[tuple[Policy | None, float]] = []
        self.wanted: list[int | None] = []
        self.visit_counts: list[np.ndarray] = []

    def set_rollout_policy(self, policy: Policy | None, rollout_probability: float = 1.0) -> None:
        super().set_rollout_policy(policy, rollout_probability)
        if hasattr(self, "policies"):
            self.policies.append((policy, rollout_probability))

    def search_all(
        self, states: Sequence[State], simulations: int | None = None, *arguments: Any, **named: Any
    ) -> list[SearchResult]:
        results = super().search_all(states, simulations, *arguments, **named)
        self.wanted.append(simulations)
        self.visit_counts += [result.visit_counts for result in results]
        return results


def spied_parts(system: System) -> tuple[SizeParts, Spy]:
    """Return the parts of a run with an untrained net and one search."""
    anet, search = ANET(system.game, system.params.anet, seed=1), Spy(system.game, 15)
    search.watch()
    hard_cases = HardCases(system.game, system.params.rl)
    engine = SelfPlayEngine(anet, [search], system.params, hard_cases)
    return SizeParts(anet, engine, ReplayBuffer(system.game, 1500, True), hard_cases), search


def spied_episode(*overrides: str) -> tuple[Episode, Spy]:
    """Play one episode."""
    parts, search = spied_parts(make_system(*overrides))
    finished: dict[int, Episode] = {}
    parts.engine.play([1], finished)
    return finished[1], search


def test_the_untrained_net_is_cached_before_the_first_episode(make_run: RunMaker) -> None:
    rl_system = make_run("run")
    seen: list[list[str]] = []

    class Look(Observer):
        def on_game_start(self, title: str, players: tuple[str, str], state: State) -> None:
            seen.append(sorted(path.name for path in rl_system.run.path.glob("anet_*.pt")))

    rl_system.train([Look()])
    assert seen[0] == ["anet_00000.pt"]
    cached = ANET.load(rl_system.run.net_path(0))
    untrained = ANET(rl_system.game, rl_system.params.anet, seed=rl_system.params.seed)
    state = rl_system.game.initial_state()
    assert cached.episode == 0
    assert np.array_equal(cached.policy(state), untrained.policy(state))


@pytest.mark.parametrize(
    ("words", "updates", "expected"),
    [
        (("rl.episodes=7", "rl.cached_nets=4"), [*range(1, 8)], [0, 2, 4, 7]),
        # The second one is due after 5.
        (("rl.episodes=10", "rl.episodes_per_update=4"), [4, 8, 10], [0, 8, 10]),
    ],
)
def test_nets_are_cached_after_the_update_at_which_they_are_due(
    make_run: RunMaker, words: tuple[str, ...], updates: list[int], expected: list[int]
) -> None:
    run = make_run.trained("run", *words)
    assert [record["episode"] for record in read_jsonl(run.run.metrics_path)] == updates
    assert [ANET.load(path).episode for path in cached_nets(run.run.path)] == expected
    assert len(set(nets_of(run).values())) == len(expected)


def test_d_is_the_normalised_visit_counts_and_the_subtree_is_kept() -> None:
    episode, search = spied_episode()
    arrays = episode.arrays
    assert len(arrays.distributions) == len(arrays.states) - 1 == len(episode.actions)
    for distribution, counts in zip(arrays.distributions, search.visit_counts, strict=True):
        assert np.array_equal(distribution, counts / counts.sum())
    # Counts kept from earlier moves are in D: more visits than the 15 new simulations.
    assert any(counts.sum() > 15 for counts in search.visit_counts)
    assert search.wanted == [15] * len(episode.actions)


@pytest.mark.parametrize(
    ("words", "is_greedy"),
    [
        (("rl.action_choice=greedy",), True),
        (("rl.action_choice=epsilon_greedy", "rl.epsilon=1", "game.size=4"), False),
    ],
)
def test_an_episode_plays_the_most_visited_actions_if_greedy(
    words: tuple[str, ...], is_greedy: bool
) -> None:
    episode, search = spied_episode(*words)
    greedy = [int(counts.argmax()) for counts in search.visit_counts]
    assert (list(episode.actions) == greedy) == is_greedy


@pytest.mark.parametrize("first", [1, 2])
def test_the_starting_player_may_be_fixed(make_run: RunMaker, first: int) -> None:
    run = make_run.trained("run", f"game.starting_player={first}", "rl.episodes=3")
    assert [each["starting_player"] for each in read_jsonl(run.run.games_path)] == [first] * 3


def test_each_search_rolls_out_with_the_current_net(tmp_path: Path) -> None:
    system = make_system(
        "anet.critic=true",
        "rl.sigma=0.8",
        "rl.sigma_decay=0.5",
        "mcts.rollout_epsilon=0.4",
        "mcts.rollout_epsilon_decay=0.5",
    )
    parts, search = spied_parts(system)
    rl_system = RLSystem({None: parts}, system.params, RunDirectory(tmp_path))
    weights = []

    class Look(Recorder):
        def on_game_start(self, title: str, players: tuple[str, str], state: State) -> None:
            super().on_game_start(title, players, state)
            weights.append(parts.anet.exact.rollout_policy().net.weights)

    rl_system.train([Look()])
    rl_system.close()
    assert len(search.policies) == len(weights) == 6
    for episode, ((policy, sigma), current) in enumerate(
        zip(search.policies, weights, strict=True), start=1
    ):
        assert policy is not None
        assert np.array_equal(policy.net.weights, current)
        assert policy.net.epsilon == pytest.approx(0.4 * 0.5 ** (episode - 1))
        assert sigma == pytest.approx(0.8 * 0.5 ** (episode - 1))
    assert not np.array_equal(weights[0], weights[1])


def test_each_update_has_its_learning_rate_and_a_line_of_metrics(make_run: RunMaker) -> None:
    rl_system = make_run("run", "anet.critic=true", "rl.sigma=0.5", "anet.learning_rate_end=0.4")
    heard, shares = list[dict[str, object]](), list[float]()

    def on_update(record: dict[str, object]) -> None:
        heard.append(record)
        rate = rl_system.anet._optimizer.param_groups[0]["lr"]
        shares.append(rate / rl_system.params.anet.learning_rate)

    rl_system.train(on_update=on_update)
    assert shares == pytest.approx([0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    records = read_jsonl(rl_system.run.metrics_path)
    assert [record["episode"] for record in records] == [1, 2, 3, 4, 5, 6]
    assert records == heard
    for record in records:
        assert record["loss"] >= record["entropy"] > 0
        assert 0 <= record["accuracy"] <= 1
        assert record["value_loss"] >= 0
        assert record["sigma"] == 0.5
        assert record["simulations_per_second"] > 0
    assert records[-1]["cases"] == len(rl_system.parts[None].replay_buffer)
    seconds = [record["seconds"] for record in records]
    assert seconds == sorted(seconds)


SHOWN = {
    "one": (),
    "side by side": ("rl.workers=2", "rl.episodes_per_update=3"),
    "slots": IN_SLOTS,
    "a slot": (*IN_SLOTS, "rl.episodes_per_update=1"),
    "apprentices": ("rl.scheme=expert_iteration",),
    "apprentices in lockstep": EXPERT,
}


@pytest.mark.parametrize("words", SHOWN.values(), ids=SHOWN)
def test_observers_see_every_game_with_the_thoughts_of_its_searches(
    make_run: RunMaker, words: tuple[str, ...]
) -> None:
    rl_system, recorder = make_run("run", *words), Recorder()
    rl_system.train([recorder])
    game, records = rl_system.game, read_jsonl(rl_system.run.games_path)
    assert recorder.titles == [f"episode {number} of 6" for number in range(1, 7)]
    assert [record["episode"] for record in records] == [1, 2, 3, 4, 5, 6]
    assert [record["starting_player"] for record in records] == recorder.starts
    assert recorder.starts == [1, 2, 1, 2, 1, 2]
    assert [record["actions"] for record in records] == recorder.games
    assert [record["winner"] for record in records] == recorder.winners
    for record in records:
        state = game.initial_state(record["starting_player"])
        for action in record["actions"]:
            state = game.child_state(state, action)  # raises where it is illegal
        assert game.winner(state) == record["winner"]
    thoughts = [thought for thought in recorder.thoughts if thought is not None]
    searches = 6 if rl_system.params.rl.scheme == "expert_iteration" else len(recorder.thoughts)
    assert len(thoughts) == len(rl_system.parts[None].replay_buffer) == searches
    values = [thought.value for thought in thoughts]
    assert all(value is not None and -1 <= value <= 1 for value in values)
    assert len(set(values)) > 1
    assert [each.distribution.sum() for each in thoughts] == pytest.approx([1] * searches)


def test_a_run_directory_and_its_nets_hold_the_resolved_parameters(make_run: RunMaker) -> None:
    rl_system = make_run.trained("run", "seed=12")
    assert "seed: 12" in rl_system.run.params_path.read_text()
    run_params = ANET.load(rl_system.run.net_path(6)).run_params
    assert (run_params["seed"], run_params["mcts"]["simulations"]) == (12, 15)
    rl_system.close()
    assert {path.name for path in rl_system.run.path.iterdir()} == {
        "params.yaml",
        "checkpoint.pt",
        "checkpoint_previous.pt",
        "metrics.jsonl",
        "games.jsonl",
        *nets_of(rl_system),
    }


def test_a_net_that_diverges_stops_the_run_and_leaves_the_last_good_net(make_run: RunMaker) -> None:
    rl_system = make_run(
        "run",
        "anet.activation=linear",
        "anet.optimizer=sgd",
        "anet.learning_rate=10",
        "anet.hidden_layers=[64,64]",
        "rl.episodes=50",
        "rl.minibatches=20",
    )
    with pytest.raises(DivergedError) as caught:
        rl_system.train()
    last_good = rl_system.episode
    path = rl_system.run.net_path(last_good)
    message = str(caught.value)
    assert message.startswith(f"episode {last_good + 1}: training diverged: ")
    assert message.endswith(f"the last good net is {path}")
    assert "\n" not in message
    net = ANET.load(path)
    assert net.episode == last_good
    assert np.isfinite(net.policy(rl_system.game.initial_state())).all()
    for log in (rl_system.run.metrics_path, rl_system.run.path / "games.jsonl"):
        assert len(read_jsonl(log)) == last_good


def test_cached_nets_come_in_order_of_training(tmp_path: Path) -> None:
    for name in ("anet_00010.pt", "anet_00002.pt", "anet_100000.pt", "anet_1.pt", "other.pt"):
        (tmp_path / name).touch()
    names = [path.name for path in cached_nets(tmp_path)]
    assert names == ["anet_00002.pt", "anet_00010.pt", "anet_100000.pt"]
    with pytest.raises(RunError, match="no such run directory"):
        cached_nets(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(RunError, match=r"expected nets such as anet_00000\.pt"):
        cached_nets(tmp_path / "empty")
