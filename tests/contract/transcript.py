"""The results of the kernels, as JSON: run once compiled and once as plain Python.

Usage: python -m tests.contract.transcript

Each function in ``SECTIONS`` returns plain data that must not depend on whether kernels are
compiled. Floats are written with all their digits. The plain run is slow, so all games are small.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any, get_args

import numpy as np

from anet import ANET
from base.methods import ROLLOUTS, TREE_POLICIES, Method
from base.params import ANETParams
from mcts import MCTS, NRPA, Variant, search_variant
from mcts.nrpa import Form
from mcts.priors import GumbelNoise, RootNoise
from state_manager import GOES_ON, State, StateManager, make_game
from state_manager.policy import Policy
from state_manager.policy_games import FOREVER, Choice, play_against_itself
from state_manager.rules import no_uniform_rollout, no_winning_actions
from tests.mcts.fake_policy import fake_policy
from tests.mcts.opinions import RandomNet, some_states
from tests.mcts.trees import nested

SEEDS = (1, 2)


def games() -> list[StateManager]:
    """Return every game in small sizes."""
    return [
        make_game("hex", size=3),
        make_game("hex", size=5),
        make_game("hex", size=13),
        make_game("hex", size=3, swap=True),
        make_game("nim", stones=12, max_take=4),
        make_game("nim", stones=120, max_take=9),
        make_game("ledge"),
        make_game("ledge", board=[1, 0, 0, 1, 2, 0, 1, 1, 0, 0, 1]),
        make_game("tic_tac_toe"),
        make_game("connect_four", rows=5, columns=4),
        make_game("connect_four", rows=10, columns=10),
        make_game("hexapawn"),
    ]


def rules() -> Any:
    """Return legal actions, outcomes, states and features along random games."""
    return {f"{game!r} {seed}": _one_game(game, seed) for game in games() for seed in SEEDS}


def _one_game(game: StateManager, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    state = game.initial_state(seed)
    legal = np.zeros(game.num_actions, np.int64)
    features, winning = np.zeros(game.num_features, np.int64), legal.copy()
    outcome, record = GOES_ON, []
    while outcome == GOES_ON:
        actions = legal[: game.rules.legal_actions(state, legal)]
        active = features[: game.rules.active_features(state, features)]
        record.append([actions.tolist(), active.tolist(), state.tolist()])
        for player in (1, 2) if game.rules.winning_actions is not no_winning_actions else ():
            record.append(winning[: game.rules.winning_actions(state, player, winning)].tolist())
        outcome = int(game.rules.play(state, int(actions[int(rng.random() * len(actions))])))
    return [outcome, state.tolist(), record]


def fast_rollouts() -> Any:
    """Return outcomes of each game's fast rollout, and the next draw of its generator."""
    results = {}
    for game in games():
        if (uniform_rollout := game.rules.uniform_rollout) is not no_uniform_rollout:
            rng = np.random.default_rng(5)
            state = game.initial_state()
            outcomes = [int(uniform_rollout(state.copy(), rng)) for _ in range(40)]
            results[repr(game)] = [outcomes, rng.random()]
    return results


def searches_with_uniform_rollouts() -> Any:
    """Return two searches of each game with its fast rollout, if it has one."""
    return {repr(game): _two_searches(game, Variant()) for game in games()}


def searches_move_by_move() -> Any:
    """Return the same with rollouts that are played move by move."""
    return {
        repr(game): _two_searches(game, Variant(Method("uct", needs_moves=True)))
        for game in games()
        if game.max_plies < 60
    }


def searches_with_a_policy_and_a_critic() -> Any:
    """Return the same with a policy that reads a net, and a critic for half of the leaves."""
    variant = Variant().with_settings(rollout_probability=0.5)
    return {
        repr(game): _two_searches(game, variant, fake_policy(game, 3, epsilon=0.2))
        for game in games()
        if game.max_plies < 60
    }


def searches_with_a_net() -> Any:
    """Return the same with rollouts by a net of each view, small and not a panel wide."""
    results = {}
    for game in (make_game("hex", size=3), make_game("nim", stones=12, max_take=4)):
        for view in ("absolute", "mover") if game.colour_swap else ("absolute",):
            net = ANET(game, ANETParams(hidden_layers=(5, 33), view=view), seed=6).exact
            results[f"{game!r} {view}"] = _two_searches(game, Variant(), net.rollout_policy(0.2))
    return results


def evaluations_of_a_net() -> Any:
    """Return priors and values of a few states by nets of every activation."""
    results = {}
    game = make_game("hex", size=3)
    for activation in ("linear", "sigmoid", "tanh", "relu"):
        params = ANETParams(hidden_layers=(33, 5), activation=activation, view="mover", critic=True)
        policy = ANET(game, params, seed=6).exact.rollout_policy()
        evaluations, state = [], game.initial_state(2)
        for action in (4, 0, 8, 3):
            evaluations.append(_evaluation(game, policy, state))
            state = game.child_state(state, action)
        results[activation] = evaluations
    return results


def _evaluation(game: StateManager, policy: Policy, state: State) -> Any:
    legal, out = np.zeros(game.num_actions, np.int64), np.zeros(game.num_actions)
    count = game.rules.legal_actions(state, legal)
    features, net = game.rules.active_features, policy.net
    policy.prior(features, net, state, legal, count, out)
    return [out.tolist(), float(policy.critic(features, net, state))]


def searches_with_every_tree_policy() -> Any:
    """Return the same with each variant, priors and rollouts being those of a small policy."""
    results = {}
    for game in (make_game("hex", size=3), make_game("nim", stones=12, max_take=4)):
        for name in TREE_POLICIES:
            policy = fake_policy(game, 3, epsilon=0.2)
            for solver in (False, True):
                variant = replace(search_variant(name), solver=solver)
                results[f"{game!r} {name} {solver}"] = _two_searches(game, variant, policy)
    return results


def searches_with_every_kind_of_rollouts() -> Any:
    """Return the same with each kind of rollouts, played by a small policy."""
    results = {}
    for game in (make_game("hex", size=3), make_game("nim", stones=12, max_take=4)):
        for name in ROLLOUTS:
            policy, variant = fake_policy(game, 3, epsilon=0.2), search_variant("uct", name)
            results[f"{game!r} {name}"] = _two_searches(game, variant, policy)
    return results


def games_of_a_policy_against_itself() -> Any:
    """Return games that a small net plays, at several temperatures."""
    results = {}
    for game in games():
        if game.max_plies < 60:
            policy = ANET(game, ANETParams(hidden_layers=(5,)), seed=6).exact.rollout_policy()
            for temperature in (0.0, 0.7, 1.0):
                choice, rng = Choice(temperature, FOREVER, epsilon=0.2), np.random.default_rng(3)
                state = game.initial_state(2)
                actions, states = play_against_itself(game, policy, state, rng, choice)
                results[f"{game!r} {temperature}"] = [actions.tolist(), states.tolist()]
    return results


def legal_masks() -> Any:
    """Return which actions are legal in several states at once."""
    return {
        repr(game): game.legal_mask(np.stack(some_states(game, 5))).tolist() for game in games()
    }


def searches_of_several_games() -> Any:
    """Return two searches of three games, then two; leaves are evaluated inside, or outside."""
    results = {}
    for game in (make_game("hex", size=3), make_game("nim", stones=12, max_take=4)):
        for sigma, solver in product((0.0, 0.5, 1.0), (False, True)):
            variant = replace(
                search_variant("puct"), solver=solver, root_noise=RootNoise(0.25, 0.3)
            )
            variant = variant.with_settings(rollout_probability=sigma)
            policy = fake_policy(game, 3, epsilon=0.2)
            inside = MCTS(game, 40, variant=variant, rollout_policy=policy, games=4, seed=4)
            outside = MCTS(game, 40, variant=variant, evaluate=RandomNet(game), games=4, seed=4)
            for where, search in (("inside", inside), ("outside", outside)):
                states = some_states(game, 3)
                first = search.search_all(states)
                children = zip(states[:2], first, strict=False)
                states = [game.child_state(state, found.best_action) for state, found in children]
                second = search.search_all(states)
                results[f"{game!r} {sigma} {solver} {where}"] = [
                    [[r.visit_counts.tolist(), r.q_values.tolist()] for r in (*first, *second)],
                    # Not the root's visits: those after its proof depend on the clock.
                    [nested(search.slots.tree(row))[3] for row in range(2)],
                ]
    return results


def searches_that_look_ahead() -> Any:
    """Return two searches of three games each, with a Gumbel root and with PUCT."""
    results = {}
    for game in (make_game("hex", size=3), make_game("connect_four", rows=4, columns=4)):
        for name, noise in (("gumbel", GumbelNoise(1.0)), ("puct", RootNoise(0.25, 0.3))):
            variant = replace(search_variant(name), solver=name == "gumbel", root_noise=noise)
            variant = variant.with_settings(look_ahead=1.0)
            search = MCTS(game, 40, variant=variant, evaluate=RandomNet(game), games=4, seed=4)
            found = [search.search_all(some_states(game, 3)) for _ in range(2)]
            results[f"{game!r} {name}"] = [
                [each.visit_counts.tolist(), each.best_action, each.outcome, each.value]
                for each in (*found[0], *found[1])
            ]
    return results


def nested_rollout_policy_adaptation() -> Any:
    """Return two searches of each form, and the policy that is left."""
    results = {}
    for game in (make_game("hex", size=3), make_game("connect_four", rows=5, columns=4)):
        for form in get_args(Form):
            search = NRPA(game, 2, 6, form, simulations=50)
            found = [search.search(game.initial_state(player)) for player in (1, 2)]
            results[f"{game!r} {form}"] = [each.distribution.tolist() for each in found]
    return results


def _two_searches(game: StateManager, variant: Variant, policy: Policy | None = None) -> Any:
    variant = variant.with_settings(exploration=0.8, rollouts=2.0, length_discount=0.9)
    search = MCTS(game, variant=variant, rollout_policy=policy, seed=4)
    state = game.initial_state(2)
    first = search.search(state, 60)
    second = search.search(game.child_state(state, first.best_action), 30)
    results = [[r.visit_counts.tolist(), r.q_values.tolist()] for r in (first, second)]
    return [results, nested(search.tree)]


SECTIONS: tuple[Callable[[], Any], ...] = (
    rules,
    fast_rollouts,
    searches_with_uniform_rollouts,
    searches_move_by_move,
    searches_with_a_policy_and_a_critic,
    searches_with_a_net,
    evaluations_of_a_net,
    searches_with_every_tree_policy,
    searches_with_every_kind_of_rollouts,
    games_of_a_policy_against_itself,
    legal_masks,
    searches_of_several_games,
    searches_that_look_ahead,
    nested_rollout_policy_adaptation,
)
"""What is compared. A kernel elsewhere (a net's, a variant's) joins by a function in this tuple."""


if __name__ == "__main__":
    json.dump({section.__name__: section() for section in SECTIONS}, sys.stdout)
