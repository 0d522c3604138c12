"""The layers of each kind of network."""

import numpy as np
import pytest
import torch

from anet import ANET
from anet.convolutional import ResidualBlock, pooled
from base.params import ANETParams
from state_manager import StateManager, make_game
from tests.anet.conftest import states_of
from tests.anet.test_networks import small_net
from tests.anet.test_training import fixed_cases


def test_a_new_residual_net_has_one_logit_per_cell_and_identity_blocks() -> None:
    for name, planes_needed in (("hex", 1), ("connect_four", 2), ("hexapawn", 4)):
        _, tensors = small_net(make_game(name), network="residual").state()
        assert len(tensors["network.policy_planes.weight"]) == planes_needed
    game = make_game("hex", size=3)
    for padded_size, cells in ((None, range(9)), (4, (0, 1, 2, 4, 5, 6, 8, 9, 10))):
        _, tensors = small_net(game, network="residual", padded_size=padded_size).state()
        weights = tensors["network.policy_head.weight"]
        assert weights.sum(dim=1).tolist() == [1.0] * 9
        assert weights.argmax(dim=1).tolist() == list(cells)
    for batch_normalization in (True, False):
        planes = torch.randn((2, 5, 3, 3), generator=torch.Generator().manual_seed(1))
        params = ANETParams(channels=5, batch_normalization=batch_normalization)
        for pools in (False, True):
            assert torch.equal(ResidualBlock(params, pools)(planes), planes.relu())


def test_pooled_features_are_means_and_maxima_and_do_not_grow_with_the_board() -> None:
    planes = torch.randn((2, 5, 3, 4), generator=torch.Generator().manual_seed(1))
    expected = torch.cat([planes.mean(dim=(2, 3)), planes.amax(dim=(2, 3))], dim=1)
    for each in (planes, planes.repeat(1, 1, 4, 3)):
        assert torch.allclose(pooled(each), expected, atol=1e-6)


def test_pooling_informs_a_cell_of_stones_out_of_reach() -> None:
    game = make_game("hex", size=11)
    net = small_net(game, network="pooled", critic=False)  # five convolutions see five cells far
    begun = game.initial_state(1)
    policies = net.policy([game.child_state(begun, cell) for cell in (110, 120)])
    assert abs(np.diff(np.log(policies[:, 0] / policies[:, 12]))[0]) > 1e-4


def test_a_residual_mlp_adds_each_layer_to_its_input(hex_game: StateManager) -> None:
    net = small_net(hex_game, network="residual_mlp", hidden_layers=(5, 5, 5), view="absolute")
    weights = {
        name.removeprefix("network."): tensor.double().numpy()
        for name, tensor in net.state()[1].items()
    }

    def layer(name: str, inputs: np.ndarray) -> np.ndarray:
        return np.asarray(inputs @ weights[f"{name}.weight"].T + weights[f"{name}.bias"])

    for state in states_of(hex_game):
        hidden = np.maximum(layer("stem", hex_game.observation(state)), 0)
        for number in range(2):
            hidden = hidden + np.maximum(layer(f"blocks.{number}", hidden), 0)
        logits = np.where(hex_game.legal_mask([state])[0], layer("policy_head", hidden), -np.inf)
        expected = np.exp(logits - logits.max())
        policy, value = net.evaluate(state)
        assert policy == pytest.approx(expected / expected.sum(), abs=1e-6)
        sign = 1 if state[0] == 1 else -1
        assert value == pytest.approx(sign * np.tanh(layer("value_head", hidden)[0]), abs=1e-6)


@pytest.mark.parametrize("size", [{"channels": 6}, {"blocks": 3}, {"channels": 8, "blocks": 4}])
@pytest.mark.parametrize("normalized", [True, False])
def test_a_larger_pooled_net_begins_as_a_small_one(size: dict[str, int], normalized: bool) -> None:
    game = make_game("hex", size=5)
    shape = {"network": "pooled", "channels": 4, "blocks": 2, "critic": True}
    params = ANETParams.model_validate({**shape, "batch_normalization": normalized})
    small = ANET(game, params, seed=9)
    cases = fixed_cases(game, 32)
    for _ in range(5):  # so that all blocks change something
        small.train(cases)
    large = ANET(game, params.model_copy(update=size), seed=3)
    large.restore(large.grown_from(small), 0)
    states = np.array([game.child_state(game.initial_state(), cell) for cell in range(25)])
    legal = game.legal_mask(states)
    found = (net.exact.evaluate_batch(states, legal) for net in (large, small))
    for mine, theirs in zip(*found, strict=True):
        assert mine == pytest.approx(theirs, abs=1e-5)
    for _ in range(5):  # copies of a channel learn apart
        large.train(cases)
    planes = large.weights()["network.stem.convolution.weight"]
    assert len({row.numpy().tobytes() for row in planes}) == len(planes)
