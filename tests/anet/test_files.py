"""Nets in files: of every kind, old ones, and wrong ones; GPUs."""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from anet import ANET, NetError
from base.params import ANETParams
from base.storage import CheckpointError, load_checkpoint, save_checkpoint
from state_manager import StateManager, make_game
from tests.anet.conftest import lively_net, states_of
from tests.anet.test_networks import BATCHED, NETWORKS, small_net
from tests.anet.test_training import fixed_cases
from tests.project import ROOT, Patch

Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def file(tmp_path: Path, hex_game: StateManager) -> Path:
    path = tmp_path / "anet_00007.pt"
    ANET(hex_game, ANETParams(hidden_layers=(8,))).save(path)
    return path


def assert_refused(path: Path, *words: str) -> None:
    """Check that a file is refused in one line that names it and holds these words."""
    with pytest.raises((CheckpointError, NetError)) as caught:
        ANET.load(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    for word in words:
        assert word in message


@pytest.mark.parametrize("game", [("hex", {"size": 3}), ("ledge", {"board": [1, 0, 2]})])
def test_a_net_evaluates_equally_in_another_process(game: tuple[str, dict[str, Any]]) -> None:
    net = lively_net(make_game(game[0], **game[1]))
    net.episode = 7
    other = pickle.loads(pickle.dumps(net))
    assert (other.game, other.episode) == (net.game, 7)
    states = states_of(net.game)
    assert np.array_equal(other.policy(states), net.policy(states))


def test_a_damaged_or_missing_file_and_one_of_another_kind_are_refused(file: Path) -> None:
    whole = file.read_bytes()
    for damaged in (whole[:-100], whole[:20], b"", b"not a net", whole.replace(b"hex", b"hix", 1)):
        file.write_bytes(damaged)
        assert_refused(file)
    save_checkpoint(file, "training", {}, {})
    assert_refused(file, "anet", "training")
    assert_refused(file.with_name("nowhere.pt"), "no such file")
    assert_refused(file.parent)


def of(**words: Any) -> Change:
    return lambda meta: meta["anet"].update(words)


NIM: dict[str, Any] = {"game": "nim", "game_params": {"stones": 9, "max_take": 3}}
DEEP, LARGE = {"hidden_layers": [4096] * 8}, {"channels": 512, "blocks": 64}
DESCRIPTIONS: dict[str, tuple[Change, str]] = {
    "bad activation": (of(activation="rellu"), "did you mean relu?"),
    "unknown key": (of(layers=3), "anet.layers"),
    "layers that are no list": (of(hidden_layers="eight"), "hidden_layers"),
    "too many neurons": (of(hidden_layers=[10**9]), "hidden_layers"),
    "no architecture": (lambda m: m.update(anet=None), "description of a net"),
    "no game": (lambda m: m.pop("game"), "'game'"),
    "unknown game": (lambda m: m.update(game="chess"), "chess"),
    "a list for a game": (lambda m: m.update(game=["hex"]), "description of a net"),
    "a game without planes": (
        lambda m: m.update(NIM, anet={**m["anet"], "network": "residual"}),
        "anet.network: expected mlp, got residual",
    ),
    "impossible size": (lambda m: m["game_params"].update(size=99), "99"),
    "unknown game parameter": (lambda m: m.update(game_params={"siez": 3}), "size"),
    "no episode": (lambda m: m.pop("episode"), "'episode'"),
    "episode in words": (lambda m: m.update(episode="ten"), "ten"),
    "episode without end": (lambda m: m.update(episode=10**4000), "episode: expected an integer"),
    "episode before the first": (lambda m: m.update(episode=-5), "from 0 to 10000000, got -5"),
    "half an episode": (lambda m: m.update(episode=1.5), "got 1.5"),
    "no parameters of the run": (lambda m: m.update(params=[1]), "description of a net"),
    "another size": (lambda m: m["game_params"].update(size=4), "fit the architecture"),
    "other layers": (of(hidden_layers=[9]), "fit the architecture"),
    "a critic": (of(critic=True), "fit the architecture"),
    "a huge mlp": (of(**DEEP), "fit the architecture"),
    "a huge CNN": (of(network="convolutional", **DEEP, **LARGE), "fit the architecture"),
    "a huge ResNet": (of(network="residual", critic=True, **LARGE), "fit the architecture"),
}


@pytest.mark.parametrize("what", DESCRIPTIONS)
def test_an_edited_description_builds_no_net(file: Path, monkeypatch: Patch, what: str) -> None:
    checkpoint, (edit, word) = load_checkpoint(file, "anet"), DESCRIPTIONS[what]
    edit(checkpoint.meta)
    save_checkpoint(file, "anet", checkpoint.meta, checkpoint.tensors)
    monkeypatch.setattr("torch.nn.Module.to", None)
    assert_refused(file, word)


BIAS = "network.policy_head.bias"
WEIGHTS: dict[str, Change] = {
    "missing": lambda tensors: tensors.pop(BIAS),
    "too short": lambda tensors: tensors.update({BIAS: torch.zeros(8)}),
    "no numbers": lambda tensors: tensors.update({BIAS: torch.full((9,), torch.nan)}),
    "infinite": lambda tensors: tensors.update({BIAS: torch.full((9,), torch.inf)}),
    "complex": lambda tensors: tensors.update({BIAS: torch.zeros(9, dtype=torch.complex64)}),
    "one too many": lambda tensors: tensors.update({"network.more": torch.zeros(2)}),
    "optimizer": lambda tensors: tensors.update({"optimizer.x.step": torch.zeros(2)}),
    "optimizer of more": lambda tensors: tensors.update({"optimizer.99.step": torch.zeros(())}),
    "optimizer of others": lambda tensors: tensors.update({"optimizer.0.exp_avg": torch.zeros(2)}),
}


@pytest.mark.parametrize("what", WEIGHTS)
def test_weights_that_do_not_fit_are_refused(file: Path, what: str) -> None:
    checkpoint = load_checkpoint(file, "anet")
    WEIGHTS[what](checkpoint.tensors)
    save_checkpoint(file, "anet", checkpoint.meta, checkpoint.tensors)
    assert_refused(file)


@pytest.mark.parametrize("network", ["mlp", "convolutional", "residual"])
def test_weights_may_not_overflow(tmp_path: Path, hex_game: StateManager, network: str) -> None:
    net = ANET(hex_game, ANETParams.model_validate({"network": network, "blocks": 1}))
    meta, tensors = net.state()
    tensors = {
        name: tensor.fill_(3e38) if tensor.is_floating_point() else tensor
        for name, tensor in tensors.items()
    }
    save_checkpoint(tmp_path / "net.pt", "anet", meta, tensors)
    assert_refused(tmp_path / "net.pt", "expected weights that lead to numbers")


def test_an_evaluation_that_is_not_a_number_is_an_error(hex_game: StateManager) -> None:
    net = lively_net(hex_game, factor=1.0, critic=True)
    _, tensors = net.state()
    tensors["network.hidden.0.weight"][:, 2] = 3e38  # red's first cell
    tensors["network.hidden.1.weight"][:] = 10.0
    net.restore(tensors, episode=0)
    net.policy(hex_game.initial_state())
    with pytest.raises(NetError, match="expected weights that lead to numbers"):
        net.policy(hex_game.child_state(hex_game.initial_state(), 0))


OLD_NETS = sorted((ROOT / "nets" / "hex-5").glob("*.pt"))


@pytest.mark.parametrize("network", NETWORKS)
def test_a_net_of_any_kind_is_loaded(tmp_path: Path, hex_game: StateManager, network: str) -> None:
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


def test_files_of_the_first_version_are_mlps() -> None:
    for path in OLD_NETS:
        assert "network" not in load_checkpoint(path, "anet").meta["anet"]
        net = ANET.load(path)
        assert (net.params.network, net.params.facts.plays_rollouts) == ("mlp", True)
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
def test_a_missing_gpu_is_refused(hex_game: StateManager, monkeypatch: Patch, network: str) -> None:
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
