"""A second phase of training, which begins with the weights of a net."""

from __future__ import annotations

import itertools
import shlex
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import rl.self_play_engine
from anet import ANET
from base.params import ANETParams
from hex_mcts.system import PRESETS, read_params
from rl.clock import RunClock
from state_manager import make_game
from tests.commands.conftest import TINY_RUN, Call

SHORT = [word for word in TINY_RUN if not word.startswith(("game.", "anet."))]


@pytest.fixture
def net(tmp_path: Path) -> Path:
    """Return the file of an untrained net."""
    path = tmp_path / "first.pt"
    params = ANETParams(hidden_layers=(7, 5), activation="tanh", critic=True, learning_rate=0.01)
    run = {"rl": {"scheme": "expert_iteration"}}
    ANET(make_game("hex", size=3), params, seed=9, run_params=run).save(path)
    return path


def weights(path: Path) -> list[bytes]:
    """Return the weights in a net's file."""
    return [tensor.numpy().tobytes() for tensor in ANET.load(path).state()[1].values()]


def test_a_run_begins_with_the_weights_and_the_architecture_of_a_net(
    call: Call, tmp_path: Path, net: Path
) -> None:
    words = ("mcts.simulations=9", "anet.learning_rate=0.02")
    result = call("train", "--run", "run", "--from", str(net), *SHORT, *words)
    assert (result.status, result.errors) == (0, "")
    assert f"weights of {net}, and has its architecture and game." in result.output
    assert weights(tmp_path / "run" / "anet_00000.pt") == weights(net)
    params = read_params(tmp_path / "run" / "params.yaml")
    assert params.anet == ANETParams(
        hidden_layers=(7, 5), activation="tanh", critic=True, learning_rate=0.02
    )
    assert params.game.options.model_dump() == {"size": 3, "swap": False}
    assert params.rl.scheme == "on_policy"  # that of params.yaml
    assert params.rl.start == str(net)


@pytest.mark.parametrize("preset", ["hex-4", "hex-5-expert-iteration"])
def test_all_but_weights_and_architecture_is_that_of_a_file_that_is_named(
    call: Call, tmp_path: Path, net: Path, preset: str
) -> None:
    words = ("game.size=3", "anet.view=absolute", "rl.exploiter=[]")
    result = call("train", "--run", "run", "--from", str(net), "--preset", preset, *SHORT, *words)
    assert (result.status, result.errors) == (0, "")
    file = PRESETS[preset]
    first = result.output.splitlines()[0]
    assert first.startswith(f"Parameters: presets/{file.name} (preset {preset}), with mcts.")
    params, named = read_params(tmp_path / "run" / "params.yaml"), read_params(file)
    assert (params.rl.scheme, params.mcts.q_scale) == (named.rl.scheme, named.mcts.q_scale)
    assert params.anet.optimizer == named.anet.optimizer
    assert (params.anet.hidden_layers, params.anet.critic) == ((7, 5), True)


def test_the_run_is_resumed_without_the_net(call: Call, tmp_path: Path, net: Path) -> None:
    for run in ("run", "whole"):
        episodes = f"rl.episodes={2 if run == 'run' else 4}"
        words = ("rl.episodes_per_update=1", "rl.cached_nets=2", episodes)
        assert call("train", "--run", run, "--from", str(net), *SHORT, *words).status == 0
    net.unlink()
    assert call("train", "--run", "run", "--resume", "rl.episodes=4").status == 0
    last = [(tmp_path / run / "anet_00004.pt").read_bytes() for run in ("run", "whole")]
    assert last[0] == last[1]


def test_a_damaged_net_0_is_not_made_anew_from_the_seed(
    call: Call, tmp_path: Path, net: Path
) -> None:
    words = [*SHORT, "rl.episodes_per_update=1"]
    assert call("train", "--run", "run", "--from", str(net), *words).status == 0
    (tmp_path / "run" / "anet_00000.pt").unlink()
    result = call("train", "--run", "run", "--resume", "rl.episodes=6")
    assert "no checkpoint holds this net" in result.output
    assert not (tmp_path / "run" / "anet_00000.pt").exists()


@pytest.mark.parametrize(
    "words", [["game.size=4"], ["anet.hidden_layers=[7,6]"], ["anet.critic=false"]]
)
def test_a_net_that_does_not_fit_is_refused_in_one_line(
    call: Call, tmp_path: Path, net: Path, words: list[str]
) -> None:
    result = call("train", "--run", "run", "--from", str(net), *SHORT, *words)
    assert result.status == 2
    assert result.errors.count("\n") == 1
    assert "first.pt: expected weights that fit a mlp net for hex(size=" in result.errors
    assert not (tmp_path / "run").exists()


def test_a_pooled_net_begins_a_run_on_a_larger_board(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "small.pt"
    params = ANETParams(network="pooled", channels=4, blocks=2, critic=True)
    run = {"rl": {"scheme": "alphazero"}}
    ANET(make_game("hex", size=5), params, seed=9, run_params=run).save(path)
    result = call("train", "--run", "run", "--from", str(path), *SHORT, "game.size=7")
    assert result.status == 2
    assert "small.pt: anet.network: expected mlp with rl.scheme=on_policy" in result.errors
    assert "--preset names other schemes" in result.errors
    words = ["game.size=7", *SHORT, "mcts.tree_policy=gumbel", "rl.scheme=alphazero"]
    result = call("train", "--run", "run", "--from", str(path), *words)
    assert (result.status, result.errors) == (0, "")
    begun = tmp_path / "run" / "anet_00000.pt"
    assert weights(begun) == weights(path)
    small, large = ANET.load(path), ANET.load(begun)
    assert large.game == make_game("hex", size=7)
    same = ANET(large.game, params, seed=1)
    same.restore(small.state()[1], 0)
    state = large.game.initial_state()
    assert np.array_equal(large.policy(state), same.policy(state))
    for wrong in (
        *("anet.channels=3", "anet.blocks=1", "anet.network=residual", "game.swap=true"),
        *("anet.hidden_layers=[128]", "anet.batch_normalization=false"),
    ):
        result = call("train", "--run", "other", "--from", str(path), *words, wrong)
        assert (result.status, result.errors.count("\n")) == (2, 1)
        assert "small.pt: expected weights that fit a " in result.errors


@pytest.mark.parametrize("network", ["residual_mlp", "residual"])
def test_other_nets_begin_no_run_on_a_larger_board(
    call: Call, tmp_path: Path, network: str
) -> None:
    path = tmp_path / "small.pt"
    params = ANETParams.model_validate({"network": network, "padded_size": 7, "critic": True})
    run = {"rl": {"scheme": "alphazero"}}
    ANET(make_game("hex", size=5), params, seed=9, run_params=run).save(path)
    words = ["game.size=7", *SHORT, "mcts.tree_policy=gumbel", "rl.scheme=alphazero"]
    result = call("train", "--run", "run", "--from", str(path), *words)
    assert (result.status, result.errors.count("\n")) == (2, 1)
    assert f"expected weights that fit a {network} net for hex(size=7" in result.errors


def test_a_file_that_is_no_net_is_refused(call: Call, tmp_path: Path, net: Path) -> None:
    assert "no such file" in call("train", "--from", "none.pt").errors
    result = call("train", "--run", "run", "--resume", "--from", str(net))
    assert (result.status, "got both" in result.errors) == (2, True)


def test_minutes_end_with_the_command_that_counts_episodes(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = itertools.count()  # at the clock, before each search
    with monkeypatch.context() as patched:
        patched.setattr(RunClock, "games_end", lambda self: 40)
        patched.setattr(rl.self_play_engine, "time", SimpleNamespace(time=lambda: next(looks)))
        result = call("train", "--run", "run", *TINY_RUN, "rl.cached_nets=9", "--minutes", "90")
    episodes = len((tmp_path / "run" / "metrics.jsonl").read_text().splitlines())
    assert episodes > 0
    begin = f"{episodes} episodes; for the same number again: "
    (line,) = [line for line in result.output.splitlines() if line.startswith(begin)]
    again = shlex.split(line.partition(" train ")[2])
    assert again[-1] == f"rl.episodes={episodes}"
    assert read_params(tmp_path / "run" / "params.yaml").rl.minutes == 90.0
    assert call("train", "--run", "again", *again).status == 0
    for minutes, longer in (("90", "180"), ("45", "180")):  # the run took 90
        over = call("train", "--run", "run", "--resume", "--minutes", minutes)
        expected = f"The {minutes} minutes are already over; to go on, add --minutes M, such as"
        assert f"{expected} --minutes {longer}." in over.output


def test_a_time_limit_that_ends_before_the_first_game_is_reported(
    call: Call, tmp_path: Path
) -> None:
    result = call("train", "--run", "run", *TINY_RUN, "--minutes", "0.001")
    assert result.status == 0
    assert (
        "The 0.001 minutes were over before the first game, and nothing is learned" in result.output
    )
    assert [path.name for path in (tmp_path / "run").glob("anet_*.pt")] == ["anet_00000.pt"]


def test_the_time_that_the_start_of_the_command_takes_counts(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    began: list[float] = []
    start = RunClock.start

    def starts(self: RunClock, moment: float | None = None) -> None:
        began.extend([] if moment is None else [moment])
        start(self, moment)

    monkeypatch.setattr(RunClock, "start", starts)
    before = time.perf_counter()
    assert call("train", "--run", "run", *TINY_RUN).status == 0
    assert began[0] < before + 0.1 * (time.perf_counter() - before)
