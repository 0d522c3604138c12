"""The compiled forward pass computes the results of torch; rollouts keep sums between moves."""

import itertools
from typing import Any

import numpy as np
import pytest

from anet import ANET
from anet.inference import rollout_that_adds
from anet.layers import ACTIVATIONS, activate
from base.params import ANETParams
from state_manager import State, StateManager, make_game
from state_manager.policy import Policy, move_by_move, no_critic
from tests.anet.conftest import lively_net, states_of
from tests.anet.test_training import fixed_cases

LAYERS = [(), (1,), (7,), (64, 64), (33, 5, 17)]


def choose(
    game: StateManager, policy: Policy, state: State, rng: np.random.Generator | None = None
) -> int:
    legal = np.zeros(game.num_actions, np.int64)
    count = game.rules.legal_actions(state, legal)
    rng = rng or np.random.default_rng(0)
    return int(policy.choose(game.rules.active_features, policy.net, state, legal, count, rng))


def estimate(game: StateManager, policy: Policy, state: State) -> float:
    return policy.critic(game.rules.active_features, policy.net, state)


def prior(game: StateManager, policy: Policy, state: State) -> list[float]:
    """Return the kernel's probabilities, over all actions."""
    legal, out = np.zeros(game.num_actions, np.int64), np.zeros(game.num_actions)
    count = game.rules.legal_actions(state, legal)
    policy.prior(game.rules.active_features, policy.net, state, legal, count, out)
    probabilities = np.zeros(game.num_actions)
    probabilities[legal[:count]] = out[:count]
    return [float(probability) for probability in probabilities]


def check(net: ANET, states: list[State]) -> None:
    policy, game = net.exact.rollout_policy(epsilon=0.0), net.game
    for state, probabilities in zip(states, net.policy(states), strict=True):
        action = choose(game, policy, state)
        # Not the action itself: rounding may decide between two that are all but equal.
        assert probabilities[action] == pytest.approx(probabilities.max(), rel=1e-5)
        assert prior(game, policy, state) == pytest.approx(probabilities.tolist(), abs=1e-5)
    assert (policy.critic is not no_critic) == net.params.critic
    if net.params.critic:
        values = [estimate(game, policy, state) for state in states]
        assert values == pytest.approx(net.value(states), abs=1e-5)


@pytest.mark.parametrize("activation", ["linear", "sigmoid", "tanh", "relu"])
@pytest.mark.parametrize("view", ["absolute", "mover"])
def test_the_kernels_agree_with_torch(game: StateManager, activation: str, view: str) -> None:
    for layers, critic in itertools.product(LAYERS, (False, True)):
        words: dict[str, Any] = {"hidden_layers": layers, "view": view, "critic": critic}
        check(lively_net(game, activation=activation, **words), states_of(game))


@pytest.mark.parametrize("view", ["absolute", "mover"])
def test_the_kernels_agree_with_torch_on_the_largest_board_and_on_a_padded_one(view: str) -> None:
    game = make_game("hex", size=19)
    net = lively_net(game, hidden_layers=(100,), view=view, critic=True)
    check(net, states_of(game, games=1)[::10])
    game = make_game("connect_four", rows=4, columns=5)
    for layers in ((), (7,), (33, 5)):
        net = lively_net(game, padded_size=9, view=view, hidden_layers=layers, critic=True)
        check(net, states_of(game))


def test_the_bias_decides_where_no_hidden_neuron_is_active(hex_game: StateManager) -> None:
    net = lively_net(hex_game, hidden_layers=(5,), critic=True)
    _, tensors = net.state()
    (hidden,) = (name for name in tensors if name.endswith("hidden.0.bias"))
    net.restore({**tensors, hidden: tensors[hidden] - 1e3}, episode=0)
    check(net, states_of(hex_game))


@pytest.mark.parametrize("activation", ["sigmoid", "tanh"])
def test_activations_are_right_to_the_last_digits_of_float32(activation: str) -> None:
    inputs = np.concatenate([np.linspace(-30.0, 30.0, 601), np.logspace(-8, 0, 40)])
    values = np.zeros(len(inputs), np.float32)
    values[:] = inputs
    exact = values.astype(np.float64)
    exact = np.tanh(exact) if activation == "tanh" else 1.0 / (1.0 + np.exp(-exact))
    activate(values, 0, len(inputs), ACTIVATIONS[activation])
    assert values == pytest.approx(exact, abs=1e-7)


def test_large_inputs_saturate_and_do_not_overflow(hex_game: StateManager) -> None:
    state = hex_game.initial_state()
    for activation in ("sigmoid", "tanh"):
        net = lively_net(hex_game, 1e4, hidden_layers=(8, 8), activation=activation, critic=True)
        policy = net.exact.rollout_policy(epsilon=0.0)
        assert abs(estimate(hex_game, policy, state)) <= 1.0
        assert choose(hex_game, policy, state) == int(np.argmax(net.policy(state)))


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0])
def test_random_moves_have_the_frequency_epsilon(hex_game: StateManager, epsilon: float) -> None:
    net = lively_net(hex_game, hidden_layers=(16,))
    policy = net.exact.rollout_policy(epsilon)
    state = hex_game.child_state(hex_game.initial_state(), 4)
    rng, draws = np.random.default_rng(5), 4_000
    drawn = np.zeros(hex_game.num_actions)
    for _ in range(draws):
        drawn[choose(hex_game, policy, state, rng)] += 1
    legal = hex_game.legal_mask(state[np.newaxis])[0]
    expected = np.where(legal, epsilon / legal.sum(), 0.0)
    expected[np.argmax(net.policy(state))] += 1 - epsilon
    # Five standard deviations of each share; the seed is fixed, so this never fails by chance.
    allowed = 5 * np.sqrt(expected * (1 - expected) / draws)
    assert np.all(np.abs(drawn / draws - expected) <= allowed + 1e-12)


def test_a_rollout_policy_is_a_snapshot_and_shares_no_memory(hex_game: StateManager) -> None:
    net = ANET(hex_game, ANETParams(hidden_layers=(16,), learning_rate=0.1), seed=1)
    one, other = net.exact.rollout_policy(epsilon=0.25).net, net.exact.rollout_policy().net
    for name in ("weights", "values", "rows"):
        assert not np.shares_memory(getattr(one, name), getattr(other, name))
    before = one.weights.copy()
    for _ in range(5):
        net.train(fixed_cases(hex_game))
    assert np.array_equal(one.weights, before)
    assert not np.array_equal(net.exact.rollout_policy().net.weights, before)


def rollout(game: StateManager, policy: Policy, state: State, seed: int) -> tuple[int, list[int]]:
    """Return the outcome of a rollout, and its moves."""
    state, rng = state.copy(), np.random.default_rng(seed)
    legal, actions = np.zeros(game.num_actions, np.int64), np.zeros(2 + game.max_plies, np.int32)
    outcome, played = policy.rollout(
        policy.choose, game.rules, policy.net, state, legal, actions, 2, rng
    )
    assert not actions[:2].any()
    assert game.winner(state) == outcome
    return outcome, actions[2:played].tolist()


@pytest.mark.parametrize("name", ["hex", "tic_tac_toe"])
@pytest.mark.parametrize("view", ["absolute", "mover"])
@pytest.mark.parametrize("activation", ["linear", "sigmoid", "tanh", "relu"])
def test_kept_sums_change_no_move(name: str, view: str, activation: str) -> None:
    game = make_game(name, **({"size": 6} if name == "hex" else {}))
    for layers in [(1,), (7,), (64, 64), (33, 5, 97)]:
        net = lively_net(game, hidden_layers=layers, activation=activation, view=view)
        policy = net.exact.rollout_policy(epsilon=0.3)
        assert policy.rollout is rollout_that_adds
        anew = policy._replace(rollout=move_by_move)
        for seed, state in enumerate(states_of(game)):
            assert rollout(game, policy, state, seed) == rollout(game, anew, state, seed)


def test_equal_outputs_go_to_the_lowest_legal_action_throughout_a_rollout() -> None:
    game = make_game("hex", size=6)
    net = lively_net(game, factor=0.0, hidden_layers=(4,), view="mover")
    policy, state = net.exact.rollout_policy(epsilon=0.0), game.child_state(game.initial_state(), 0)
    assert choose(game, policy, state) == 1
    assert rollout(game, policy, state, 0)[1][:4] == [1, 2, 3, 4]


@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
@pytest.mark.parametrize("activation", ["linear", "relu"])
def test_outputs_that_are_not_numbers_lead_to_legal_moves(activation: str) -> None:
    game = make_game("hex", size=3)
    net = lively_net(game, factor=1e30, hidden_layers=(4, 40), activation=activation)
    policy = net.exact.rollout_policy(epsilon=0.0)
    _, actions = rollout(game, policy, game.initial_state(), 0)
    assert not np.isfinite(policy.net.values).all()
    assert len(set(actions)) == len(actions)


@pytest.mark.parametrize("name", ["nim", "ledge", "connect_four", "hexapawn", "hex"])
def test_nets_of_other_games_and_those_without_hidden_layers_keep_no_sums(name: str) -> None:
    game, layers = make_game(name), () if name == "hex" else (4,)
    policy = ANET(game, ANETParams(hidden_layers=layers), seed=1).exact.rollout_policy()
    assert policy.rollout is move_by_move
