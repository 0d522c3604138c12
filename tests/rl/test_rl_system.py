"""The algorithm is the assignment's: the order of its steps, and the data that it keeps."""

import re
from pathlib import Path

import numpy as np
import pytest

from anet import ANET, DivergedError
from base.storage import read_jsonl
from proofs.regret import Regret
from rl import cached_nets
from rl.episode import Episode
from tests.project import Words
from tests.rl.conftest import (
    ALPHAZERO,
    EXPERT,
    IN_SLOTS,
    Calls,
    Recorder,
    RunMaker,
    logs_of,
    nets_of,
)


@pytest.mark.parametrize(
    ("words", "updates", "expected"),
    [
        (("rl.episodes=7", "rl.cached_nets=4"), [*range(1, 8)], [0, 2, 4, 7]),
        # The second one is due after 5.
        (("rl.episodes=10", "rl.episodes_per_update=4"), [4, 8, 10], [0, 8, 10]),
    ],
)
def test_nets_are_cached_after_the_update_at_which_they_are_due(
    make_run: RunMaker, words: Words, updates: list[int], expected: list[int]
) -> None:
    run = make_run.trained("run", *words)
    assert [record["episode"] for record in read_jsonl(run.run.metrics_path)] == updates
    assert [ANET.load(path).episode for path in cached_nets(run.run.path)] == expected
    assert len(set(nets_of(run).values())) == len(expected)
    untrained = ANET(run.game, run.params.anet, seed=run.params.seed)
    state = run.game.initial_state()
    first = ANET.load(run.run.net_path(0))
    assert first.run_params["mcts"]["simulations"] == 15, "the resolved parameters"
    assert "simulations: 15" in run.run.params_path.read_text()
    assert np.array_equal(first.policy(state), untrained.policy(state))


@pytest.mark.parametrize(
    ("words", "is_greedy"),
    [
        (("rl.action_choice=greedy",), True),
        (("rl.action_choice=epsilon_greedy", "rl.epsilon=1", "game.size=4"), False),
    ],
)
def test_d_is_the_normalised_visit_counts_and_the_subtree_is_kept(
    make_run: RunMaker, calls: Calls, words: Words, is_greedy: bool
) -> None:
    finished: dict[int, Episode] = {}
    make_run("run", *words)._engine.play([1], finished)
    arrays, counts = finished[1].arrays, [result.visit_counts for _, _, result in calls.searches]
    assert len(arrays.distributions) == len(arrays.states) - 1 == len(finished[1].actions)
    for distribution, visits in zip(arrays.distributions, counts, strict=True):
        assert np.array_equal(distribution, visits / visits.sum())
    # Counts kept from earlier moves are in D: more visits than the 15 new simulations.
    assert any(visits.sum() > 15 for visits in counts)
    assert {simulations for _, simulations, _ in calls.searches} == {15}
    assert ([*finished[1].actions] == [int(visits.argmax()) for visits in counts]) == is_greedy


def test_each_search_rolls_out_with_the_current_net(make_run: RunMaker, calls: Calls) -> None:
    rl_system = make_run(
        "run",
        *("anet.critic=true", "rl.sigma=0.8", "rl.sigma_decay=0.5"),
        *("mcts.rollout_epsilon=0.4", "mcts.rollout_epsilon_decay=0.5"),
    )
    calls.policies.clear()
    weights = [rl_system.anet.exact.rollout_policy().net.weights.copy()]
    rl_system.train(
        on_update=lambda record: weights.append(
            rl_system.anet.exact.rollout_policy().net.weights.copy()
        )
    )
    assert len(calls.policies) == 6
    for played, ((policy, sigma), current) in enumerate(zip(calls.policies, weights, strict=False)):
        assert policy is not None
        assert np.array_equal(policy.net.weights, current)
        assert policy.net.epsilon == pytest.approx(0.4 * 0.5**played)
        assert sigma == pytest.approx(0.8 * 0.5**played)
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
def test_observers_see_every_game_with_its_thoughts(make_run: RunMaker, words: Words) -> None:
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
            assert np.array_equal(state, recorder.states.pop(0))
        assert game.winner(state) == record["winner"]
    thoughts = [thought for thought in recorder.thoughts if thought is not None]
    searches = 6 if rl_system.params.rl.scheme == "expert_iteration" else len(recorder.thoughts)
    assert len(thoughts) == len(rl_system.parts[None].replay_buffer) == searches
    values = [thought.value for thought in thoughts]
    assert all(value is not None and -1 <= value <= 1 for value in values)
    assert len(set(values)) > 1
    assert [each.distribution.sum() for each in thoughts] == pytest.approx([1] * searches)


MEASURED = "rl.regret_positions=30"
KEYS = {"regret", "openings_wrong", "opening_map"}


@pytest.mark.parametrize("words", [(), ("anet.critic=true",), ALPHAZERO], ids=str)
def test_the_regret_changes_no_byte_of_any_net(make_run: RunMaker, words: Words) -> None:
    one, other = make_run.trained("one", *words), make_run.trained("other", *words, MEASURED)
    assert nets_of(one) == nets_of(other)
    plain, measured = logs_of(one), logs_of(other)
    assert plain[1] == measured[1]
    without = [{key: line[key] for key in line if key not in KEYS} for line in measured[0]]
    assert [line for line in without if line["episode"]] == plain[0]


def test_cached_nets_alone_have_a_regret_as_soon_as_it_is_wanted(make_run: RunMaker) -> None:
    run = make_run.trained("run", MEASURED)
    measured = {line["episode"]: line for line in logs_of(run)[0] if KEYS & line.keys()}
    nets = sorted(run.run.path.glob("anet_*.pt"))
    assert list(measured) == [0, 3, 6] == [int(path.stem[5:]) for path in nets]
    regret = Regret(run.game, 30)
    for path, line in zip(nets, measured.values(), strict=True):
        assert {key: line[key] for key in KEYS} == regret.record(ANET.load(path))
    make_run.trained("late", "rl.episodes=3", "rl.cached_nets=2")
    late = make_run.resumed("late", "rl.cached_nets=2", MEASURED)
    assert [line["episode"] for line in logs_of(late)[0] if KEYS & line.keys()] == [6]


def test_a_net_that_diverges_stops_the_run_and_leaves_the_last_good_net(make_run: RunMaker) -> None:
    words = (
        "anet.activation=linear anet.optimizer=sgd anet.learning_rate=10 "
        "anet.hidden_layers=[64,64] rl.episodes=50 rl.minibatches=20"
    )
    rl_system = make_run("run", *words.split())
    with pytest.raises(DivergedError) as caught:
        rl_system.train()
    last_good = rl_system.episode
    path = rl_system.run.net_path(last_good)
    message = rf"episode {last_good + 1}: training diverged: .*the last good net is {path}"
    assert re.fullmatch(message, str(caught.value))
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
