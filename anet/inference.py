"""The ANET's forward pass as kernels, and its uses in a search: a move, priors, a value, a rollout.

Each layer sums only the rows of the nonzero inputs (``layers.py``), equal to torch up to rounding;
``pack`` makes a ``Net`` of the layers of torch.

Games that only add pieces have incremental rollouts. A move adds one feature and removes one legal
action. So a rollout keeps the first layer's sums for either player to move, adds the weights of one
feature after each move, and keeps a number for each action, 0 or minus infinity, to add to its
output: features and legal actions are listed once.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numba import types
from numpy.typing import NDArray

from anet.layers import (
    ACTIVATION,
    ACTIVATIONS,
    ALLOWED,
    BLOCKED,
    LAYERS,
    OUTPUTS,
    RELU,
    ROW,
    ROWS_OF_VALUES,
    SUMS,
    activate,
    add_two_features,
    begin_of,
    copy_outputs,
    first_highest,
    list_outputs,
    sum_features,
    sum_layer,
    width_of,
)
from anet.networks import ActorNetwork
from anet.panels import LISTED_TOGETHER, PANEL
from anet.view import View
from base.jit import kernel
from state_manager.policy import (
    CHOOSE,
    CRITIC,
    NET,
    PRIOR,
    ROLLOUT,
    ActiveFeatures,
    Net,
    Policy,
    move_by_move,
    no_critic,
)
from state_manager.rules import (
    ACTIVE_FEATURES_FUNCTION,
    GOES_ON,
    INDICES,
    RULES,
    STATE,
    Indices,
    Rules,
    State,
)

Matrix = NDArray[np.float32]
_CACHE_LINE = 16  # numbers in a cache line


@kernel(types.int64(NET, types.int64, types.int64, types.int64), inlined=True, inner=True)
def pass_on(net: Net, player: int, source: int, last: int) -> int:
    """Compute the layers from 1 to ``last``; return the place in ``values`` of the last one's."""
    target = OUTPUTS * net.layout[ROW]
    for layer in range(1, last + 1):
        count = list_outputs(net, source, width_of(net, layer))
        sum_layer(net, layer, player, count, source, target)
        source, target = target, (2 * OUTPUTS + 1) * net.layout[ROW] - target
    return source


@kernel(types.int64(ACTIVE_FEATURES_FUNCTION, NET, STATE, types.int64), inlined=True, inner=True)
def forward(active_features: ActiveFeatures, net: Net, state: State, last: int) -> int:
    """Compute the layers from the first one, number 0, up to ``last``; see ``pass_on``."""
    player, target = int(state[0]) - 1, (OUTPUTS + 1) * net.layout[ROW]
    sum_features(net, player, active_features(state, net.rows), target)
    return pass_on(net, player, target, last)


@kernel(CHOOSE)
def epsilon_greedy(
    active_features: ActiveFeatures,
    net: Net,
    state: State,
    legal: Indices,
    count: int,
    rng: np.random.Generator,
) -> int:
    """Draw a legal action with probability epsilon, else take the first with the highest output."""
    if rng.random() < net.epsilon:
        return legal[int(rng.random() * count)]
    outputs = forward(active_features, net, state, net.layout[LAYERS] - 1)
    best_action, best_output = legal[0], -np.float32(np.inf)
    for i in range(count):
        output = net.values[outputs + legal[i]]
        if output > best_output:
            best_action, best_output = legal[i], output
    return best_action


@kernel(PRIOR)
def legal_softmax(
    active_features: ActiveFeatures,
    net: Net,
    state: State,
    legal: Indices,
    count: int,
    out: NDArray[np.float64],
) -> None:
    """Write the softmax over the legal actions."""
    outputs = forward(active_features, net, state, net.layout[LAYERS] - 1)
    highest = -math.inf
    for i in range(count):
        out[i] = float(net.values[outputs + legal[i]])
        highest = max(highest, out[i])
    total = 0.0
    for i in range(count):
        out[i] = math.exp(out[i] - highest)
        total += out[i]
    for i in range(count):
        out[i] /= total


@kernel(CRITIC)
def value_head(active_features: ActiveFeatures, net: Net, state: State) -> float:
    """Return the critic's value, in [-1, 1], seen from player 1; the head predicts for the mover.

    Its input is the policy head's: the last hidden layer, or the features if there is none.
    """
    hidden_layers = net.layout[LAYERS] - 1
    begin = begin_of(net, hidden_layers + 1, int(state[0]) - 1)
    # In compiled code, float() leaves a float32 unchanged, so the products would be float32.
    total = np.float64(net.weights[begin])
    if hidden_layers == 0:
        for i in range(active_features(state, net.rows)):
            total += np.float64(net.weights[begin + 1 + net.rows[i]])
    else:
        outputs = forward(active_features, net, state, hidden_layers - 1)
        width = width_of(net, hidden_layers)
        activate(net.values, outputs, width, net.layout[ACTIVATION])
        for i in range(width):
            total += np.float64(net.values[outputs + i]) * np.float64(net.weights[begin + 1 + i])
    value = math.tanh(total)
    return value if state[0] == 1 else -value


@kernel(types.void(RULES, NET, STATE, INDICES), inlined=True, inner=True)
def begin(rules: Rules, net: Net, state: State, legal: Indices) -> None:
    """Initialise the numbers that a rollout keeps, from its first state."""
    row, mover = net.layout[ROW], state[0]
    for player in range(2):
        state[0] = 1 + player
        count = rules.active_features(state, net.rows)
        sum_features(net, player, count, (SUMS + player) * row)
    state[0] = mover
    for place in range(ALLOWED * row, (ALLOWED + 1) * row):
        net.values[place] = BLOCKED
    for i in range(rules.legal_actions(state, legal)):
        net.values[ALLOWED * row + legal[i]] = 0.0


@kernel(types.int64(NET, types.int64), inlined=True, inner=True)
def best_action(net: Net, mover: int) -> int:
    """Return the first legal action with the highest output; -1 if none is above minus infinity."""
    row, last = net.layout[ROW], net.layout[LAYERS] - 1
    source = (SUMS + mover) * row
    if net.layout[ACTIVATION] != RELU:  # others activate in place: copy the sums
        copy_outputs(net, source, (OUTPUTS + 1) * row, width_of(net, 1))
        source = (OUTPUTS + 1) * row
    outputs = pass_on(net, mover, source, last)
    return first_highest(net, outputs, ALLOWED * row, width_of(net, last + 1))


@kernel(ROLLOUT)
def rollout_that_adds(
    choose: Callable[..., int],
    rules: Rules,
    net: Net,
    state: State,
    legal: Indices,
    actions: NDArray[np.int32],
    played: int,
    rng: np.random.Generator,
) -> tuple[int, int]:
    """Play as ``epsilon_greedy`` chooses, in a game that ``only_adds`` pieces."""
    begin(rules, net, state, legal)
    actions_in_all, blocked = width_of(net, net.layout[LAYERS]), ALLOWED * net.layout[ROW]
    outcome = GOES_ON
    last = last_but_one = width_of(net, 0) - 1  # a feature whose weights are zeros
    while outcome == GOES_ON:
        mover = int(state[0]) - 1
        # The mover's sums are two moves old.
        add_two_features(net, mover, last_but_one, last)
        if rng.random() < net.epsilon:
            action = legal[int(rng.random() * rules.legal_actions(state, legal))]
        else:
            action = best_action(net, mover)
            if action < 0:
                rules.legal_actions(state, legal)
                action = legal[0]
        outcome = rules.play(state, action)
        actions[played] = action
        played += 1
        net.values[blocked + action] = BLOCKED
        last_but_one, last = last, 2 + mover * actions_in_all + action
    return outcome, played


def policy_of(net: Net, only_adds: bool, critic: bool) -> Policy:
    """Return a net as a default policy; ``only_adds`` with hidden layers and such a game."""
    return Policy(
        choose=epsilon_greedy,
        prior=legal_softmax,
        critic=value_head if critic else no_critic,
        net=net,
        rollout=rollout_that_adds if only_adds else move_by_move,
    )


def pack(network: ActorNetwork, activation: str, view: View, epsilon: float) -> Net:
    """Copy a network's weights into the form that kernels read, with memory for one thread.

    Inputs of the ``view`` that show no feature are always 0; player 1's view of actions is their
    own order. ``epsilon``: see ``ANET.rollout_policy``.
    """
    layers = [*network.hidden, network.policy_head]
    heads = [network.policy_head] + [network.value_head] * (network.value_head is not None)
    num_features, (sources, outputs) = view.game.num_features, view.layouts[0]
    places = np.argsort(sources, axis=1)[:, :num_features]  # the input that shows each feature
    parts: list[Matrix] = []
    begins: list[int] = []
    for layer in [*network.hidden, *heads]:
        matrix = np.vstack([each.detach().numpy() for each in (layer.bias, layer.weight.T)])
        one = two = matrix
        if layer is layers[0] or len(layers) == 1:  # it reads the features
            one, two = (_seen(matrix, each) for each in places)
        if layer is network.policy_head:
            two = two[:, outputs[1]]
        is_turned = not np.array_equal(one, two)
        for each in (one, two) if is_turned else (one,):
            begins.append(sum(map(len, parts)))
            parts.append(each[:, 0] if layer is network.value_head else _panels(each))
        begins += [] if is_turned else begins[-1:]
    widths = [num_features + 1, *(layer.out_features for layer in layers)]
    longest_list = max(widths) + 1
    row = _whole_panels(longest_list)
    return Net(
        weights=_aligned([*parts, np.zeros(PANEL, np.float32)]),
        layout=np.array([len(layers), ACTIVATIONS[activation], row, *widths, *begins], np.int64),
        epsilon=epsilon,
        values=_aligned([np.zeros(ROWS_OF_VALUES * row, np.float32)]),
        rows=np.zeros(longest_list + LISTED_TOGETHER, np.int64),
    )


def copied(net: Net, epsilon: float) -> Net:
    """Return a packed net with memory of its own, for another thread or another epsilon."""
    weights, values = _aligned([net.weights]), _aligned([net.values])
    return net._replace(weights=weights, values=values, epsilon=epsilon, rows=net.rows.copy())


def _seen(matrix: Matrix, places: Indices) -> Matrix:
    return np.vstack([matrix[0], matrix[1:][places], np.zeros_like(matrix[0])])


def _panels(matrix: Matrix) -> Matrix:
    """Return a layer's panels, one after the other: each the bias, then a row for each input."""
    rows, columns = matrix.shape
    whole = np.pad(matrix, ((0, 0), (0, _whole_panels(columns) - columns)))
    return np.ascontiguousarray(whole.reshape(rows, -1, PANEL).transpose(1, 0, 2)).reshape(-1)


def _whole_panels(columns: int) -> int:
    return columns + -columns % PANEL


def _aligned(parts: Sequence[Matrix]) -> Matrix:
    """Join the parts, aligned to a cache line, so that no vector spans two lines."""
    length = sum(len(part) for part in parts)
    memory = np.zeros(length + _CACHE_LINE, np.float32)
    offset = -(memory.ctypes.data // memory.itemsize) % _CACHE_LINE
    joined = memory[offset : offset + length]
    np.concatenate(parts, out=joined)
    return joined
