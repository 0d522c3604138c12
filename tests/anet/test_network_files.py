"""Nets of every kind in files; old files; GPUs."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from anet import ANET, NetError
from base.storage import load_checkpoint, save_checkpoint
from state_manager import StateManager
from tests.anet.conftest import states_of
from tests.anet.test_networks import BATCHED, NETWORKS, small_net
from tests.anet.test_training import fixed_cases
from tests.project import ROOT

OLD_NETS = sorted((ROOT / "nets" / "hex-5").glob("*.pt"))


@pytest.mark.parametrize("network", NETWORKS)
def test_a_saved_net_of_any_kind_is_loaded_equal(
    tmp_path: Path, hex_game: StateManager, network: str
) -> None:
    net = small_net(hex_game, network=network, padded_size=4, value_weight=0.5, steps=3)
    net.episode, net.run_params = 150, {"seed": 3, "rl": {"episodes": 200}}
    net.save(tmp_path / "net.pt")
    loaded = ANET.load(tmp_path / "net.pt", hex_game)
    assert (loaded.game, loaded.params) == (net.game, net.params)
    assert (loaded.episode, loaded.run_params) == (150, net.run_params)
    states = states_of(hex_game)
    for ours, theirs in zip(net.evaluate(states), loaded.evaluate(states), strict=True):
        assert np.array_equal(ours, theirs)  # type: ignore[arg-type]
    loaded.save(tmp_path / "again.pt")
    assert (tmp_path / "again.pt").read_bytes() == (tmp_path / "net.pt").read_bytes()


@pytest.mark.parametrize("optimizer", ["adagrad", "sgd", "rmsprop", "adam", "adamw", "muon"])
@pytest.mark.parametrize("network", BATCHED)
def test_a_loaded_net_continues_to_learn_as_the_saved_one(
    tmp_path: Path, hex_game: StateManager, network: str, optimizer: str
) -> None:
    words: Any = {"network": network, "optimizer": optimizer, "channels": 16}
    net = small_net(hex_game, steps=2, **words)
    meta, tensors = net.state()
    save_checkpoint(tmp_path / "run.pt", "run", meta, tensors)
    again = small_net(hex_game, seed=9, **words)
    again.restore(load_checkpoint(tmp_path / "run.pt", "run").tensors, episode=2)
    losses = [[each.train(fixed_cases(hex_game)).loss for _ in range(3)] for each in (net, again)]
    assert losses[0] == losses[1]
    states = states_of(hex_game)
    assert np.array_equal(net.policy(states), again.policy(states))
    # Back to before: the running statistics too.
    net.restore(tensors, episode=2)
    now = net.state()[1]
    assert all(torch.equal(now[name], tensors[name]) for name in tensors)


@pytest.mark.parametrize("path", OLD_NETS, ids=[path.stem for path in OLD_NETS])
def test_a_file_of_the_first_version_is_an_mlp(path: Path) -> None:
    assert "network" not in load_checkpoint(path, "anet").meta["anet"]
    net = ANET.load(path)
    assert net.params.network == "mlp"
    assert net.params.facts.plays_rollouts
    assert net.policy(net.game.initial_state()).sum() == pytest.approx(1.0)


def test_the_initial_weights_of_an_mlp_are_those_of_earlier_versions() -> None:
    old = ANET.load(OLD_NETS[0])
    assert old.episode == 0
    new = ANET(old.game, old.params, seed=int(old.run_params["seed"]))
    weights, new_weights = old.state()[1], new.state()[1]
    assert weights.keys() == new_weights.keys()
    # The last bits are the processor's.
    assert all(torch.allclose(weights[name], new_weights[name]) for name in weights)


@pytest.mark.parametrize("network", NETWORKS)
def test_a_missing_gpu_is_refused(
    hex_game: StateManager, monkeypatch: pytest.MonkeyPatch, network: str
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert small_net(hex_game, network=network, device="auto").policy(states_of(hex_game)).any()
    if network == "mlp":  # it always computes on the CPU
        assert small_net(hex_game, device="cuda").policy(states_of(hex_game)).any()
        return
    with pytest.raises(NetError) as caught:
        small_net(hex_game, network=network, device="cuda")
    assert str(caught.value) == "anet.device: expected auto or cpu, got cuda: torch finds no GPU"


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
@pytest.mark.parametrize("network", BATCHED)
def test_a_gpu_computes_and_learns_the_same_as_a_cpu(
    tmp_path: Path, hex_game: StateManager, network: str, optimizer: str
) -> None:
    here, there = (
        small_net(hex_game, network=network, optimizer=optimizer, device=device)
        for device in ("cpu", "cuda")
    )
    states = states_of(hex_game)
    for _ in range(3):
        losses = [net.train(fixed_cases(hex_game)).loss for net in (here, there)]
        assert losses[0] == pytest.approx(losses[1], abs=1e-4)
    assert there.policy(states) == pytest.approx(here.policy(states), abs=1e-3)
    theirs = there.weights()
    for name, weights in here.weights().items():
        if optimizer == "sgd":  # Adam's steps are as large where a gradient is mere rounding
            assert theirs[name].numpy() == pytest.approx(weights.numpy(), abs=1e-5), name
    meta, tensors = there.state()
    save_checkpoint(tmp_path / "run.pt", "run", meta, tensors)
    here.restore(load_checkpoint(tmp_path / "run.pt", "run").tensors, episode=3)
    for ours, other in zip(here.evaluate(states), there.evaluate(states), strict=True):
        assert other == pytest.approx(ours, abs=1e-5)
