"""Learning from cases, and Muon beside torch's own, which takes matrices only."""

import math
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from anet import ANET, DivergedError, Minibatch, TrainingMetrics
from anet.optimizers import OPTIMIZERS, Muon, orthogonal
from anet.parts import most_parts
from base.cluster import side_by_side
from base.params import ANETParams
from state_manager import StateManager
from tests.anet.conftest import lively_net, states_of
from tests.project import ROOT, Patch


def fixed_states(game: StateManager, count: int) -> NDArray[np.int8]:
    """Return states of random games, all different in either view: no board is empty."""
    return np.array([state for state in states_of(game) if any(game.to_flat(state)[1:])][:count])


def cases(game: StateManager, targets: np.ndarray, values: np.ndarray) -> Minibatch:
    """Return cases of the states that ``fixed_states`` returns."""
    states = fixed_states(game, len(targets))
    return Minibatch(
        observations=game.observations(states),
        movers=states[:, 0],
        legal=game.legal_mask(states),
        targets=targets.astype(np.float32),
        values=values.astype(np.float32),
        weights=np.ones(len(targets), np.float32),
    )


def fixed_cases(game: StateManager, count: int = 8) -> Minibatch:
    """Return cases whose targets are random distributions over the legal actions."""
    rng = np.random.default_rng(7)
    legal = game.legal_mask(fixed_states(game, count))
    targets = np.where(legal, rng.exponential(size=legal.shape) ** 2, 0.0)
    values = rng.uniform(-0.9, 0.9, len(legal))
    return cases(game, targets / targets.sum(axis=1, keepdims=True), values)


def test_every_optimizer_takes_a_different_step(hex_game: StateManager) -> None:
    losses = set()
    for optimizer in OPTIMIZERS:
        words = dict(network="pooled", optimizer=optimizer, learning_rate=0.01)
        net = ANET(hex_game, ANETParams.model_validate(words), seed=1)
        for _ in range(3):
            metrics = net.train(fixed_cases(hex_game))
        losses.add(round(metrics.loss, 5))
    assert len(losses) == len(OPTIMIZERS)


def test_the_metrics_are_those_computed_by_hand(hex_game: StateManager) -> None:
    # Without weights each legal action has the same probability, and the value is 0.
    net = lively_net(hex_game, factor=0.0, hidden_layers=(4,), critic=True)
    states = fixed_states(hex_game, 2)
    (first, *_), (_, *rest) = (hex_game.legal_actions(state).tolist() for state in states)
    targets = np.zeros((2, hex_game.num_actions))
    targets[0, first] = 1.0  # D agrees with the first choice: the lowest legal action
    targets[1, rest[:2]] = (0.75, 0.25)  # D prefers another one
    metrics = net.train(cases(hex_game, targets, np.array([0.5, -1.0])))
    assert len(cases(hex_game, targets, np.zeros(2))) == 2
    assert metrics.loss == pytest.approx((math.log(8) + math.log(7)) / 2, rel=1e-6)
    entropy = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25)) / 2
    assert metrics.entropy == pytest.approx(entropy, rel=1e-6)
    assert metrics.accuracy == 0.5
    assert metrics.value_loss == pytest.approx((0.25 + 1.0) / 2, rel=1e-6)
    net = lively_net(hex_game, factor=0.0, hidden_layers=(4,))
    one_counts = replace(
        cases(hex_game, targets, np.zeros(2)), weights=np.array([0, 2], np.float32)
    )
    metrics = net.train(one_counts)
    assert (metrics.loss, metrics.entropy) == pytest.approx((math.log(7), 2 * entropy), rel=1e-6)


def test_a_diverging_net_is_reported_in_one_line(hex_game: StateManager) -> None:
    params = ANETParams(activation="linear", optimizer="sgd", learning_rate=10.0, critic=True)
    net, minibatch = ANET(hex_game, params, seed=1), fixed_cases(hex_game)

    def train_for_long() -> None:
        for _ in range(500):
            net.train(minibatch)
            net.check_weights()

    with pytest.raises(DivergedError, match=r"^training diverged: .*learning_rate.*$") as caught:
        train_for_long()
    assert "\n" not in str(caught.value)
    assert "now 10" in str(caught.value)
    assert "now sgd" in str(caught.value)


def test_a_saved_state_does_not_change_with_the_net(hex_game: StateManager) -> None:
    net = ANET(hex_game, seed=1)
    net.train(fixed_cases(hex_game))
    _, saved = net.state()
    copies = {name: tensor.clone() for name, tensor in saved.items()}
    net.train(fixed_cases(hex_game))
    assert all(torch.equal(saved[name], copies[name]) for name in saved)


@pytest.mark.parametrize(
    ("lacking", "head"),
    [({"weights": np.zeros(8, np.float32)}, "policy"), ({"values": np.full(8, np.nan)}, "value")],
    ids=["weight", "value"],
)
def test_a_case_without_a_target_for_one_head_trains_the_other(
    hex_game: StateManager, lacking: dict[str, Any], head: str
) -> None:
    net = lively_net(hex_game, optimizer="sgd", learning_rate=0.1, hidden_layers=(), critic=True)
    before = net.state()[1]
    net.train(replace(fixed_cases(hex_game), **lacking))
    for name, tensor in net.state()[1].items():
        assert torch.equal(before[name], tensor) == (f"{head}_head" in name), name


def test_steps_are_proportional_to_the_share_of_the_learning_rate(hex_game: StateManager) -> None:
    def step(share: float) -> float:
        net = lively_net(hex_game, optimizer="sgd", learning_rate=0.1)
        before = net.state()[1]["network.policy_head.bias"]
        net.set_learning_rate(share)
        net.train(fixed_cases(hex_game))
        return float((net.state()[1]["network.policy_head.bias"] - before).abs().sum())

    assert step(0.25) == pytest.approx(0.25 * step(1.0), rel=1e-3)
    assert step(0.0) == 0.0


def plain_net(game: StateManager, **words: Any) -> ANET:
    words |= {"hidden_layers": (16, 16), "batch_normalization": False, "critic": True}
    return lively_net(game, optimizer="sgd", **words)


def many_cases(game: StateManager, count: int) -> Minibatch:
    few = fixed_cases(game, 50)
    weights = np.random.default_rng(3).random(count, np.float32)
    chosen = np.arange(count) % len(few)
    rows = {name: array[chosen] for name, array in vars(few).items()}
    return replace(Minibatch(**rows), weights=weights)


def naive_loss(net: ANET, minibatch: Minibatch) -> torch.Tensor:
    inputs = torch.from_numpy(net.view.inputs(minibatch.observations, minibatch.movers))
    outputs, values = net.network(inputs)
    rows = zip(outputs, net.view.layouts[0].outputs[minibatch.movers - 1], strict=True)
    illegal = torch.from_numpy(~minibatch.legal)
    logits = torch.stack([row[order] for row, order in rows]).masked_fill(illegal, -torch.inf)
    log_policy = logits.log_softmax(dim=1).masked_fill(illegal, 0.0)
    cross_entropies = -(torch.from_numpy(minibatch.targets) * log_policy).sum(dim=1)
    known = ~np.isnan(minibatch.values)
    errors = values[known] - torch.from_numpy(minibatch.values[known])
    weighted = torch.from_numpy(minibatch.weights) * cross_entropies
    loss: torch.Tensor = weighted.mean() + net.params.value_weight * errors.square().mean()
    return loss


@pytest.mark.parametrize("view", ["absolute", "mover"])
@pytest.mark.parametrize("network", ["mlp", "residual_mlp", "convolutional", "residual", "pooled"])
def test_steps_follow_the_naive_gradient(hex_game: StateManager, network: str, view: str) -> None:
    net = plain_net(hex_game, network=network, view=view, value_weight=0.7, learning_rate=1.0)
    weights = list(net.network.parameters())
    kept = [each.detach().clone() for each in weights]
    minibatch = many_cases(hex_game, 60)
    minibatch.values[:20] = np.nan
    naive = naive_loss(net, minibatch)
    expected = torch.autograd.grad(naive, weights)
    metrics = net.train(minibatch)
    assert metrics.value_loss is not None
    assert metrics.loss + 0.7 * metrics.value_loss == pytest.approx(naive.item(), rel=1e-6)
    for before, gradient, after in zip(kept, expected, weights, strict=True):
        assert (before - after.detach()).numpy() == pytest.approx(gradient.numpy(), abs=1e-6)


@pytest.mark.parametrize("network", ["residual_mlp", "residual"])
def test_training_on_parts_equals_the_whole_minibatch_for_any_number_of_threads(
    hex_game: StateManager, network: str, monkeypatch: Patch
) -> None:
    def trained(threads: int) -> tuple[TrainingMetrics, dict[str, torch.Tensor]]:
        net = plain_net(hex_game, network=network, learning_rate=0.1)
        with side_by_side(threads) as sharing:
            metrics = [net.train(many_cases(hex_game, 513), sharing) for _ in range(3)][-1]
        return metrics, net.state()[1]

    metrics, weights = trained(1)
    for threads in (2, 3):
        same, others = trained(threads)
        assert same == metrics
        assert all(torch.equal(weights[name], others[name]) for name in weights)
    monkeypatch.setattr("anet.parts._LEAST_CASES", 10_000)
    whole, others = trained(1)
    assert vars(whole) == pytest.approx(vars(metrics), rel=1e-4)
    assert not all(torch.equal(weights[name], others[name]) for name in weights)
    for name in weights:
        assert weights[name].numpy() == pytest.approx(others[name].numpy(), rel=1e-4, abs=1e-5)


def test_normalisations_use_the_whole_minibatch(hex_game: StateManager) -> None:
    for normalizes, parts in ((True, 1), (False, 4)):
        params = ANETParams(network="residual", batch_normalization=normalizes)
        net = ANET(hex_game, params)
        assert most_parts(net.network, net.device) == parts


def test_an_exception_in_a_part_reaches_the_caller(hex_game: StateManager) -> None:
    net, minibatch = lively_net(hex_game), many_cases(hex_game, 512)
    del net.network.policy_head
    with pytest.raises(AttributeError), side_by_side(2) as sharing:
        net.train(minibatch, sharing)


@pytest.mark.parametrize("network", ["residual_mlp", "residual", "pooled"])
@pytest.mark.parametrize("normalized", [False, True])
def test_bfloat16_learns_as_well(hex_game: StateManager, network: str, normalized: bool) -> None:
    words = {"network": network, "batch_normalization": normalized, "critic": True}
    precisions = ("float32", "bfloat16", "bfloat16")
    nets = [
        ANET(hex_game, ANETParams.model_validate({**words, "learning_precision": each}), seed=1)
        for each in precisions
    ]
    minibatch = fixed_cases(hex_game, 16)
    with side_by_side(2) as sharing:
        steps = [[net.train(minibatch, sharing).loss for _ in range(30)] for net in nets]
    assert steps[1] == steps[2]
    assert 0 < np.abs(np.subtract(steps[0], steps[1])).max() < 0.05
    assert steps[1][-1] < steps[1][0] - 0.1
    plain, other, same = (net.weights() for net in nets)
    assert all(torch.equal(other[name], same[name]) for name in other)
    assert not all(torch.equal(other[name], plain[name]) for name in other)
    assert all(other[name].dtype == plain[name].dtype for name in other)


def random(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(3))


@pytest.mark.parametrize("shape", [(64, 576), (16, 16), (576, 64), (1, 20)])
def test_an_orthogonal_matrix_keeps_singular_vectors_not_the_values(shape: tuple[int, int]) -> None:
    left, _, right = torch.linalg.svd(random(*shape), full_matrices=False)
    values = torch.logspace(0, -2, min(shape))
    found = left.T @ orthogonal(7 * left * values @ right) @ right.T
    assert torch.allclose(found, torch.diag(found.diagonal()), atol=0.01)
    smallest, largest = found.diagonal().aminmax()
    assert smallest > 0.65
    assert largest < 1.21
    assert not orthogonal(torch.zeros(16, 20)).any(), "zeros stay"


@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last])
def test_convolutions_take_the_steps_of_torchs_muon(layout: torch.memory_format) -> None:
    ours = nn.Parameter(random(16, 24, 3, 3).to(memory_format=layout))
    theirs = nn.Parameter(ours.detach().flatten(1).clone())
    mine = Muon([ours], lr=0.01, fused=True)
    other = torch.optim.Muon([theirs], lr=0.01, weight_decay=0.01, adjust_lr_fn="match_rms_adamw")
    began = ours.detach().flatten(1).clone()
    for step in range(4):
        theirs.grad = random(4, 16, 216)[step]
        ours.grad = theirs.grad.view_as(ours).to(memory_format=layout)
        for each in (mine, other):
            each.param_groups[0]["lr"] = 0.01 / (1 + step)  # as a falling rate sets it
        mine.step()
        other.step()  # type: ignore[no-untyped-call]
    with torch.no_grad():
        most = float((theirs - began).abs().max())
        assert float((ours.flatten(1) - theirs).abs().max()) < 0.02 * most


TORCHS: dict[str, Callable[..., torch.optim.Optimizer]] = {
    "adagrad": torch.optim.Adagrad,
    "sgd": torch.optim.SGD,
    "rmsprop": torch.optim.RMSprop,
    "adam": partial(torch.optim.Adam, fused=True),
    "adamw": partial(torch.optim.AdamW, fused=True),
    "muon": partial(torch.optim.AdamW, fused=True),  # for these weights
}


@pytest.mark.parametrize("name", TORCHS)
def test_steps_are_those_of_torchs_optimizer(name: str) -> None:
    shapes = (16,), (20, 30), (32, 4, 3, 3), (4, 32, 1, 1)
    ours, theirs = ([nn.Parameter(random(*shape)) for shape in shapes] for _ in range(2))
    mine, other = OPTIMIZERS[name](ours, lr=0.01), TORCHS[name](theirs, lr=0.01)
    for step in range(1, 4):
        for optimizer in (mine, other):
            optimizer.zero_grad()
        for each in (*ours, *theirs):
            each.grad = step * random(*each.shape).cos()
        mine.step()
        other.step()
        mine.load_state_dict(mine.state_dict())
    assert all(torch.equal(*pair) for pair in zip(ours, theirs, strict=True))


LEARNING = """
import sys
from anet import ANET
from state_manager import make_game
net = ANET(make_game("nim", stones=5, max_take=2))
net.set_learning_rate(0.5)
net.restore(net.state()[1], 1)
assert "torch._dynamo" not in sys.modules
"""


def test_learning_does_not_load_torchs_compiler() -> None:
    subprocess.run([sys.executable, "-c", LEARNING], cwd=ROOT, check=True)
