"""Nets in Hex with the swap: their own output for it, and the critic of a net without one."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from agents import AgentError, load_net, make_agent, parse_agent, with_best_net
from anet import ANET, NetError
from anet.evaluator import Evaluator, SwapEvaluator
from anet.graph import graph_of
from base.params import ANETParams
from state_manager import make_game
from state_manager.sides import after
from tests.anet.conftest import lively_net, states_of
from tests.anet.test_networks import NETWORKS, small_net
from tests.anet.test_training import fixed_cases

GAME = make_game("hex", size=4, swap=True)
PLAIN = make_game("hex", size=4)
assert GAME.swap_action is not None
SWAP = GAME.swap_action


@pytest.fixture
def plain_net() -> ANET:
    return lively_net(PLAIN, hidden_layers=(12,), critic=True, view="mover")


def lent(net: ANET, folder: Path) -> Evaluator:
    net.save(folder / "net.pt")
    return load_net(folder / "net.pt", GAME)


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("view", ["absolute", "mover"])
def test_nets_of_every_kind_learn_when_to_swap(network: str, view: str) -> None:
    net, cases = small_net(GAME, network=network, view=view, padded_size=5), fixed_cases(GAME)
    before = net.train(cases).loss
    for _ in range(60):
        metrics = net.train(cases)
    assert metrics.loss < before
    states = states_of(GAME)
    policies = net.policy(states)
    assert np.array_equal(policies > 0, GAME.legal_mask(states))
    assert policies.sum(axis=1) == pytest.approx(1.0)
    offered, over = (GAME.from_flat([2, *[0] * 5, 1, *[0] * 10, last]) for last in (1, 0))
    assert net.value(offered) != net.value(over), "its input holds whether the swap is offered"


def test_a_pooled_net_with_the_swap_fits_another_size(tmp_path: Path) -> None:
    net = small_net(GAME, network="pooled", steps=3)
    net.save(tmp_path / "net.pt")
    larger = make_game("hex", size=6, swap=True)
    assert load_net(tmp_path / "net.pt", larger).policy(larger.initial_state()).shape == (37,)
    with pytest.raises(AgentError, match=r"expected a net for hex\(size=6\), got one for"):
        load_net(tmp_path / "net.pt", make_game("hex", size=6))
    with pytest.raises(NetError, match="cannot be exported"):
        graph_of(net)


def test_a_critic_swaps_a_stone_that_the_other_side_wants(plain_net: ANET, tmp_path: Path) -> None:
    net = lent(plain_net, tmp_path)
    for stone in range(16):
        state, plain = after(GAME, (stone,)), PLAIN.child_state(PLAIN.initial_state(), stone)
        policy, value = net.policy(state), float(-plain_net.value(plain))  # seen by the mover
        assert policy.sum() == pytest.approx(1.0)
        chance, likeliest = (1 + value) / 2, policy[:SWAP].max()
        assert policy[SWAP] / likeliest == pytest.approx((1 - chance) / chance)
        assert policy[:SWAP] / policy[:SWAP].sum() == pytest.approx(plain_net.policy(plain))
        assert -net.value(state) == pytest.approx(abs(value))
        swapped = GAME.child_state(state, SWAP)
        assert net.value(swapped) == pytest.approx(value, abs=1e-5), "to the opponent, player 1"


def test_after_two_moves_a_net_plays_as_without_the_swap(plain_net: ANET, tmp_path: Path) -> None:
    net = lent(plain_net, tmp_path)
    states = np.stack([state for state in states_of(GAME) if np.count_nonzero(state[1:17]) > 1])
    policies, values = net.evaluate(states)
    plain_policies, plain_values = plain_net.evaluate(GAME.states_without_swap(states))
    assert np.array_equal(policies[:, :SWAP], plain_policies)
    assert np.array_equal(values, plain_values)  # type: ignore[arg-type]


def test_the_likeliest_first_move_is_the_fairest(plain_net: ANET, tmp_path: Path) -> None:
    net, first = lent(plain_net, tmp_path), PLAIN.initial_state(2)
    values = np.abs(plain_net.value(np.stack([child for _, child in PLAIN.children(first)])))
    policy = net.policy(GAME.initial_state(2))
    assert np.argmax(policy) == np.argmin(values)
    assert policy.sum() == pytest.approx(1.0)
    assert net.value(GAME.initial_state(2)) == pytest.approx(values.min()), "player 1 may swap"


def test_a_lent_net_is_pickled_and_plays_no_rollouts(plain_net: ANET, tmp_path: Path) -> None:
    net = lent(plain_net, tmp_path)
    again = pickle.loads(pickle.dumps(net))
    assert isinstance(again, SwapEvaluator)
    assert np.array_equal(again.policy(after(GAME, (5,))), net.policy(after(GAME, (5,))))
    assert not net.facts.plays_rollouts
    with pytest.raises(NetError, match="plays no rollouts"):
        net.rollout_policy()
    with pytest.raises(AgentError, match="expected a net with a critic, which decides the swap"):
        lent(ANET(PLAIN, ANETParams(hidden_layers=(5,))), tmp_path.parent)
    agent = make_agent(f"mcts:{tmp_path / 'net.pt'},simulations=20", GAME)
    assert agent.choose_action(after(GAME, (5,))) in GAME.legal_actions(after(GAME, (5,)))


def test_best_is_the_net_without_the_swap_and_searches() -> None:
    spec = with_best_net(parse_agent("best"), GAME)
    assert spec.net == with_best_net(parse_agent("best"), PLAIN).net
    assert spec.kind == "mcts", "the proof that it is perfect alone is of the game without it"
