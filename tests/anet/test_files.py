"""Nets in files."""

import json
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

Edit = Callable[[dict[str, Any]], object]


@pytest.fixture
def file(tmp_path: Path, hex_game: StateManager) -> Path:
    """Return the file of a net for Hex on 3 x 3."""
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


@pytest.mark.parametrize(
    ("name", "params"), [("hex", {"size": 4}), ("nim", {"stones": 9, "max_take": 3})]
)
def test_a_net_for_another_game_is_refused(file: Path, name: str, params: dict[str, Any]) -> None:
    with pytest.raises(NetError) as caught:
        ANET.load(file, make_game(name, **params))
    expected = make_game(name, **params)
    assert str(caught.value) == f"{file}: expected a net for {expected!r}, got one for hex(size=3)"


def test_a_damaged_file_is_refused(file: Path) -> None:
    whole = file.read_bytes()
    for damaged in (whole[:-100], whole[:20], b"", b"not a net", whole.replace(b"hex", b"hix", 1)):
        file.write_bytes(damaged)
        assert_refused(file)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    assert_refused(tmp_path / "nowhere.pt", "no such file")
    assert_refused(tmp_path)


def test_a_file_that_would_run_code_is_refused_and_runs_none(tmp_path: Path) -> None:
    trace = tmp_path / "trace"

    class Evil:
        def __reduce__(self) -> tuple[Any, ...]:
            return Path.touch, (trace,)

    torch.save({"format": 1, "tensors": Evil()}, tmp_path / "evil.pt")
    assert_refused(tmp_path / "evil.pt", "refused")
    (tmp_path / "evil.pt").write_bytes(pickle.dumps(Evil()))
    assert_refused(tmp_path / "evil.pt")
    assert not trace.exists()


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "run.pt", "training", {}, {})
    assert_refused(tmp_path / "run.pt", "anet", "training")


EDITS: list[tuple[str, Edit, str]] = [
    ("bad activation", lambda m: m["anet"].update(activation="rellu"), "did you mean relu?"),
    ("unknown key", lambda m: m["anet"].update(layers=3), "anet.layers"),
    ("layers that are no list", lambda m: m["anet"].update(hidden_layers="eight"), "hidden_layers"),
    ("too many neurons", lambda m: m["anet"].update(hidden_layers=[10**9]), "hidden_layers"),
    ("no architecture", lambda m: m.update(anet=None), "description of a net"),
    ("no game", lambda m: m.pop("game"), "'game'"),
    ("unknown game", lambda m: m.update(game="chess"), "chess"),
    ("a list for a game", lambda m: m.update(game=["hex"]), "description of a net"),
    ("impossible size", lambda m: m["game_params"].update(size=99), "99"),
    ("unknown game parameter", lambda m: m.update(game_params={"siez": 3}), "size"),
    ("no episode", lambda m: m.pop("episode"), "'episode'"),
    ("episode in words", lambda m: m.update(episode="ten"), "ten"),
    ("episode without end", lambda m: m.update(episode=10**4000), "episode: expected an integer"),
    ("episode before the first", lambda m: m.update(episode=-5), "from 0 to 10000000, got -5"),
    ("half an episode", lambda m: m.update(episode=1.5), "got 1.5"),
    ("no parameters of the run", lambda m: m.update(params=[1]), "description of a net"),
    ("another size", lambda m: m["game_params"].update(size=4), "fit the architecture"),
    ("other layers", lambda m: m["anet"].update(hidden_layers=[9]), "fit the architecture"),
    ("a critic", lambda m: m["anet"].update(critic=True), "fit the architecture"),
]


@pytest.mark.parametrize(("edit", "word"), [e[1:] for e in EDITS], ids=[e[0] for e in EDITS])
def test_a_description_that_was_edited_is_refused(file: Path, edit: Edit, word: str) -> None:
    checkpoint = load_checkpoint(file, "anet")
    edit(checkpoint.meta)
    save_checkpoint(file, "anet", checkpoint.meta, checkpoint.tensors)
    assert_refused(file, word)


HUGE = [
    {"hidden_layers": [4096] * 8},
    {"network": "convolutional", "channels": 512, "blocks": 64, "hidden_layers": [4096] * 8},
    {"network": "residual", "channels": 512, "blocks": 64, "critic": True},
]


@pytest.mark.parametrize("params", HUGE, ids=["mlp", "convolutional", "residual"])
def test_a_description_of_a_huge_network_builds_none(
    file: Path, monkeypatch: pytest.MonkeyPatch, params: dict[str, Any]
) -> None:
    checkpoint = load_checkpoint(file, "anet")
    checkpoint.meta["anet"].update(params)
    save_checkpoint(file, "anet", checkpoint.meta, checkpoint.tensors)
    monkeypatch.setattr("torch.nn.Module.to", None)
    assert_refused(file, "fit the architecture")


@pytest.mark.parametrize("episode", ["Infinity", "1e999", "NaN"])
def test_an_episode_that_is_not_a_number_is_refused(file: Path, episode: str) -> None:
    checkpoint = load_checkpoint(file, "anet")
    text = json.dumps(checkpoint.meta).replace('"episode": 0', f'"episode": {episode}')
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("base.storage.checkpoint.json.dumps", lambda *_, **__: text)
        save_checkpoint(file, "anet", {}, checkpoint.tensors)
    assert_refused(file, "corrupted")


@pytest.mark.parametrize("network", ["mlp", "convolutional", "residual"])
def test_weights_whose_sums_overflow_are_refused(
    tmp_path: Path, hex_game: StateManager, network: str
) -> None:
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


BIAS = "network.policy_head.bias"


@pytest.mark.parametrize(
    "edit",
    [
        lambda tensors: tensors.pop(BIAS),
        lambda tensors: tensors.update({BIAS: torch.zeros(8)}),
        lambda tensors: tensors.update({BIAS: torch.full((9,), torch.nan)}),
        lambda tensors: tensors.update({BIAS: torch.full((9,), torch.inf)}),
        lambda tensors: tensors.update({BIAS: torch.zeros(9, dtype=torch.complex64)}),
        lambda tensors: tensors.update({"network.more": torch.zeros(2)}),
        lambda tensors: tensors.update({"optimizer.x.step": torch.zeros(2)}),
        lambda tensors: tensors.update({"optimizer.99.step": torch.zeros(())}),
        lambda tensors: tensors.update({"optimizer.0.exp_avg": torch.zeros(2)}),
    ],
    ids=[
        "missing",
        "too short",
        "no numbers",
        "infinite",
        "complex",
        "one too many",
        "optimizer",
        "optimizer of more",
        "optimizer of others",
    ],
)
def test_weights_that_do_not_fit_are_refused(file: Path, edit: Edit) -> None:
    checkpoint = load_checkpoint(file, "anet")
    edit(checkpoint.tensors)
    save_checkpoint(file, "anet", checkpoint.meta, checkpoint.tensors)
    assert_refused(file)
