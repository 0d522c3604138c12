"""One net on boards of several sizes: the schedule of sizes, learning, and refused parameters."""

import shutil
from collections import Counter
from collections.abc import Callable
from functools import reduce
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.nets import load_anet
from anet import ANET, Minibatch, NetError
from base.storage import CheckpointError, load_checkpoint, read_jsonl
from rl import RLSystem, cached_nets, schedule
from rl.hard_cases import HardCases
from rl.schedule import Progress
from rl.self_play import SelfPlay
from state_manager import StateManager, make_game
from tests.project import Patch
from tests.rl.conftest import SIZED, Recorder, RunMaker, assert_same_run, ctrl_c, make_system

GROWING = (*SIZED, "rl.sizes={3: [1, 0], 4: [0, 1]}")
EXPLOITER = (
    *("rl.exploiter=[0.2,0.4,0.6,0.8]", "rl.exploiter_positions=5", "rl.exploiter_cases=6"),
    *("rl.exploiter_simulations=5", "rl.exploiter_share=0.5", "rl.exploiter_starts=0.7"),
)
RESUMED = (*GROWING, *EXPLOITER, "mcts.time_limit=1000")  # game by game, not in slots


def sizes_of(rl_system: RLSystem) -> list[int]:
    return [record["size"] for record in read_jsonl(rl_system.run.metrics_path)]


@pytest.fixture(scope="module")
def whole(make_shared_run: RunMaker) -> RLSystem:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("anet.evaluator._OF_PLANES", 1)
        return make_shared_run.trained("whole", *RESUMED)


@pytest.fixture(scope="module")
def mixed_net(make_shared_run: RunMaker) -> Path:
    run = make_shared_run.trained("run", *SIZED)
    run.close()
    return cached_nets(run.run.path)[-1]


@pytest.mark.parametrize("update", range(5))
@pytest.mark.parametrize("while_playing", [True, False])
def test_a_resumed_run_is_what_it_would_have_been(
    make_run: RunMaker, whole: RLSystem, monkeypatch: Patch, update: int, while_playing: bool
) -> None:
    assert set(sizes_of(whole)) == {3, 4}
    monkeypatch.setattr("anet.evaluator._OF_PLANES", 1)
    parts = make_run("parts", *RESUMED)
    in_play = ctrl_c(SelfPlay, "begin", lambda self, numbers: 3 * update + 3 in numbers)
    in_training = ctrl_c(ANET, "train", lambda *given: parts.episode == 3 * update)
    with in_play if while_playing else in_training:
        parts.train()
    again = make_run("parts", *RESUMED)
    again.resume()
    assert again.episode == 3 * update
    again.train()
    assert_same_run(whole, again)


def test_games_of_a_batch_that_is_now_on_another_board_are_dropped(make_run: RunMaker) -> None:
    short = make_run.trained("run", *GROWING, "seed=2", "rl.episodes=13")
    assert sizes_of(short)[-1] == 4
    longer = make_run("run", *GROWING, "seed=2", "rl.episodes=60")
    longer.resume()
    assert (longer.episode, longer.waiting) == (12, 0)
    longer.train()
    assert sizes_of(longer)[4] == 3
    assert len(read_jsonl(longer.run.games_path)) == 60


def test_a_board_of_no_run_is_refused(make_run: RunMaker, mixed_net: Path, tmp_path: Path) -> None:
    shutil.copytree(mixed_net.parent, tmp_path / "run")
    again = make_run("run", *SIZED)
    checkpoint = load_checkpoint(again.run.checkpoint_path, "training")
    again.run.save_checkpoint({**checkpoint.meta, "size": 9}, checkpoint.tensors)
    with pytest.raises(CheckpointError, match="expected a run's 9"):
        again.resume()


def test_sizes_come_by_their_weights_as_evenly_as_they_can() -> None:
    params = make_system(*SIZED, "rl.sizes={3: 1, 4: 2, 5: 0}").params
    weights = schedule.size_weights(params, Progress(0, 15))
    found = list(islice(schedule.sizes(weights, np.random.default_rng(1)), 30))
    assert all(found[n : n + 12].count(3) in (3, 4, 5) for n in range(18))
    assert set(found) == {3, 4}
    firsts = [next(schedule.sizes(weights, np.random.default_rng(1), n)) for n in range(30)]
    assert firsts == found, "batches go on in the same sequence"


@pytest.mark.parametrize(
    ("done", "bent"), [(0, 2.0), (20, 1.2), (25, 1.0), (50, 0.0), (60, 0.8), (100, 4.0)]
)
def test_weights_move_from_each_point_to_the_next(done: int, bent: float) -> None:
    words = "game.size=5", "rl.sizes={4: [1, 0], 5: [0, 3], 6: 0.5, 7: [2, 0, 4]}"
    weights = schedule.size_weights(make_system(*SIZED, *words).params, Progress(done, 100))
    share = done / 100
    assert weights == pytest.approx({4: 1 - share, 5: 3 * share, 6: 0.5, 7: bent})
    found = Counter(islice(schedule.sizes(weights, np.random.default_rng(1)), 1000))
    for size, weight in weights.items():
        assert found[size] / 1000 == pytest.approx(weight / sum(weights.values()), abs=0.01)


def test_each_size_has_its_games_and_minibatches_in_proportion_to_its_new_cases(
    make_run: RunMaker, monkeypatch: Patch
) -> None:
    run = make_run("run", *SIZED, "rl.minibatches=30", "rl.replay_buffer_size=40")
    recorder, train, seen = Recorder(), ANET.train, []

    def note(self: ANET, minibatch: Minibatch, *rest: Any) -> Any:
        assert self.game.num_actions == minibatch.legal.shape[1]
        assert self.game.num_features == minibatch.observations.shape[1]
        seen.append(self.game.num_actions)
        return train(self, minibatch, *rest)

    monkeypatch.setattr(ANET, "train", note)
    run.train([recorder])
    per_update = [Counter(seen[n : n + 30]) for n in range(0, 150, 30)]
    played = sizes_of(run)
    metrics = read_jsonl(run.run.metrics_path)
    for update, record in zip(per_update, metrics, strict=True):
        logged = record["sizes"]
        assert {int(size) ** 2: each["minibatches"] for size, each in logged.items()} == update
        for key in ("loss", "entropy", "accuracy", "value_loss"):
            mean = sum(each["minibatches"] * each[key] for each in logged.values()) / 30
            assert mean == pytest.approx(record[key])
    games, newest = read_jsonl(run.run.games_path), {3: 0, 4: 0}
    for n, found in enumerate(per_update):
        newest[played[n]] = sum(len(each["actions"]) for each in games[3 * n : 3 * n + 3])
        expected = 30 * newest[3] / (newest[3] + 2 * newest[4])
        assert found[9] == pytest.approx(expected, abs=2)
    for size, board in run.parts.items():
        actions = [each["actions"] for each in games if each["size"] == size]
        assert len(board.replay_buffer) == min(40, sum(map(len, actions)))
        assert max(map(max, actions)) == board.anet.game.num_actions - 1
    assert metrics[-1]["cases"] == sum(len(board.replay_buffer) for board in run.parts.values())
    shown = [each["actions"] for each in games if each["size"] == 4]
    assert recorder.games == shown, "of the own size"


def test_each_size_has_its_own_rounds_of_the_exploiter_which_prove_no_run(
    make_run: RunMaker, monkeypatch: Patch
) -> None:
    run, mix_in = make_run("run", *SIZED, *EXPLOITER), HardCases.mix_in
    mixed: Counter[tuple[int, bool]] = Counter()

    def note(self: HardCases, minibatch: Minibatch, *rest: Any) -> Any:
        mixed[minibatch.legal.shape[1], len(self.cases) > 0] += 1
        return mix_in(self, minibatch, *rest)

    monkeypatch.setattr(HardCases, "mix_in", note)
    monkeypatch.setattr(HardCases, "is_proven", True)
    run.train()
    assert (run.episode, run.is_proven) == (15, False)
    records = [each for each in read_jsonl(run.run.metrics_path) if "exploiter_size" in each]
    rounds = Counter(each["exploiter_size"] for each in records)
    assert rounds == {3: 1, 4: 3}
    for size, (net, engine, _, hard_cases) in run.parts.items():
        assert hard_cases.rounds == rounds[size]
        assert 0 < len(hard_cases.cases) <= 6 * rounds[size]
        assert mixed[net.game.num_actions, True] > 0
        assert engine.hard_cases is hard_cases
        for actions in hard_cases.starts:
            state = reduce(net.game.child_state, actions, net.game.initial_state(1))
            assert not net.game.is_final(state)


@pytest.mark.parametrize("size", [3, 6])
@pytest.mark.parametrize("load", [ANET.load, load_anet])
def test_a_net_of_a_mixed_run_plays_on_any_board(
    mixed_net: Path, size: int, load: Callable[[Path, StateManager], ANET]
) -> None:
    game = make_game("hex", size=size)
    net = load(mixed_net, game)
    assert (net.game, net.episode) == (game, 15)
    policies, values = net.evaluate([game.initial_state(player) for player in (1, 2)])
    assert policies.shape == (2, size**2)
    assert policies.sum(axis=1) == pytest.approx(1.0)
    assert values is not None
    own = ANET.load(mixed_net)
    assert own.game == make_game("hex", size=4)
    assert all(np.array_equal(own.weights()[name], each) for name, each in net.weights().items())


def test_a_net_fits_no_other_game(mixed_net: Path, make_run: RunMaker) -> None:
    for game in (make_game("tic_tac_toe"), make_game("hex", size=4, swap=True)):
        with pytest.raises(NetError, match=r"expected a net for .*, got one for hex\(size=4\)"):
            ANET.load(mixed_net, game)
    dense = ANET(make_game("hex", size=3))
    with pytest.raises(NetError, match=r"expected a net for hex\(size=4\), got one for"):
        dense.on(make_game("hex", size=4))


def test_weights_restored_on_one_board_are_those_of_all() -> None:
    small, large = make_game("hex", size=3), make_game("hex", size=5)
    net = ANET(small, make_system(*SIZED).params.anet, seed=1)
    other = net.on(large)
    before = [each.policy(each.game.initial_state(1)) for each in (net, other)]
    other.restore(ANET(large, net.params, seed=2).weights(), 0)
    after = [each.policy(each.game.initial_state(1)) for each in (net, other)]
    assert not any(map(np.array_equal, before, after))
    alone = ANET(small, net.params, seed=2)
    assert np.array_equal(after[0], alone.policy(small.initial_state(1)))
