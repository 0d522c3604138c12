"""The policies of a net."""

import numpy as np
import pytest
import torch

from anet import ANET, NetError
from base.params import ANETParams
from state_manager import StateError, StateManager, make_game
from tests.anet.conftest import lively_net, states_of


def test_a_policy_is_the_softmax_over_all_actions_rescaled_to_the_legal_ones(
    hex_game: StateManager,
) -> None:
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


def test_extreme_logits_do_not_overflow(hex_game: StateManager) -> None:
    policy = lively_net(hex_game, factor=1e6, hidden_layers=()).policy(hex_game.initial_state())
    assert policy.sum() == pytest.approx(1.0)


def test_making_a_net_draws_no_random_numbers_of_torch(hex_game: StateManager) -> None:
    before = torch.random.get_rng_state()
    ANET(hex_game, seed=5)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_an_invalid_state_is_refused(hex_game: StateManager) -> None:
    assert hex_game.state_length == 36
    wrong = np.zeros(36, np.int8), np.full(36, 1.5), np.zeros((2, 36)), np.zeros((2, 2, 36), int), 1
    for states in wrong:
        with pytest.raises(StateError):
            ANET(hex_game).policy(states)


HEX, HEXAPAWN = make_game("hex", size=3), make_game("hexapawn")
CONNECT = make_game("connect_four", rows=5, columns=7)
NO_BOARD = [
    (make_game(name), words, f"anet.{key}: expected {expected}: {name} has no board of pieces")
    for name in ("nim", "ledge")
    for words, key, expected in (
        ({"network": "convolutional"}, "network", "mlp, got convolutional"),
        ({"network": "residual"}, "network", "mlp, got residual"),
        ({"padded_size": 9}, "padded_size", "null, got 9"),
    )
]
TOO_SMALL = "anet.padded_size: expected at least 7 for a board of 5 x 7, got 6"


@pytest.mark.parametrize(
    ("game", "params", "message"),
    [
        *NO_BOARD,
        *(
            (CONNECT, {"network": name, "padded_size": 6}, TOO_SMALL)
            for name in ("mlp", "residual")
        ),
        *((game, {"network": "pooled"}, "anet.network: expected ") for game in (CONNECT, HEXAPAWN)),
        *(
            (HEX, {"network": "residual_mlp", "hidden_layers": layers}, "anet.hidden_layers: exp")
            for layers in ((), (8, 4), (4, 4, 8))
        ),
    ],
    ids=str,
)
def test_a_net_that_does_not_fit_its_game_is_refused(
    game: StateManager, params: dict[str, object], message: str
) -> None:
    with pytest.raises(NetError) as caught:
        ANET(game, ANETParams.model_validate(params))
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_the_movers_view_is_refused_in_a_game_without_a_colour_swap(
    hex_game: StateManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(hex_game), "symmetries", ())
    with pytest.raises(NetError, match=r"anet\.view: expected absolute, hex has no colour swap"):
        ANET(hex_game, ANETParams(view="mover"))


def test_a_net_without_a_critic_has_no_value(hex_game: StateManager) -> None:
    with pytest.raises(NetError, match=r"anet\.critic: true"):
        ANET(hex_game).value(hex_game.initial_state())
