"""Nets of every kind, over games of every shape."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Thread
from typing import Any

import numpy as np
import psutil
import pytest
import torch

from anet import ANET, NetError
from anet.runtimes.torch_runtime import Floats, in_torch
from base.params import ANETParams
from state_manager import StateError, StateManager, make_game
from tests.anet.conftest import BOARDS, lively_net, states_of
from tests.anet.test_training import fixed_cases
from tests.project import Patch
from tests.random_play import random_game

SMALL = {"channels": 6, "blocks": 2, "hidden_layers": (12,), "learning_rate": 0.01, "critic": True}
NETWORKS = ["mlp", "residual_mlp", "convolutional", "residual", "pooled"]
BATCHED = NETWORKS[1:]
ACTIONS_ARE_CELLS = ("hex", "tic_tac_toe")
on_boards = pytest.mark.parametrize(
    ("board", "network"),
    [
        (make_game(name, **options), network)
        for name, options in BOARDS.items()
        for network in NETWORKS
        if network != "pooled" or name in ACTIONS_ARE_CELLS
    ],
    ids=str,
)


def small_net(game: StateManager, seed: int = 1, steps: int = 0, **params: object) -> ANET:
    """Return a small net after some steps of training, its normalisations away from 0 and 1."""
    if params.get("network") == "residual_mlp":
        params = {"hidden_layers": (12, 12), **params}
    net = ANET(game, ANETParams.model_validate(SMALL | params), seed=seed)
    for _ in range(steps):
        net.train(fixed_cases(game))
    return net


LEAST: dict[str, Any] = {"channels": 1, "blocks": 1, "hidden_layers": (1,), "value_weight": 0}


@on_boards
@pytest.mark.parametrize(
    "how",
    [{}, {"padded_size": 6}, {"activation": "tanh", "batch_normalization": False}, LEAST],
    ids=["usual", "padded", "plain", "least"],
)
def test_policies_cover_legal_moves(board: StateManager, network: str, how: dict[str, Any]) -> None:
    net = small_net(board, network=network, steps=3, **how)
    net.train(fixed_cases(board, 1))  # a minibatch may be a single case
    states = states_of(board)
    policies, values = net.evaluate(states)
    assert policies.shape == (len(states), board.num_actions)
    assert policies.dtype == np.float64
    assert policies.sum(axis=1) == pytest.approx(1.0)
    assert np.array_equal(policies > 0, board.legal_mask(states))
    assert values is not None
    assert values.shape == (len(states),)
    assert np.abs(values).max() <= 1
    assert len(np.unique(values)) > (how is not LEAST)
    final = random_game(board, seed=0)[0][-1]
    assert np.all(net.policy(final) == 0.0)
    assert net.policy(np.zeros((0, board.state_length), np.int8)).shape == (0, board.num_actions)


@pytest.mark.parametrize("network", NETWORKS)
def test_an_evaluation_does_not_depend_on_the_rest_of_the_batch(network: str) -> None:
    game = make_game("hex", size=4)
    net, states = small_net(game, network=network, steps=5), states_of(game)
    policies, values = net.evaluate(states)
    assert values is not None
    for part in (slice(0, 1), slice(3, 9), slice(9, None)):
        some, some_values = net.evaluate(states[part])
        assert some == pytest.approx(policies[part], abs=1e-6)
        assert some_values == pytest.approx(values[part], abs=1e-6)


@on_boards
@pytest.mark.parametrize("padded_size", [None, 6])
def test_the_movers_view_commutes_with_a_swap(
    board: StateManager, network: str, padded_size: int | None
) -> None:
    swap = board.colour_swap
    assert swap is not None
    net = small_net(board, network=network, padded_size=padded_size, view="mover", steps=3)
    states, actions = random_game(board, seed=2)
    images = [board.initial_state(2)]
    for action in actions[:-1]:
        images.append(board.child_state(images[-1], int(swap.actions[action])))
    (policies, values), (turned, turned_values) = net.evaluate(states[:-1]), net.evaluate(images)
    assert turned[:, swap.actions] == pytest.approx(policies, abs=1e-5)
    assert turned_values == pytest.approx(-values, abs=1e-5)  # type: ignore[operator]


@pytest.mark.parametrize(("activation", "normalized"), [("relu", True), ("tanh", False)])
@pytest.mark.parametrize("network", NETWORKS)
def test_a_net_for_evaluation_computes_the_same_in_every_thread(
    hex_game: StateManager, network: str, normalized: bool, activation: str
) -> None:
    words: dict[str, object] = {"network": network, "hidden_layers": (12, 12)}
    words |= {"batch_normalization": normalized, "activation": activation}
    net = ANET(hex_game, ANETParams.model_validate(SMALL | words), seed=1)
    generator = torch.Generator().manual_seed(3)
    for module in net.network.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            for values in (*module.parameters(), module.running_mean, module.running_var):
                assert values is not None
                values.data.uniform_(0.5, 2.0, generator=generator)
    one, other = (in_torch(net.network, net.view.num_inputs, net.device) for _ in range(2))
    net.network.eval()
    for rows in (0, 1, 2, 4, 5, 8, 128):
        inputs = torch.rand((rows, net.view.num_inputs), generator=generator)
        with torch.inference_mode():
            expected = joined(net.network(inputs.clone()))
        # Before its first evaluation a thread divides operations among all cores: other rounding.
        with ThreadPoolExecutor(2, initializer=torch.get_num_threads) as pool:
            evaluations = [other(inputs.numpy()), *pool.map(one, [inputs.numpy()] * 20)]
        assert all(np.array_equal(joined(evaluations[0]), joined(each)) for each in evaluations)
        assert joined(evaluations[0]) == pytest.approx(expected, abs=1e-4)


class ByLength(torch.nn.Module):
    """A registered network whose Python code depends on the number of states."""

    def forward(self, inputs: torch.Tensor) -> tuple[torch.Tensor, None]:
        return inputs.reshape(len(inputs), 2, 3).sum(1), None


def test_a_network_that_cannot_be_traced_is_evaluated_as_it_is() -> None:
    logits, _ = in_torch(ByLength(), 6, torch.device("cpu"))(np.ones((5, 6), np.float32))
    assert np.array_equal(logits, np.full((5, 3), 2.0))


def joined(outputs: Sequence[Any]) -> Floats:
    logits, values = (np.asarray(each) for each in outputs)
    return np.column_stack([logits, values])


@pytest.mark.parametrize("network", BATCHED)
def test_a_net_still_learns_after_an_evaluation(hex_game: StateManager, network: str) -> None:
    evaluated, fresh = (small_net(hex_game, network=network) for _ in range(2))
    states = states_of(hex_game)
    before = evaluated.policy(states)
    for net in (evaluated, fresh):
        net.train(fixed_cases(hex_game))
    assert not np.array_equal(evaluated.policy(states), before)
    assert np.array_equal(evaluated.policy(states), fresh.policy(states))


@on_boards
def test_a_symmetric_net_is_as_symmetric_as_the_game(board: StateManager, network: str) -> None:
    net = small_net(board, network=network, symmetric=True, steps=3)
    plain = small_net(board, network=network, steps=3)
    states, actions = random_game(board, seed=4, starting_player=1)
    policies, values = net.evaluate(states[:-1])
    turns = [each for each in board.symmetries if not each.swaps_players]
    for turn in turns:
        images = [board.initial_state(1)]
        for action in actions[:-1]:
            images.append(board.child_state(images[-1], int(turn.actions[action])))
        turned, turned_values = net.evaluate(images)
        assert turned[:, turn.actions] == pytest.approx(policies, abs=1e-6)
        assert turned_values == pytest.approx(values, abs=1e-6)
        assert plain.policy(images)[:, turn.actions] != pytest.approx(policies, abs=1e-6)
    checked = np.array(states[:-1])
    again, _ = net.evaluator().evaluate_batch(checked, board.legal_mask(checked), symmetric=True)
    assert again == pytest.approx(policies)


@pytest.mark.parametrize("network", NETWORKS)
def test_the_same_seed_gives_the_same_net(hex_game: StateManager, network: str) -> None:
    before = torch.random.get_rng_state()
    one, same, other = (small_net(hex_game, seed, 3, network=network) for seed in (1, 1, 2))
    assert torch.equal(torch.random.get_rng_state(), before), "nothing is drawn from torch's"
    tensors, same_tensors, other_tensors = (net.state()[1] for net in (one, same, other))
    assert all(torch.equal(tensors[name], same_tensors[name]) for name in tensors)
    assert not all(torch.equal(tensors[name], other_tensors[name]) for name in tensors)


def test_a_net_uses_one_core_in_another_thread() -> None:
    game = make_game("hex", size=5)
    params = {"network": "residual_mlp", "hidden_layers": (256, 256), "critic": True}
    net, seen = ANET(game, ANETParams.model_validate(params)), list[set[int]]()
    states = np.tile(game.initial_state(), (32, 1))
    process = psutil.Process()

    def ask() -> None:
        seen.append({each.id for each in process.threads()})
        net.evaluate(states)
        seen.append({each.id for each in process.threads()})

    thread = Thread(target=ask)
    thread.start()
    thread.join()
    assert seen[1] <= seen[0]  # one that another test has left behind may end meanwhile


def test_a_policy_is_the_softmax_rescaled_to_the_legal_actions(hex_game: StateManager) -> None:
    net = lively_net(hex_game, hidden_layers=(16,), activation="tanh")
    _, weights = net.state()
    hidden, head = (
        [weights[f"network.{layer}.{kind}"].numpy() for kind in ("weight", "bias")]
        for layer in ("hidden.0", "policy_head")
    )
    for state in states_of(hex_game):
        activations = np.tanh(hidden[0] @ hex_game.observation(state) + hidden[1])
        softmax = np.exp(head[0] @ activations + head[1])
        softmax /= softmax.sum()
        legal = hex_game.legal_mask(state[np.newaxis])[0]
        expected = np.where(legal, softmax, 0.0) / softmax[legal].sum()
        assert net.policy(state) == pytest.approx(expected, abs=1e-5)
    extreme = lively_net(hex_game, factor=1e6, hidden_layers=()).policy(hex_game.initial_state())
    assert extreme.sum() == pytest.approx(1.0), "no overflow"


def test_what_a_net_cannot_do_is_refused(hex_game: StateManager, monkeypatch: Patch) -> None:
    assert hex_game.state_length == 36
    wrong = np.zeros(36, np.int8), np.full(36, 1.5), np.zeros((2, 36)), np.zeros((2, 2, 36), int), 1
    for states in wrong:
        with pytest.raises(StateError):
            ANET(hex_game).policy(states)
    with pytest.raises(NetError, match=r"anet\.critic: true"):
        ANET(hex_game).value(hex_game.initial_state())
    for network in BATCHED:
        with pytest.raises(NetError, match=f"^a {network} net plays no rollouts: [^\n]*$"):
            small_net(hex_game, network=network).exact.rollout_policy()
    monkeypatch.setattr(type(hex_game), "symmetries", ())
    with pytest.raises(NetError, match=r"anet\.view: expected absolute, hex has no colour swap"):
        ANET(make_game("hex", size=3), ANETParams(view="mover"))
