"""Players that are perfect by the exact judge, and nets that have learned from it."""

from collections.abc import Mapping
from functools import cache

import numpy as np
import torch
from numpy.typing import NDArray

from anet import ANET, Minibatch
from base.params import ANETParams
from judge import shared_judge
from proofs.enumeration import PureStrategy
from state_manager import State, StateManager

_STEPS = 150


def perfect_player(game: StateManager, slips: Mapping[bytes, int] | None = None) -> PureStrategy:
    """Return a player of best actions, but of other ones in some states (by their bytes)."""
    judge = shared_judge(game)
    known = dict(slips or {})

    def choose(states: State) -> NDArray[np.bool_]:
        chosen = np.zeros((len(states), game.num_actions), np.bool_)
        for row, state in enumerate(states):
            if state.tobytes() not in known:
                known[state.tobytes()] = judge.best_action(state)
            chosen[row, known[state.tobytes()]] = True
        return chosen

    return PureStrategy(choose, is_symmetric=False)


@cache
def all_states(game: StateManager) -> tuple[State, ...]:
    """Return every state that games lead to, player 1 beginning, in which the game goes on."""
    found: dict[bytes, State] = {}
    new = [game.initial_state(1)]
    while new:
        found |= {state.tobytes(): state for state in new}
        new = [
            child
            for state in new
            for _, child in game.children(state)
            if not game.is_final(child) and child.tobytes() not in found
        ]
        new = list({child.tobytes(): child for child in new}.values())
    return tuple(found.values())


@cache
def _lessons(game: StateManager) -> tuple[State, NDArray[np.float32]]:
    """Return the states in which the mover can win, and its winning actions as distributions."""
    judge = shared_judge(game)
    states = np.array(all_states(game))
    targets = np.zeros((len(states), game.num_actions), np.float32)
    for target, state in zip(targets, states, strict=True):
        target[judge.winning_actions(state)] = 1.0
    won = targets.any(axis=1)
    return states[won], targets[won] / targets[won].sum(axis=1, keepdims=True)


def perfect_net(game: StateManager, symmetric: bool = True) -> ANET:
    """Return a net with a critic, overfitted to all winning actions."""
    states, targets = _lessons(game)
    params = ANETParams(
        hidden_layers=(128,),
        learning_rate=0.02,
        view="mover" if symmetric else "absolute",
        symmetric=symmetric,
        critic=True,
    )
    net = ANET(game, params, seed=1)
    minibatch = Minibatch(
        observations=game.observations(states),
        movers=states[:, 0],
        legal=game.legal_mask(states),
        targets=targets,
        values=np.ones(len(states), np.float32),
        weights=np.ones(len(states), np.float32),
    )
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # more of them wait for each other on a busy machine
    for _ in range(_STEPS):
        net.train(minibatch)
    torch.set_num_threads(threads)
    return net
